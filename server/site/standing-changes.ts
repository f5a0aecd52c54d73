import { comparableText } from '#server/site/text/comparable-text';
import type { StandingInstructions } from '#server/core/site/standing-instructions';
import type { ServerText } from '#server/core/coded-message';
import { fieldText } from '#server/core/site/field-names';
import { serverText } from '#server/core/messages/server-text';

/* Changes of the standing instructions: their summaries, and the removal of one change from the current state. */

/** Summary of a change for the journal: `Added the rule "…"`, `Changed the standing instructions: voice, rules`. */
export function summarizeStanding(before: StandingInstructions, after: StandingInstructions): ServerText {
  const has = (rules: readonly string[], text: string) => rules.includes(text);
  const added = after.rules.filter((text) => !has(before.rules, text));
  const removed = before.rules.filter((text) => !has(after.rules, text));
  if (before.voice === after.voice && sameGlossary(before, after) && added.length + removed.length === 1) {
    const [rule = ''] = [...added, ...removed];
    return serverText(added.length === 1 ? 'journal-rule-added' : 'journal-rule-removed', { rule });
  }
  const parts = [
    ...(before.voice === after.voice ? [] : ['voice']),
    ...(sameGlossary(before, after) ? [] : ['words']),
    ...(sameList(before.rules, after.rules) ? [] : ['rules']),
  ];
  return parts.length === 0
    ? serverText('journal-standing-left')
    : serverText('journal-standing', { fields: parts.map(fieldText) });
}

const sameList = (one: readonly string[], other: readonly string[]) => JSON.stringify(one) === JSON.stringify(other);
const sameGlossary = (one: StandingInstructions, other: StandingInstructions) =>
  JSON.stringify(one.glossary) === JSON.stringify(other.glossary);

/**
 * Removes one change (from `before` to `after`) from the present state and keeps other changes made since.
 * @returns null if the same parts have been changed again since
 */
export function withoutStandingChange(
  present: StandingInstructions,
  before: StandingInstructions,
  after: StandingInstructions,
): StandingInstructions | null {
  if (JSON.stringify(present) === JSON.stringify(after)) return before;
  const isVoiceLost = before.voice !== after.voice && present.voice !== after.voice;
  const rules = revertList(present.rules, before.rules, after.rules, (text) => text);
  const glossary = revertList(present.glossary, before.glossary, after.glossary, ({ term }) => comparableText(term));
  if (isVoiceLost || rules === null || glossary === null) return null;
  return { voice: before.voice === after.voice ? present.voice : before.voice, rules, glossary };
}

/** Undoes a change to a list; a removed item returns to its position after the item that preceded it. */
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
