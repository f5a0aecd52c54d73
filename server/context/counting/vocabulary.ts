import { createRequire } from 'node:module';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

/** A tokenizer's vocabulary: `o200k_base` of OpenAI's newer models, `cl100k_base` of GPT-4 and GPT-3.5. */
export type Vocabulary = 'o200k_base' | 'cl100k_base';

/** The one that everything stored is counted in, and every model whose own is not known. */
export const STORED_VOCABULARY: Vocabulary = 'o200k_base';

/** Not 4o, 4.1 and 4.5: those have the newer vocabulary. */
const CL100K_MODEL = /^(?:(?:openai|azure)\/)?gpt-(?:3[.-]?5|4)(?:$|:|@|-(?![15](?:$|[-:@])))/i;

/** The vocabulary that a model's tokens are counted in, by its id in any form. */
export function vocabularyOf(modelId: string): Vocabulary {
  return CL100K_MODEL.test(modelId) ? 'cl100k_base' : STORED_VOCABULARY;
}

/** Counts one slice; special tokens in it are plain text. */
type SliceCounter = (text: string) => number;

/** The tokenizer's default is to throw on special tokens. */
const SPECIAL_AS_TEXT = { disallowedSpecial: new Set<string>() };

const counters: Record<Vocabulary, SliceCounter | null> = {
  o200k_base: (text) => countO200k(text, SPECIAL_AS_TEXT),
  cl100k_base: null,
};

/** Counts in a vocabulary; the older one takes 30 MB, so it is loaded when a model needs it. */
export function sliceCounter(vocabulary: Vocabulary): SliceCounter {
  return (counters[vocabulary] ??= loadCl100k());
}

function loadCl100k(): SliceCounter {
  // Counting is synchronous, and so is `require`; the package is not bundled (next.config.ts).
  const load = createRequire(import.meta.url);
  const { countTokens } = load('gpt-tokenizer/encoding/cl100k_base') as { countTokens: typeof countO200k };
  return (text) => countTokens(text, SPECIAL_AS_TEXT);
}
