import { z } from 'zod';
import { checkInput } from '#server/content/check-input';
import type { StandingInstructions } from '#server/core/content';
import type { WriteNotes } from '#server/core/changes';
import { NOTE_LABEL, SUMMARY_LABEL } from '#server/core/engine-words';
import { STANDING_TAG, standingText } from '#server/core/standing-text';
import { InvalidInputError } from '#server/core/errors';
import { prose, requiredLine } from '#server/core/safe-text';
import { visibleText } from '#server/core/visible-text';

/** Standing instructions of a new site. */
export const NO_STANDING_INSTRUCTIONS: StandingInstructions = { voice: '', glossary: [], rules: [] };

/** Most tokens of all standing instructions together, which are sent with every request. */
export const MAX_STANDING_TOKENS = 1_500;

const MAX_ENTRIES = 60;
const MAX_VOICE_CHARS = 4_000;
const MAX_TERM_CHARS = 80;
const MAX_LINE_CHARS = 400;

/** Markers that only the engine may write to a model. */
const ENGINE_WORDS = [SUMMARY_LABEL, NOTE_LABEL, `<${STANDING_TAG}`, `</${STANDING_TAG}`];

/** Spaces and invisible characters hide such words from us, not from a model. */
const INVISIBLE = /[\s\p{Cf}]+/gu;
const squeezed = (text: string) => text.replaceAll(INVISIBLE, '').toLowerCase();

function readable(context: z.core.ParsePayload<string>): void {
  // Whoever agrees to an instruction must see all that a model reads of it.
  if (visibleText(context.value) !== context.value.toWellFormed()) {
    context.issues.push({
      code: 'custom',
      message: 'must not contain characters that nobody sees',
      input: context.value,
    });
  }
  const text = squeezed(context.value);
  const found = ENGINE_WORDS.find((words) => text.includes(squeezed(words)));
  if (found === undefined) return;
  context.issues.push({ code: 'custom', message: `must not contain "${found}", a mark of the engine`, input: text });
}

/** Refuses what says the same as an earlier one. */
function withoutRepeats<T>(nameOf: (item: T) => string, field: readonly string[]) {
  return (context: z.core.ParsePayload<T[]>): void => {
    const names = context.value.map((item) => comparable(nameOf(item)));
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const path = [index, ...field];
      context.issues.push({ code: 'custom', message: 'stands there already', path, input: context.value[index] });
    }
  };
}

const atMost = `must be at most ${MAX_ENTRIES}`;
const rule = requiredLine(MAX_LINE_CHARS).check(readable);
const word = z.strictObject({
  term: requiredLine(MAX_TERM_CHARS).check(readable),
  meaning: requiredLine(MAX_LINE_CHARS).check(readable),
});
const inputSchema = z.strictObject({
  voice: prose(MAX_VOICE_CHARS).trim().check(readable),
  glossary: z.array(word).max(MAX_ENTRIES, atMost).check(withoutRepeats(({ term }) => term, ['term'])), // prettier-ignore
  rules: z
    .array(rule)
    .max(MAX_ENTRIES, atMost)
    .check(withoutRepeats((text) => text, [])),
});

/**
 * @param countTokens in whatever vocabulary the requests are counted in
 * @throws InvalidInputError naming each wrong field, or what to shorten
 */
export function checkStandingInstructions(input: unknown, countTokens: (text: string) => number): StandingInstructions {
  const checked = checkInput(inputSchema, input, 'The standing instructions');
  const tokens = countTokens(standingText(checked));
  if (tokens > MAX_STANDING_TOKENS) throw tooLong(checked, tokens, countTokens);
  return checked;
}

const number = (value: number) => value.toLocaleString('en-US');

/** Says what they cost, from half of what they may take on: a conversation has so much less room. */
export function costNotes(tokens: number): WriteNotes {
  if (tokens < MAX_STANDING_TOKENS / 2) return {};
  const cost = `${number(tokens)} of at most ${number(MAX_STANDING_TOKENS)} tokens, in every request`;
  return { notes: [`The standing instructions take ${cost}: conversations have so much less room.`] };
}

function tooLong(instructions: StandingInstructions, tokens: number, countTokens: (text: string) => number) {
  const longest = partsOf(instructions)
    .map((part) => ({ ...part, tokens: countTokens(part.text) }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, 3);
  const named = longest.map((part) => `${part.name} (${number(part.tokens)})`);
  return new InvalidInputError(
    `The standing instructions take ${number(tokens)} tokens of every request, and at most ${number(MAX_STANDING_TOKENS)} are allowed. The longest are ${named.join(', ')}: shorten them.`,
    {
      details: { issues: longest.map(({ path, tokens: part }) => ({ path, message: `takes ${number(part)} tokens` })) },
    },
  );
}

function partsOf({ voice, glossary, rules }: StandingInstructions) {
  return [
    { name: 'the voice', path: 'voice', text: voice },
    ...glossary.map(({ term, meaning }, index) => ({
      name: `the word "${term}"`,
      path: `glossary.${index}.meaning`,
      text: `${term}: ${meaning}`,
    })),
    ...rules.map((text, index) => ({ name: `rule ${index + 1}`, path: `rules.${index}`, text })),
  ];
}

/** A text as it is compared with others: without case, outer punctuation and doubled spaces. */
export function comparable(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[’‘]/g, "'")
      .replaceAll(/[“”]/g, '"')
      .replaceAll(/\s+/g, ' ')
      // The look back keeps it from trying each character of a row that stands in the middle.
      .replaceAll(/^[\s"'.!,;:-]+|(?<![\s"'.!,;:-])[\s"'.!,;:-]+$/g, '')
  );
}

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
function stanceOf(sentence: string): 'for' | 'against' {
  return FORBIDS.test(comparable(sentence)) ? 'against' : 'for';
}

function subjectOf(sentence: string): string {
  return comparable(comparable(sentence).replace(FORBIDS, ' ').replaceAll(DEMANDS, ' '));
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
