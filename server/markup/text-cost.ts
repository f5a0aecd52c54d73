/**
 * A piece of running text as micromark represents it: characters, or the code of a tab or line break; null at the end.
 */
type Chunk = string | number | null;

/** Codes of micromark below that of a tab are line breaks. */
const TAB = -2;

/* Weights in steps of about 25 ns of micromark's time (docs/decisions/037-parsers-with-limits.md); `tests/integration/hurtful-texts.test.ts`
   checks the limits that follow from them. */

/** A character that could begin or end a construct (emphasis, code, a link) becomes a separate token. */
const STEPS_PER_SIGN = 200;
/** A word: it may be the local part of an email address. */
const STEPS_PER_WORD = 100;
/** Text that looks like an address, which becomes a link. */
const STEPS_PER_ADDRESS = 2_000;
/** At each possible start of an address the parser searches backwards for an open bracket, past each event since it. */
const STEPS_PER_LOOK_BACK = 1;
/** An event that moves up in the list when earlier tokens are merged. */
const STEPS_PER_MOVE = 0.2;

const EVENTS_PER_TOKEN = 2;
/** Escapes and entities. */
const EVENTS_PER_ESCAPE = 6;

const EMPHASIS = new Set('*_~');
const MARKS = new Set(']<');
const SIGNS = new Set('!"\'()*,-.:;<?[]_~&@+`\\');
const ESCAPES = new Set('\\&');
/** In code and HTML, brackets are text. */
const QUOTES = new Set('`<');
const LETTER = /[a-z]/i;
/** Characters of the local part of email addresses. */
const NAME = /[a-z\d+\-._]/i;
const BEFORE_NAME = /[a-z\d+\-._/]/i;
const ADDRESS = /@|www\.|:\/\//gi;
const ADDRESS_STARTS = new Set('wWhH');

/** Estimates the steps of micromark (some 25 ns each) for one running text: a paragraph, a heading, a cell. */
export class TextCost {
  #length = 0;
  /** Number of marks: each is compared with all earlier marks, or searches the text after it. */
  #marks = 0;
  #signs = 0;
  #wordStarts = 0;
  #addresses = 0;
  #emphasis = 0;
  /**
   * Characters since the last space, and those among them where an address could end: the parser checks again at each.
   */
  #word = { length: 0, stops: 0 };
  #words = 0;
  #events = 0;
  /**
   * Brackets that may still be open: the number of events before each, and whether its closing bracket may be in code
   * or HTML.
   */
  readonly #open: { readonly events: number; isUnsure: boolean }[] = [];
  #lookedAt = 0;
  /** Plain words since a line break or an escape: their tokens are merged at the end. */
  #run = { length: 0, tokens: 0 };
  #merges = 0;
  #last = '';

  /** Adds the next piece of the text. */
  add(chunk: Chunk): void {
    this.#length += typeof chunk === 'string' ? chunk.length : 1;
    if (typeof chunk === 'string') {
      this.#addresses += chunk.match(ADDRESS)?.length ?? 0;
      for (const character of chunk) this.#addCharacter(character);
      return;
    }
    this.#endWord();
    if (chunk !== null && chunk < TAB) this.#endRun(EVENTS_PER_TOKEN);
  }

  #addCharacter(character: string): void {
    if (character === ' ') this.#endWord();
    else this.#word.length += 1;
    const isEmphasis = EMPHASIS.has(character);
    if (isEmphasis) this.#emphasis += 1;
    // Consecutive stars are one mark.
    if (MARKS.has(character) || ((isEmphasis || character === '`') && character !== this.#last)) this.#marks += 1;
    this.#addToken(character);
    this.#run.length += 1;
    if (ESCAPES.has(character)) this.#endRun(EVENTS_PER_ESCAPE);
    const isEscaped = this.#last === '\\';
    if (!isEscaped) this.#addBracket(character);
    // An escaped backslash escapes nothing.
    this.#last = isEscaped && character === '\\' ? '' : character;
  }

  #addToken(character: string): void {
    const isSign = SIGNS.has(character);
    const isNameStart = NAME.test(character) && !BEFORE_NAME.test(this.#last);
    const isAddressStart = ADDRESS_STARTS.has(character) && !LETTER.test(this.#last);
    if (isSign) {
      this.#signs += 1;
      this.#word.stops += 1;
    } else if (isNameStart || isAddressStart) this.#wordStarts += 1;
    if (!isSign && !isNameStart && !isAddressStart) return;
    this.#events += EVENTS_PER_TOKEN;
    if (this.#run.length > 0) this.#run.tokens += 1;
    const [first] = this.#open;
    if (first !== undefined)
      this.#lookedAt += (this.#events - first.events) * (Number(isNameStart) + Number(isAddressStart));
  }

  #addBracket(character: string): void {
    const last = this.#open.at(-1);
    if (character === '[') this.#open.push({ events: this.#events, isUnsure: false });
    else if (character === ']' && last?.isUnsure === false) this.#open.pop();
    else if (QUOTES.has(character) && last !== undefined) last.isUnsure = true;
  }

  #endWord(): void {
    this.#words += this.#word.length * this.#word.stops;
    this.#word = { length: 0, stops: 0 };
    this.#last = '';
  }

  #endRun(events: number): void {
    this.#events += events;
    if (this.#run.tokens > 0) this.#merges += 1;
    this.#run = { length: 0, tokens: 0 };
  }

  /** Number of characters that could begin or end emphasis: each may nest in the previous one. */
  get emphasis(): number {
    return this.#emphasis;
  }

  /** Estimated steps for the text that was added so far. */
  get steps(): number {
    const words = this.#words + this.#word.length * this.#word.stops;
    const tokens =
      this.#signs * STEPS_PER_SIGN + this.#wordStarts * STEPS_PER_WORD + this.#addresses * STEPS_PER_ADDRESS;
    // On average, half of the events come after the position.
    const moved = (this.#merges * this.#events) / 2;
    return this.#length * this.#marks + tokens + words + this.#lookedAt * STEPS_PER_LOOK_BACK + moved * STEPS_PER_MOVE;
  }
}
