import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { parseJson } from '#server/core/json';

/*
 * An event of a streamed answer costs the SDK the same whether it holds a letter or a page: it is parsed, checked and
 * handed through a dozen streams. Where several have arrived at once, neighbours that only go on with the same text
 * become one event. Nothing is held back for it, and whatever else an event says goes through as it came.
 */

/**
 * Characters from which on an event takes no more text, about 500 tokens: whoever cuts an answer at the edge of the
 * window does so between two events.
 */
const MOST_TEXT = 2_000;

/** Fields of a piece that hold text which goes on from piece to piece. */
const TEXTS = ['content', 'reasoning', 'reasoning_content'] as const;

const eventSchema = z.looseObject({
  choices: z.tuple([z.looseObject({ index: z.number().optional(), delta: z.record(z.string(), z.unknown()) })]),
});

/** An event of the chat completions format that holds a piece of text and nothing else. */
interface Piece {
  readonly event: z.infer<typeof eventSchema>;
  readonly field: (typeof TEXTS)[number];
  readonly text: string;
  /** Everything beside the text: pieces are joined only where it is equal. */
  readonly rest: string;
}

/** Joins what can be joined of an event stream that arrives in pieces. */
export class MergedEvents {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  /** An event whose end has not arrived. */
  #open = '';
  /** The stream has other ends of lines: it goes through as it comes. */
  #isForeign = false;

  /** Gives the whole events of what has arrived by now; empty where there are none. */
  take(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#isForeign ||= text.includes('\r');
    const end = this.#isForeign ? text.length : this.#endIn(text);
    if (end === 0) {
      this.#open += text;
      return this.#encoder.encode('');
    }
    const whole = this.#open + text.slice(0, end);
    this.#open = text.slice(end);
    return this.#encoder.encode(merged(whole));
  }

  /** Gives what is left where the stream ends in the middle of an event. */
  rest(): Uint8Array<ArrayBuffer> {
    return this.#encoder.encode(this.#open + this.#decoder.decode());
  }

  /** Position behind the last empty line, which may have begun in what came before; 0: there is none. */
  #endIn(text: string): number {
    const at = text.lastIndexOf('\n\n');
    if (at >= 0) return at + 2;
    return text.startsWith('\n') && this.#open.endsWith('\n') ? 1 : 0;
  }
}

function merged(text: string): string {
  const events = text.split('\n\n');
  // What stands behind the last empty line: nothing, but in streams with other ends of lines.
  const last = events.pop() ?? '';
  if (events.length < 2) return text;
  let out = '';
  let open = null as Piece | null;
  for (const event of events) {
    const piece = pieceOf(event);
    if (open && piece?.rest === open.rest && open.text.length < MOST_TEXT) {
      open = { ...open, text: open.text + piece.text };
      continue;
    }
    if (open) out += written(open);
    open = piece;
    if (!piece) out += `${event}\n\n`;
  }
  return out + (open ? written(open) : '') + last;
}

function written({ event, field, text }: Piece): string {
  const [choice] = event.choices;
  return `data: ${JSON.stringify({ ...event, choices: [{ ...choice, delta: { ...choice.delta, [field]: text } }] })}\n\n`;
}

/** Null for every event that says more than that a text goes on. */
function pieceOf(line: string): Piece | null {
  if (!line.startsWith('data: {') || line.includes('\n')) return null;
  const { data: event } = eventSchema.safeParse(parseJson(line.slice('data: '.length)));
  if (!event || !isBlank(event['usage']) || !isBlank(event['error'])) return null;
  // Time and padding of each event say nothing of the answer.
  const { choices, created: _created, obfuscation: _padding, ...envelope } = event;
  const { delta, index, ...endings } = choices[0];
  if (!Object.values(endings).every(isBlank)) return null;
  const said = Object.entries(delta).filter(([name, value]) => name !== 'role' && !isBlank(value));
  const [field, text] = said[0] ?? [];
  if (said.length !== 1 || typeof text !== 'string' || !isText(field)) return null;
  return { event, field, text, rest: JSON.stringify([field, index, envelope]) };
}

const isText = (field: string | undefined): field is Piece['field'] =>
  (TEXTS as readonly (string | undefined)[]).includes(field);

/** True for a value that is as good as left out. */
const isBlank = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Time over which the load is measured; milliseconds. */
const WINDOW_MS = 100;
/** Share of the time that work took, from which on the processor counts as busy: below it, waiting gains nothing. */
const BUSY_FROM = 0.7;
/** Pauses between two pieces of one answer, just busy and with nothing left; milliseconds. */
const SHORTEST_PAUSE_MS = 30;
const LONGEST_PAUSE_MS = 250;

let measuredAt = performance.now();
let measured = performance.eventLoopUtilization();
let share = 0;

/** Share of its time that this process's one thread for all requests has worked of late, 0 to 1. */
function load(): number {
  const now = performance.now();
  if (now - measuredAt < WINDOW_MS) return share;
  const whole = performance.eventLoopUtilization();
  share = performance.eventLoopUtilization(whole, measured).utilization;
  measured = whole;
  measuredAt = now;
  return share;
}

/**
 * Milliseconds to let pieces of an answer gather before they are handled together; 0 while there is time for each. A
 * piece costs nearly the same whether it is a word or a paragraph, so under load fewer and larger ones leave room for
 * first words and short requests.
 */
export function gatheringMs(): number {
  const busy = (load() - BUSY_FROM) / (1 - BUSY_FROM);
  return busy <= 0 ? 0 : SHORTEST_PAUSE_MS + busy * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
}
