import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { checkInput } from '#server/site/check-input';
import type { StandingInstructions } from '#server/core/site/standing-instructions';
import type { WriteNotes } from '#server/core/site/changes';
import { NOTE_LABEL, SUMMARY_LABEL } from '#server/core/conversation/labels';
import { STANDING_TAG, standingText } from '#server/core/site/standing-text';
import { InvalidInputError } from '#server/core/errors';
import { prose, requiredLine } from '#server/core/text/safe-text';
import { visibleText } from '#server/core/text/visible-text';
import { serverText } from '#server/core/messages/server-text';
import { comparableText } from '#server/site/text/comparable-text';
import { notesFrom } from '#server/core/message-data';

/** Standing instructions of a new site. */
export const NO_STANDING_INSTRUCTIONS: StandingInstructions = { voice: '', glossary: [], rules: [] };

/** Token limit of all standing instructions together, which are sent with every request. */
export const MAX_STANDING_TOKENS = 1_500;

/** Largest number of glossary terms, and of rules. */
const MAX_ENTRIES = 60;
const MAX_VOICE_CHARS = 4_000;
const MAX_TERM_CHARS = 80;
const MAX_LINE_CHARS = 400;

/** Markers that only the engine may write to a model. */
const ENGINE_WORDS = [SUMMARY_LABEL, NOTE_LABEL, `<${STANDING_TAG}`, `</${STANDING_TAG}`];

/** Spaces and invisible characters, which could hide an engine marker from people but not from a model. */
const INVISIBLE = /[\s\p{Cf}]+/gu;
const squeezed = (text: string) => text.replaceAll(INVISIBLE, '').toLowerCase();

function checkReadable(context: z.core.ParsePayload<string>): void {
  // A person who approves an instruction must see all that a model reads of it.
  if (visibleText(context.value) !== context.value.toWellFormed()) {
    context.issues.push({
      code: 'custom',
      message: valueRules.invisible,
      input: context.value,
    });
  }
  const text = squeezed(context.value);
  const found = ENGINE_WORDS.find((words) => text.includes(squeezed(words)));
  if (found === undefined) return;
  const problem = serverText('engine-mark', { text: found });
  context.issues.push({ code: 'custom', message: problem.text, params: { problem }, input: text });
}

/** Refuses items that repeat an earlier one. */
function withoutRepeats<T>(nameOf: (item: T) => string, field: readonly string[]) {
  return (context: z.core.ParsePayload<T[]>): void => {
    const names = context.value.map((item) => comparableText(nameOf(item)));
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const path = [index, ...field];
      context.issues.push({ code: 'custom', message: valueRules.repeated, path, input: context.value[index] });
    }
  };
}

const atMost = `must be at most ${MAX_ENTRIES}`;
const rule = requiredLine(MAX_LINE_CHARS).check(checkReadable);
const word = z.strictObject({
  term: requiredLine(MAX_TERM_CHARS).check(checkReadable),
  meaning: requiredLine(MAX_LINE_CHARS).check(checkReadable),
});
const inputSchema = z.strictObject({
  voice: prose(MAX_VOICE_CHARS).trim().check(checkReadable),
  glossary: z.array(word).max(MAX_ENTRIES, atMost).check(withoutRepeats(({ term }) => term, ['term'])), // oxfmt-ignore
  rules: z
    .array(rule)
    .max(MAX_ENTRIES, atMost)
    .check(withoutRepeats((text) => text, [])),
});

/**
 * Checks standing instructions: lengths, invisible characters, marks of the engine, repetitions, and total tokens.
 * @param countTokens counts with the tokenizer of the requests
 * @throws InvalidInputError that names each wrong field, or what to shorten
 */
export function checkStandingInstructions(input: unknown, countTokens: (text: string) => number): StandingInstructions {
  const checked = checkInput(inputSchema, input, 'The standing instructions');
  const tokens = countTokens(standingText(checked));
  if (tokens > MAX_STANDING_TOKENS) throw tooLong(checked, tokens, countTokens);
  return checked;
}

const number = (value: number) => value.toLocaleString('en-US');

/** States the token cost, from half of the limit upwards, because these tokens are missing in every conversation. */
export function costNotes(tokens: number): WriteNotes {
  if (tokens < MAX_STANDING_TOKENS / 2) return {};
  return notesFrom([serverText('standing-cost', { tokens, max: MAX_STANDING_TOKENS })]);
}

function tooLong(instructions: StandingInstructions, tokens: number, countTokens: (text: string) => number) {
  const longest = partsOf(instructions)
    .map((part) => ({ ...part, tokens: countTokens(part.text) }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, 3);
  const named = longest.map((part) => `${part.name} (${number(part.tokens)})`).join(', ');
  return new InvalidInputError(serverText('standing-too-long', { tokens, max: MAX_STANDING_TOKENS, longest: named }), {
    details: { issues: longest.map(({ path, tokens: part }) => ({ path, message: `takes ${number(part)} tokens` })) },
  });
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
