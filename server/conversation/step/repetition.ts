/**
 * Number of consecutive repetitions that end an answer: tables and lists repeat a line, but no text repeats a passage
 * eight times.
 */
const MOST_REPEATS = 8;
/** Characters of the shortest passage that counts; a shorter one is counted together with its repetitions. */
const SHORTEST = 40;
/** Characters of the longest passage that is recognized. */
const LONGEST = 2_000;
/** Characters between two checks. */
const LOOK_EVERY = 20;
/** Number of positions that are tried as the start of a passage. */
const MOST_CANDIDATES = 8;
const KEPT = LONGEST * MOST_REPEATS + LOOK_EVERY * 2;

/** Detects a text that repeats the same passage, as small models do without end. */
export class RepetitionWatch {
  #text = '';
  #unseen = 0;

  /**
   * Adds the next piece. @returns number of characters to remove from the end so that the passage occurs once; 0: no
   * repetition
   */
  add(piece: string): number {
    this.#text += piece;
    if (this.#text.length > KEPT * 2) this.#text = this.#text.slice(-KEPT);
    this.#unseen += piece.length;
    if (this.#unseen < LOOK_EVERY) return 0;
    this.#unseen = 0;
    return surplusOf(this.#text);
  }
}

function surplusOf(text: string): number {
  const tail = text.slice(-SHORTEST);
  let at = text.length - SHORTEST;
  for (let tried = 0; tried < MOST_CANDIDATES && at >= SHORTEST; tried += 1) {
    at = text.lastIndexOf(tail, at - (tried === 0 ? SHORTEST : 1));
    if (at === -1) return 0;
    const length = text.length - SHORTEST - at;
    if (length > LONGEST || length * MOST_REPEATS > text.length) return 0;
    if (isRepeated(text, length)) return text.length - length - beginningOf(text, length);
  }
  return 0;
}

function isRepeated(text: string, length: number): boolean {
  const run = text.slice(-length * MOST_REPEATS);
  return run.slice(length) === run.slice(0, -length);
}

/** The position where the repeated text begins. */
function beginningOf(text: string, length: number): number {
  let at = text.length - length * MOST_REPEATS;
  while (at > 0 && text[at - 1] === text[at - 1 + length]) at -= 1;
  return at;
}
