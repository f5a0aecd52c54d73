import { listOf, objectOf, textOf } from '#server/models/offline/json';
import { normalized, splitNames } from '#server/models/offline/names';
import { hasWords } from '#server/models/offline/options';
import { together, callOne } from '#server/models/offline/steps';
import type { Outcome, Work } from '#server/models/offline/steps';

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
