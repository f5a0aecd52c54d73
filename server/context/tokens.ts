import { createRequire } from 'node:module';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { createBoundedCache } from '#server/core/bounded-map';
import type { CountTokens } from '#server/core/text/excerpt';

/** Longest text that is given to the tokenizer in one call, in UTF-16 code units. */
export const SLICE_LENGTH = 1024;

/**
 * Longest run of one kind (letters, spaces, other signs) that is given to the tokenizer in one call. Its merge loop is
 * quadratic in the length of an unbroken word (100,000 letters take 7 s). Spaces merge quickly into long tokens.
 */
const LONGEST_RUN = { letter: 64, space: 512, sign: 64 };

/** Length up to which an unbroken run is counted exactly; a longer one is not natural language. */
const MAX_EXACT_RUN = 8_192;
/** Of the further slices of a longer run, one in this many is counted and extrapolated. */
const SAMPLE_INTERVAL = 4;

/**
 * Tokens of a text in a vocabulary, before the factor of a model. In an unbroken run each piece of 64 characters may
 * count one token more than the tokenizer would; beyond 8,192 characters the count is an estimate.
 */
export function countTokens(text: string, vocabulary: Vocabulary = STORED_VOCABULARY): number {
  const count = sliceCounter(vocabulary);
  let tokens = 0;
  let sampled = 0;
  for (const slice of slices(text)) {
    if (slice.run <= MAX_EXACT_RUN) tokens += count(slice.text);
    else if (sampled++ % SAMPLE_INTERVAL === 0) tokens += SAMPLE_INTERVAL * count(slice.text);
  }
  return tokens;
}

/**
 * The text in pieces that are short enough for the tokenizer. `run`: length of the unbroken run in which a piece ends,
 * otherwise 0.
 */
export function* slices(text: string): Generator<{ readonly text: string; readonly run: number }> {
  let start = 0;
  let runStart = 0;
  let run: keyof typeof LONGEST_RUN | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const kind = kindOf(text.charCodeAt(index));
    if (kind !== run) {
      runStart = index;
      run = kind;
    }
    const isLongRun = index - Math.max(runStart, start) >= LONGEST_RUN[kind];
    if (!isLongRun && index - start < SLICE_LENGTH) continue;
    // The token of a word includes the space before it.
    const wordStart = kind !== 'space' && text[runStart - 1] === ' ' ? runStart - 1 : runStart;
    const end = isLongRun || wordStart <= start ? index : wordStart;
    yield { text: text.slice(start, end), run: end === index ? end - runStart : 0 };
    start = end;
  }
  if (start < text.length) yield { text: text.slice(start), run: start > runStart ? text.length - runStart : 0 };
}

/** Kind of a character, by its UTF-16 code unit. */
function kindOf(code: number): keyof typeof LONGEST_RUN {
  if (code <= 0x20) return 'space';
  const isAsciiLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  // Punctuation of Chinese and Japanese, which do not use spaces.
  const isWideSign = (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f) || code >= 0xff00;
  return isAsciiLetter || (code >= 0x80 && !isWideSign) ? 'letter' : 'sign';
}

/** Counts of texts that are part of every request; a session has two or three of them. */
const remembered = createBoundedCache<number>(100);

/** `countTokens` with a cache, for texts that every step sends again (instructions, tool schemas, a summary). */
export function countRecurringTokens(text: string, vocabulary: Vocabulary = STORED_VOCABULARY): number {
  return remembered(`${vocabulary} ${text}`, () => countTokens(text, vocabulary));
}

/** A tokenizer's vocabulary: `o200k_base` of OpenAI's newer models, `cl100k_base` of GPT-4 and GPT-3.5. */
export type Vocabulary = 'o200k_base' | 'cl100k_base';

/** The vocabulary of all stored counts, and of models whose own is not known. */
export const STORED_VOCABULARY: Vocabulary = 'o200k_base';

/** Matches models with the older vocabulary: not 4o, 4.1 and 4.5. */
const CL100K_MODEL = /^(?:(?:openai|azure)\/)?gpt-(?:3[.-]?5|4)(?:$|:|@|-(?![15](?:$|[-:@])))/i;

/** The vocabulary of a model, by its id in any form. */
export const vocabularyOf = (modelId: string): Vocabulary =>
  CL100K_MODEL.test(modelId) ? 'cl100k_base' : STORED_VOCABULARY;

/** Option of the tokenizer: special tokens are plain text; by default it throws. */
const SPECIAL_AS_TEXT = { disallowedSpecial: new Set<string>() };

/** The tokenizers that are loaded. */
const counters: Partial<Record<Vocabulary, typeof countO200k>> = { o200k_base: countO200k };

/** Counts one slice in a vocabulary. The older vocabulary takes 30 MB, so it is loaded on demand. */
function sliceCounter(vocabulary: Vocabulary): CountTokens {
  // Counting is synchronous, and so is `require`; the package is not bundled (next.config.ts).
  const load = createRequire(import.meta.url);
  counters[vocabulary] ??= (
    load('gpt-tokenizer/encoding/cl100k_base') as { countTokens: typeof countO200k }
  ).countTokens;
  const count = counters[vocabulary];
  return (text) => count(text, SPECIAL_AS_TEXT);
}
