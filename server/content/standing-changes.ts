import { comparable } from '#server/content/standing-instructions';
import type { StandingInstructions } from '#server/core/content';

/** One thing to keep to. */
export type NewInstruction =
  | { readonly kind: 'voice'; readonly text: string }
  | { readonly kind: 'rule'; readonly text: string }
  | { readonly kind: 'term'; readonly text: string; readonly meaning: string };

/** `replaced`: what it takes the place of, because both cannot hold. Null: it is there already. */
export type Addition = { readonly next: StandingInstructions; readonly replaced: string | null } | null;

/** The instructions with one more. */
export function addInstruction(present: StandingInstructions, added: NewInstruction): Addition {
  const text = added.text.trim();
  if (added.kind === 'voice') {
    if (comparable(present.voice).includes(comparable(text))) return null;
    return { next: { ...present, voice: present.voice === '' ? text : `${present.voice}\n${text}` }, replaced: null };
  }
  if (added.kind === 'term') {
    const meaning = added.meaning.trim();
    const { list, former } = putIn(present.glossary, { term: text, meaning }, ({ term }) => comparable(term));
    if (former !== undefined && comparable(former.meaning) === comparable(meaning)) return null;
    return { next: { ...present, glossary: list }, replaced: former ? `${former.term}: ${former.meaning}` : null };
  }
  const { list, former } = putIn(present.rules, text, subjectOf);
  if (former !== undefined && stanceOf(former) === stanceOf(text)) return null;
  return { next: { ...present, rules: list }, replaced: former ?? null };
}

/** In the place of the one with the same key, else at the end. */
function putIn<T>(items: readonly T[], item: T, keyOf: (item: T) => string): { list: T[]; former: T | undefined } {
  const index = items.findIndex((other) => keyOf(other) === keyOf(item));
  return index === -1
    ? { list: [...items, item], former: undefined }
    : { list: items.with(index, item), former: items[index] };
}

const FORBIDS = /\b(?:never|do not|don't|must not|mustn't|no longer)\b/;
const DEMANDS = /\b(?:always|must|please)\b/g;

/** `Always say kiln` and `never say kiln` differ in nothing else. */
function stanceOf(rule: string): 'for' | 'against' {
  return FORBIDS.test(comparable(rule)) ? 'against' : 'for';
}

function subjectOf(rule: string): string {
  return comparable(comparable(rule).replace(FORBIDS, ' ').replaceAll(DEMANDS, ' '));
}

/** Summary of a change to the standing instructions, in a few words. */
export function summarizeStanding(before: StandingInstructions, after: StandingInstructions): string {
  const has = (rules: readonly string[], text: string) => rules.includes(text);
  const added = after.rules.filter((text) => !has(before.rules, text));
  const removed = before.rules.filter((text) => !has(after.rules, text));
  if (before.voice === after.voice && sameGlossary(before, after) && added.length + removed.length === 1) {
    return added.length === 1 ? `Added the rule "${added[0]}"` : `Removed the rule "${removed[0]}"`;
  }
  const parts = [
    ...(before.voice === after.voice ? [] : ['voice']),
    ...(sameGlossary(before, after) ? [] : ['words']),
    ...(sameList(before.rules, after.rules) ? [] : ['rules']),
  ];
  return parts.length === 0
    ? 'Left the standing instructions as they were'
    : `Changed the standing instructions: ${parts.join(', ')}`;
}

const sameList = (one: readonly string[], other: readonly string[]) => JSON.stringify(one) === JSON.stringify(other);
const sameGlossary = (one: StandingInstructions, other: StandingInstructions) =>
  JSON.stringify(one.glossary) === JSON.stringify(other.glossary);

/**
 * Takes one change back out of the present state, whatever was changed beside it since.
 * @returns null where what it had changed was changed again
 */
export function withoutStandingChange(
  present: StandingInstructions,
  before: StandingInstructions,
  after: StandingInstructions,
): StandingInstructions | null {
  if (JSON.stringify(present) === JSON.stringify(after)) return before;
  const isVoiceLost = before.voice !== after.voice && present.voice !== after.voice;
  const rules = revertList(present.rules, before.rules, after.rules, (text) => text);
  const glossary = revertList(present.glossary, before.glossary, after.glossary, ({ term }) => comparable(term));
  if (isVoiceLost || rules === null || glossary === null) return null;
  return { voice: before.voice === after.voice ? present.voice : before.voice, rules, glossary };
}

/** Undoes a change to a list; a removed item returns behind the item that it followed. */
function revertList<T>(
  present: readonly T[],
  before: readonly T[],
  after: readonly T[],
  keyOf: (item: T) => string,
): T[] | null {
  const of = (items: readonly T[]) => new Map(items.map((item) => [keyOf(item), item]));
  const [is, was, became] = [of(present), of(before), of(after)];
  const same = (one: T | undefined, other: T | undefined) => JSON.stringify(one) === JSON.stringify(other);
  const touched = new Set([...was.keys(), ...became.keys()].filter((key) => !same(was.get(key), became.get(key))));
  if ([...touched].some((key) => !same(is.get(key), became.get(key)))) return null;
  const kept = present.flatMap((item) => {
    if (!touched.has(keyOf(item))) return [item];
    const former = was.get(keyOf(item));
    return former === undefined ? [] : [former];
  });
  return before.reduce<T[]>((list, item, index) => {
    if (!touched.has(keyOf(item)) || became.has(keyOf(item))) return list;
    const former = new Set(before.slice(0, index).map(keyOf));
    const place = list.findLastIndex((other) => former.has(keyOf(other))) + 1;
    return list.toSpliced(place, 0, item);
  }, kept);
}
