import { comparableText } from '#server/site/text/comparable-text';
import type { StandingInstructions } from '#server/core/site/standing-instructions';

/** An instruction to add to the standing instructions. */
export type NewInstruction =
  | { readonly kind: 'voice'; readonly text: string }
  | { readonly kind: 'rule'; readonly text: string }
  | { readonly kind: 'term'; readonly text: string; readonly meaning: string };

/**
 * Result of adding an instruction: the new instructions and, if it contradicts an earlier one, the text of the earlier one,
 * which it replaces. Null: an equal instruction exists already.
 */
export type Addition = { readonly next: StandingInstructions; readonly replaced: string | null } | null;

/**
 * Adds an instruction. Terms are compared by name, rules by their words without "always", "never" and the like: a rule
 * replaces the opposite rule.
 */
export function addInstruction(present: StandingInstructions, added: NewInstruction): Addition {
  const text = added.text.trim();
  if (added.kind === 'voice') {
    if (comparableText(present.voice).includes(comparableText(text))) return null;
    return { next: { ...present, voice: present.voice === '' ? text : `${present.voice}\n${text}` }, replaced: null };
  }
  if (added.kind === 'term') {
    const meaning = added.meaning.trim();
    const { list, former } = putItem(present.glossary, { term: text, meaning }, ({ term }) => comparableText(term));
    if (former !== undefined && comparableText(former.meaning) === comparableText(meaning)) return null;
    return { next: { ...present, glossary: list }, replaced: former ? `${former.term}: ${former.meaning}` : null };
  }
  const { list, former } = putItem(present.rules, text, subjectOf);
  if (former !== undefined && stanceOf(former) === stanceOf(text)) return null;
  return { next: { ...present, rules: list }, replaced: former ?? null };
}

/** Replaces the item with the same key, or appends it. */
function putItem<T>(items: readonly T[], item: T, keyOf: (item: T) => string): { list: T[]; former: T | undefined } {
  const index = items.findIndex((other) => keyOf(other) === keyOf(item));
  return index === -1
    ? { list: [...items, item], former: undefined }
    : { list: items.with(index, item), former: items[index] };
}

const FORBIDS = /\b(?:never|do not|don't|must not|mustn't|no longer)\b/;
const DEMANDS = /\b(?:always|must|please)\b/g;

/** Distinguishes `Always say kiln` from `never say kiln`, which are otherwise equal. */
function stanceOf(sentence: string): 'for' | 'against' {
  return FORBIDS.test(comparableText(sentence)) ? 'against' : 'for';
}

function subjectOf(sentence: string): string {
  return comparableText(comparableText(sentence).replace(FORBIDS, ' ').replaceAll(DEMANDS, ' '));
}
