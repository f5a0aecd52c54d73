import type { ContentBackend } from '#server/site/content-backend';
import { replacedPieces, requireNoWriters, seenKey } from '#server/site/concurrent-changes';
import type { SeenRevisions } from '#server/core/site/seen-revisions';
import { siteDocumentKeys } from '#server/core/site/changes';
import { ConflictError } from '#server/core/errors';
import { type WriteConflict, writeConflictSchema } from '#server/core/site/write-conflict';
import { toJson } from '#server/core/json';
import type { PresenceStore, Writer } from '#server/core/site/presence';
import { shorten } from '#server/core/text/short-text';

/** Largest part of the current content, in characters, that a refusal contains. */
const SHOWN_CHARS = 3_000;

/** What `staleReadGuard` checks. */
interface GuardOptions {
  /** The people who are writing in an entry. Default: nobody. */
  readonly writersIn?: PresenceStore['writersIn'];
  /** What the model of the conversation has seen. Absent: not known, and not checked. */
  readonly seen?: SeenRevisions;
  /** Called with every piece that a write or a refusal shows to the model, and its revision. */
  readonly note?: (key: string, revision: number) => void;
}

/**
 * The content for tools: a write does not replace what another author has changed since the model saw it, nor a field
 * with a person's cursor in it. The refusal contains the current content, which the model has then seen. All other
 * writes are merged. The checks are those of `server/site/concurrent-changes.ts`; dry runs skip them.
 */
export function staleReadGuard(
  content: ContentBackend,
  { writersIn = () => Promise.resolve([]), seen, note = () => undefined }: GuardOptions,
): ContentBackend {
  /** Explains a conflict of the write to the model. */
  async function explained<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      const parsed = error instanceof ConflictError ? writeConflictSchema.safeParse(error.details) : null;
      if (!parsed?.success || (parsed.data.changed.length === 0 && parsed.data.writers.length === 0)) throw error;
      const conflict = parsed.data;
      const isDocument = siteDocumentKeys.some((key) => key === conflict.targetId);
      const entry = isDocument ? null : await content.find(conflict.targetId);
      for (const place of [...conflict.changed, ...conflict.writers])
        note(entry === null ? conflict.targetId : seenKey(entry.id, place), conflict.revision);
      const target = entry === null ? `the ${conflict.targetId}` : `"${entry.draft.title}" (${entry.id})`;
      const text = conflict.changed.length > 0 ? changedText(conflict, target) : writersText(conflict, target);
      throw new ConflictError(text, { details: toJson(conflict) });
    }
  }
  return {
    ...content,
    async create(entry, origin, options) {
      const written = await content.create(entry, origin, options);
      if (options?.dryRun !== true) note(written.entry.id, written.entry.revision);
      return written;
    },
    async patch(entryId, operations, origin, options) {
      if (options?.dryRun === true) return content.patch(entryId, operations, origin, options);
      const writers = await writersIn(entryId);
      const written = await explained(() => content.patch(entryId, operations, origin, { ...options, seen, writers }));
      for (const place of replacedPieces(operations)) note(seenKey(entryId, place), written.entry.revision);
      return written;
    },
    async patchAll(patches, origin, options) {
      if (options?.dryRun === true) return content.patchAll(patches, origin, options);
      const checked = patches.map(async (patch) => ({ ...patch, writers: await writersIn(patch.entryId) }));
      const all = await Promise.all(checked);
      return explained(() => content.patchAll(all, origin, options));
    },
    async setNavigation(items, origin, options) {
      if (options?.dryRun === true) return content.setNavigation(items, origin, options);
      const written = await explained(() => content.setNavigation(items, origin, { ...options, seen }));
      note('navigation', written.revision);
      return written;
    },
    async updateSettings(patch, origin, options) {
      if (options?.dryRun === true) return content.updateSettings(patch, origin, options);
      const written = await explained(() => content.updateSettings(patch, origin, { ...options, seen }));
      note('settings', written.revision);
      return written;
    },
    async undo(changeId, origin, options) {
      if (options?.dryRun !== true) await explained(() => requireUndoable(changeId, origin.sessionId));
      return content.undo(changeId, origin, options);
    },
  };

  /** @throws ConflictError if a person is writing where the undo would write */
  async function requireUndoable(changeId: string | undefined, sessionId: string | undefined): Promise<void> {
    const id = changeId ?? (await content.newestStanding(sessionId ?? ''))?.id;
    if (id === undefined) return;
    const { change } = await content.change(id);
    const writers: readonly Writer[] = change.inverse.length === 0 ? [] : await writersIn(change.targetId);
    const entry = writers.length === 0 ? null : await content.find(change.targetId);
    if (entry !== null) requireNoWriters(entry, change.inverse, writers);
  }
}

function shown(values: Readonly<Record<string, unknown>>): string {
  return shorten(JSON.stringify(values), SHOWN_CHARS);
}

function changedText({ targetId, changed }: WriteConflict, target: string): string {
  const names = changed.map(({ sectionId, field }) => field ?? sectionId ?? targetId);
  const now = shown(Object.fromEntries(changed.map(({ value }, index) => [names[index], value])));
  const what = names[0] === targetId ? target : `${names.join(', ')} of ${target}`;
  return `Not written: somebody else has changed ${what} since you saw it. It reads now: ${now}. Keep what they wrote unless the user wants otherwise, and write again.`;
}

function writersText({ writers }: WriteConflict, target: string): string {
  const names = [...new Set(writers.map(({ name }) => name ?? 'The user'))];
  const who = `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} writing there now`;
  const placeOf = ({ sectionId, field }: WriteConflict['writers'][number]) =>
    [sectionId, field].filter((part) => part !== null).join(' › ');
  const places = [...new Set(writers.map(placeOf))].join(', ');
  const now = shown(Object.fromEntries(writers.map((writer) => [placeOf(writer), writer.value])));
  return `Not written: ${who}, in ${places} of ${target}. It reads now: ${now}. Leave that to them and say so. Other fields and sections can be changed meanwhile, without this one.`;
}
