import type { TextStreamPart, ToolSet } from 'ai';
import { countTokens } from '#server/context/tokens';
import { STORED_VOCABULARY, type Vocabulary } from '#server/context/counting/vocabulary';

/** Characters that are counted together: a word in pieces would cost more than the word. */
const BATCH_CHARS = 500;
/** A token is one byte at least; a UTF-16 unit is three of UTF-8 at most. */
const MOST_TOKENS_PER_CHAR = 3;

/** Counts what a step has streamed and says when request and output together have reached the limit. */
export class OutputWatch {
  readonly #room: number;
  readonly #factor: number;
  readonly #vocabulary: Vocabulary;
  #counted = 0;
  #pending = '';

  /**
   * @param room tokens between the request and the real-time limit
   * @param factor what a token of our count is in the model's
   * @param vocabulary the model's; default: the stored one
   */
  constructor(room: number, factor: number, vocabulary: Vocabulary = STORED_VOCABULARY) {
    this.#room = room;
    this.#factor = factor;
    this.#vocabulary = vocabulary;
  }

  /** Output so far (text, reasoning, tool input), in the model's tokens. */
  get tokens(): number {
    return Math.ceil((this.#counted + countTokens(this.#pending, this.#vocabulary)) * this.#factor);
  }

  /** Takes in one part of the stream; true once the limit is reached. */
  add(part: TextStreamPart<ToolSet>): boolean {
    const text = outputOf(part);
    if (text === '') return false;
    this.#pending += text;
    if (this.#pending.length >= BATCH_CHARS) {
      this.#counted += countTokens(this.#pending, this.#vocabulary);
      this.#pending = '';
    }
    // Counting is what costs here: where it cannot matter yet, it is left out.
    const most = this.#counted + this.#pending.length * MOST_TOKENS_PER_CHAR;
    return Math.ceil(most * this.#factor) >= this.#room && this.tokens >= this.#room;
  }
}

function outputOf(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text;
  return part.type === 'tool-input-delta' ? part.delta : '';
}
