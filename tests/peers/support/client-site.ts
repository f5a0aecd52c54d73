import type { Entry, PatchOp, Section } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { JsonValue } from '#server/core/json';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import type { MirroredSite } from '#tests/peers/support/mirrored-site';
import type { WordPressServer } from '#tests/peers/support/wordpress-server';

/** The copy of a client's WordPress, and short words for what people do on it. */
export interface ClientSite extends Pick<MirroredSite, 'content' | 'client'> {
  readonly wordpress: WordPressServer;
  /** Author of the steps of this task. */
  readonly by: ChangeOrigin;
  /** Section of an entry that holds these words. */
  section(ref: string, words: string): Promise<Section>;
  /** Replaces words in the draft of an entry, once. */
  reword(ref: string, from: string, to: string): Promise<void>;
  patch(ref: string, operations: readonly PatchOp[] | ((entry: Entry) => readonly PatchOp[])): Promise<void>;
  publish(ref: string): Promise<void>;
  /** What WordPress has under this slug. */
  remote(type: string, slug: string): Promise<readonly RemoteEntry[]>;
}

/** A task done on a client's site, over our API. */
export interface ClientTask {
  readonly name: string;
  run(site: ClientSite): Promise<unknown>;
  /** All that differs in WordPress's database then (`differences`), in any order; `…` stands for anything. */
  readonly differences: readonly string[];
  /** What still differs after everything was undone; nothing where it is left out. */
  readonly left?: readonly string[];
}

function holds(value: JsonValue, words: string): boolean {
  if (typeof value === 'string') return value.includes(words);
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, words));
}

function reworded(value: JsonValue, from: string, to: string): JsonValue {
  if (typeof value === 'string') return value.replace(from, to);
  if (Array.isArray(value)) return value.map((one) => reworded(one, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, reworded(one, from, to)]));
}

export function clientSite(wordpress: WordPressServer, mirrored: MirroredSite, by: ChangeOrigin): ClientSite {
  const { content, client } = mirrored;
  const site: ClientSite = {
    wordpress,
    content,
    client,
    by,
    async section(ref, words) {
      const { draft } = await content.get(ref);
      const found = draft.sections.filter(({ fields }) => holds(fields, words));
      if (found.length !== 1) throw new Error(`${found.length} sections of ${ref} hold "${words}".`);
      return found[0]!;
    },
    async reword(ref, from, to) {
      const { id: sectionId, fields } = await site.section(ref, from);
      await site.patch(ref, [
        { op: 'set-section', sectionId, fields: reworded(fields, from, to) as Section['fields'] },
      ]);
    },
    async patch(ref, operations) {
      const entry = await content.get(ref);
      await content.patch(entry.id, typeof operations === 'function' ? operations(entry) : operations, by);
    },
    async publish(ref) {
      await content.publish((await content.get(ref)).id, by);
    },
    async remote(type, slug) {
      const found: RemoteEntry[] = [];
      for await (const { items } of client.entries.list(type, { slug })) found.push(...items);
      return found;
    },
  };
  return site;
}
