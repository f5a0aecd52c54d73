/* Counts the values of JSON without parsing it. The constants are ASCII codes. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACE = 0x7b;
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d;
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Position where a search ended: the end of the data if nothing was found. */
const endOf = (found: number, { length }: Uint8Array) => (found < 0 ? length : found);

/**
 * Counts the values of a JSON text while its bytes arrive: objects, arrays and everything in them; field names are not
 * counted. Invalid JSON is counted in the same way and refused later by the parser. The number of values, not of bytes,
 * decides how much memory and time the parsed body takes: 8 MB of `{}` make 3 million objects.
 */
export class JsonValueCounter {
  #count = 1;
  #isInString = false;
  #isEscaped = false;
  /**
   * True if the last byte other than white space opened an array or object, which is empty if the next one closes it.
   */
  #isFresh = false;
  #depth = 0;
  #deepest = 0;
  /** Commas so far in each open array or object, by depth. */
  readonly #commas: number[] = [];
  #mostFields = 0;

  /** Values so far, at least 1. */
  get count(): number {
    return this.#count;
  }

  /** Deepest nesting of arrays and objects so far. */
  get deepest(): number {
    return this.#deepest;
  }

  /** Fields of the largest object so far; 0 if none has two. */
  get mostFields(): number {
    return this.#mostFields;
  }

  /** Reads the next piece of the text. */
  add(bytes: Uint8Array): void {
    let count = this.#count;
    let isInString = this.#isInString;
    let isEscaped = this.#isEscaped;
    let isFresh = this.#isFresh;
    let depth = this.#depth;
    let deepest = this.#deepest;
    const commas = this.#commas;
    // Strings are skipped by native searches. The position of the next backslash is kept between strings: otherwise
    // each of many short strings would search far.
    let backslash = -2;
    for (let at = 0; at < bytes.length; at += 1) {
      if (isInString) {
        if (isEscaped) {
          isEscaped = false;
          continue;
        }
        const quote = endOf(bytes.indexOf(QUOTE, at), bytes);
        if (backslash < at) backslash = endOf(bytes.indexOf(BACKSLASH, at), bytes);
        at = Math.min(quote, backslash);
        if (at === backslash) isEscaped = at < bytes.length;
        else isInString = false;
        continue;
      }
      const byte = bytes[at]!;
      if (isSpace(byte)) continue;
      if (isClosing(byte)) {
        depth -= 1;
        if (isFresh) count -= 1;
      }
      isFresh = isOpening(byte);
      if (isFresh) {
        depth += 1;
        if (depth > deepest) deepest = depth;
        // Negative in arrays, whose items are not counted. Invalid JSON may close more than it opens.
        if (depth > 0) commas[depth] = byte === BRACE ? 0 : -Infinity;
      }
      if (isFresh || byte === COMMA) count += 1;
      if (byte === COMMA && depth > 0) {
        const fields = (commas[depth] ?? -Infinity) + 1;
        commas[depth] = fields;
        if (fields >= this.#mostFields) this.#mostFields = fields + 1;
      } else if (byte === QUOTE) isInString = true;
    }
    this.#count = count;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    this.#isFresh = isFresh;
    this.#depth = depth;
    this.#deepest = deepest;
  }
}
