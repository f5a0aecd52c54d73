import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { parseJson } from '#server/core/json';

/* An event of a streamed response costs the SDK the same for a letter as for a page: it is parsed, checked and passed
   through a dozen streams. If several events have arrived together, neighbours that only continue the same text are
   merged into one. No event is delayed for it, and all other content of events passes unchanged. */

/**
 * Characters above which no more text is added to an event, about 500 tokens: cuts at the limit of the context window
 * are made between two events.
 */
const MAX_EVENT_CHARS = 2_000;

/** Fields with text that continues from piece to piece. */
const TEXTS = ['content', 'reasoning', 'reasoning_content'] as const;

const eventSchema = z.looseObject({
  choices: z.tuple([z.looseObject({ index: z.number().optional(), delta: z.record(z.string(), z.unknown()) })]),
});

/** An event of the chat completions format that contains a piece of text and nothing else. */
interface Piece {
  readonly event: z.infer<typeof eventSchema>;
  readonly field: (typeof TEXTS)[number];
  readonly text: string;
  /** Everything except the text: pieces are merged only if it is equal. */
  readonly rest: string;
}

/** Merges events of a stream that arrives in pieces. */
export class MergedEvents {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  /** An event whose end has not arrived yet. */
  #open = '';
  /** The stream has other line ends: it passes unchanged. */
  #isForeign = false;

  /** Returns the complete events that have arrived; empty if none have. */
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

  /** Returns the remainder if the stream ends in the middle of an event. */
  rest(): Uint8Array<ArrayBuffer> {
    return this.#encoder.encode(this.#open + this.#decoder.decode());
  }

  /** Position after the last empty line, which may have started in an earlier piece; 0: not found. */
  #endIn(text: string): number {
    const at = text.lastIndexOf('\n\n');
    if (at >= 0) return at + 2;
    return text.startsWith('\n') && this.#open.endsWith('\n') ? 1 : 0;
  }
}

function merged(text: string): string {
  const events = text.split('\n\n');
  // The text after the last empty line: empty, except in streams with other line ends.
  const last = events.pop() ?? '';
  if (events.length < 2) return text;
  let out = '';
  let open = null as Piece | null;
  for (const event of events) {
    const piece = pieceOf(event);
    if (open && piece?.rest === open.rest && open.text.length < MAX_EVENT_CHARS) {
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

/** Null for every event that contains more than a continuation of text. */
function pieceOf(line: string): Piece | null {
  if (!line.startsWith('data: {') || line.includes('\n')) return null;
  const { data: event } = eventSchema.safeParse(parseJson(line.slice('data: '.length)));
  if (!event || !isBlank(event['usage']) || !isBlank(event['error'])) return null;
  // Time and padding of an event are irrelevant.
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

/** True for a value that counts as omitted. */
const isBlank = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Period over which the load is measured; milliseconds. */
const WINDOW_MS = 100;
/** Share of working time above which the processor counts as busy: below it, waiting brings no benefit. */
const BUSY_FROM = 0.7;
/** Pauses between two pieces of one response, at the start of load and at full load; milliseconds. */
const SHORTEST_PAUSE_MS = 30;
const LONGEST_PAUSE_MS = 250;

let measuredAt = performance.now();
let measured = performance.eventLoopUtilization();
let share = 0;

/**
 * Share of recent time during which the main thread of this process, which serves all requests, was working, 0 to 1.
 */
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
 * Milliseconds for which pieces of a response are collected and then handled together; 0 while each can be handled
 * alone. A piece costs nearly the same whether it is a word or a paragraph, so under load fewer and larger ones leave
 * time for first tokens and short requests.
 */
export function gatheringMs(): number {
  const busy = (load() - BUSY_FROM) / (1 - BUSY_FROM);
  return busy <= 0 ? 0 : SHORTEST_PAUSE_MS + busy * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
}
