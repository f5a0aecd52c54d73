import { type SectionType, sectionTypes } from '#server/core/content';
import { hasWords } from '#server/models/offline/conversation';
import { IT, normalized, splitNames } from '#server/models/offline/grammar';
import type { Fields } from '#server/models/offline/requests';
import {
  type Call,
  callOne,
  listOf,
  objectOf,
  type Outcome,
  textOf,
  together,
  wasNotDone,
  type Work,
} from '#server/models/offline/steps';

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

/** A page or post as a list names it. */
export interface ListedEntry {
  readonly id: string;
  readonly type: 'page' | 'post';
  readonly title: string;
  readonly slug: string;
}

/** What a name that no tool knew exactly could mean. */
export type Match =
  | { readonly kind: 'one'; readonly entry: ListedEntry; readonly exact: boolean }
  /** The name was a list of names: `Pricing and About`. */
  | { readonly kind: 'each'; readonly entries: readonly ListedEntry[] }
  | { readonly kind: 'several'; readonly entries: readonly ListedEntry[] }
  | { readonly kind: 'none' };

/** More would not be a choice any more. */
const MAX_CHOICES = 8;

/** Lists the pages and the posts at once. */
export function* listEntries(): Work<ListedEntry[]> {
  const outcomes = yield* together([listType('page'), listType('post')]);
  return outcomes.flat();
}

/** Finds what `ref` could mean among `entries`: the same title, else all its words in a title or slug. */
export function matchEntries(entries: readonly ListedEntry[], ref: string): Match {
  const exact = exactly(entries, ref);
  if (exact.length > 0) return matchOf(exact, true);
  const names = splitNames(ref);
  const named = names.map((name) => exactly(entries, name));
  if (names.length > 1 && named.every((found) => found.length === 1)) return { kind: 'each', entries: named.flat() };
  const words = normalized(ref).split(' ');
  if (words.join('') === '') return { kind: 'none' };
  return matchOf(
    entries.filter((entry) => hasWords(normalized(`${entry.title} ${entry.slug}`).split(' '), words)),
    false,
  );
}

/** The entries of a `list_content` result. */
export function entriesOf(type: 'page' | 'post', outcome: Outcome): ListedEntry[] {
  if (outcome.kind !== 'done') return [];
  return listOf(objectOf(outcome.value).items).map((item) => {
    const { id, title, slug } = objectOf(item);
    return { id: textOf(id), type, title: textOf(title), slug: textOf(slug) };
  });
}

function* listType(type: 'page' | 'post'): Work<ListedEntry[]> {
  return entriesOf(type, yield* callOne('list_content', { type, limit: 100 }));
}

function exactly(entries: readonly ListedEntry[], ref: string): ListedEntry[] {
  const name = normalized(ref);
  const exact = entries.filter((entry) => normalized(entry.title) === name || entry.slug === ref);
  return exact.length > 0 ? exact : entries.filter((entry) => bareTitle(entry.title) === name);
}

/** "The Bakery" and "Contact page" are read as "Bakery" and "Contact" in a request. */
function bareTitle(title: string): string {
  return normalized(title)
    .replace(/^(?:the|my) /, '')
    .replace(/ (?:page|post|article)$/, '');
}

function matchOf(entries: readonly ListedEntry[], exact: boolean): Match {
  const [first] = entries;
  if (first === undefined) return { kind: 'none' };
  if (entries.length === 1) return { kind: 'one', entry: first, exact };
  return { kind: 'several', entries: entries.slice(0, MAX_CHOICES) };
}
