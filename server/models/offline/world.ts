import { sectionTypes } from '#server/core/content';
import type { SectionType } from '#server/core/content';
import { listOf, objectOf, textOf } from '#server/models/offline/json';
import { IT, normalized } from '#server/models/offline/names';
import type { Fields } from '#server/models/offline/requests';
import { type Call, type Outcome, wasNotDone } from '#server/models/offline/steps';

export interface KnownSection {
  readonly id: string;
  readonly type: SectionType;
  readonly fields: Fields;
}

/** A page or post as a result in the prompt showed it. */
export interface KnownEntry {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly sections: readonly KnownSection[];
  /** It was read for the request that is being answered. */
  readonly fresh: boolean;
}

const LOOKING = new Set([
  'list_content',
  'get_content',
  'search_content',
  'describe_sections',
  'get_navigation',
  'get_settings',
  'list_revisions',
  'ask_user',
  'recall_output',
]);

/** Whether a tool changes the site. */
export function isWrite(toolName: string): boolean {
  return !LOOKING.has(toolName);
}

/** What the results so far say about the site. An entry is forgotten as soon as it changes. */
export class World {
  readonly #entries = new Map<string, KnownEntry>();
  /** Whether the next write of the request is already done, its result out of sight; see Journal. */
  readonly nextWriteIsLost: () => boolean;
  #last: string | null = null;
  #fresh = false;

  constructor(nextWriteIsLost: () => boolean) {
    this.nextWriteIsLost = nextWriteIsLost;
  }

  /** From here on, what is seen is seen for the open request. */
  beginRequest(): void {
    this.#fresh = true;
  }

  observe(call: Call, outcome: Outcome): void {
    if (outcome.kind === 'lost' && isWrite(call.toolName)) this.#entries.clear();
    if (wasNotDone(outcome)) this.#forgetSeenBefore();
    // "create Pricing and publish it": what was not created must not let "it" mean something else.
    if (wasNotDone(outcome) && call.toolName === 'create_content') this.#last = null;
    if (outcome.kind !== 'done') return;
    const value = objectOf(outcome.value);
    const id = textOf(value.id);
    if (call.toolName === 'undo') this.#entries.clear();
    if (id === '' || call.toolName === 'recall_output') return;
    this.#last = id;
    if (isWrite(call.toolName)) this.#entries.delete(id);
    if (call.toolName === 'get_content') this.#entries.set(id, this.#entryOf(id, value));
  }

  /** From here on, "it" is this entry, named as the user did. */
  mention(name: string): void {
    this.#last = name;
  }

  /** The entry a reference names, if a result shows its present state; with `fresh`, one of this request. */
  find(ref: string, fresh: boolean): KnownEntry | null {
    const known = [...this.#entries.values()].filter((entry) => entry.fresh || !fresh);
    const name = normalized(ref);
    return (
      known.find((entry) => entry.id === ref) ??
      known.find((entry) => entry.slug === ref) ??
      known.find((entry) => normalized(entry.title) === name && name !== '') ??
      null
    );
  }

  /** What to call: the reference, or the id of the entry spoken of last for "it"; null when there is none. */
  refOf(name: string): string | null {
    return name === IT ? this.#last : name;
  }

  /** A change failed: the site may have been edited elsewhere, so what was seen in earlier requests is stale. */
  #forgetSeenBefore(): void {
    for (const [id, entry] of this.#entries) if (!entry.fresh) this.#entries.delete(id);
  }

  #entryOf(id: string, value: Fields): KnownEntry {
    const sections = listOf(value.sections).flatMap((item): KnownSection[] => {
      const section = objectOf(item);
      const type = sectionTypes.find((candidate) => candidate === section.type);
      return type ? [{ id: textOf(section.id), type, fields: objectOf(section.fields) }] : [];
    });
    return { id, title: textOf(value.title), slug: textOf(value.slug), sections, fresh: this.#fresh };
  }
}
