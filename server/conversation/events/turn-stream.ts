import { createUIMessageStreamResponse, type UIMessageChunk } from 'ai';
import { HEARTBEAT_MS } from '#server/core/conversation/events';

/** Deltas of one text that arrive within this time are sent as one; milliseconds. One frame of a screen with 60 Hz. */
const COALESCE_MS = 16;

/**
 * The chunks of one running turn: late readers get a replay from the start, then follow live. Publishing never waits
 * for a reader, and nothing is queued per reader: a slow reader continues in the replay, where a text is one chunk.
 */
export class TurnStream {
  /** Consecutive deltas of one text are merged here, so that the log is no larger than the answer. */
  readonly #log: UIMessageChunk[] = [];
  readonly #readers = new Set<TurnReader>();
  /** Text that arrived since the last delta was sent. */
  #pending: Delta | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  /** Range of the log that repeats what an earlier run of the turn has streamed; `to` is Infinity while it is added. */
  readonly #repeated = { from: 0, to: 0 };

  /** Publishes what an earlier run of this turn has streamed. Readers that continue that answer do not get it. */
  repeat(chunks: readonly UIMessageChunk[]): void {
    this.#flush();
    Object.assign(this.#repeated, { from: this.#log.length, to: Number.POSITIVE_INFINITY });
    for (const chunk of chunks) this.publish(chunk);
    this.#flush();
    this.#repeated.to = this.#log.length;
  }

  publish(chunk: UIMessageChunk): void {
    if (this.#closed) return;
    if (!isDelta(chunk)) {
      this.#flush();
      this.#add(chunk);
    } else if (this.#timer === null) {
      this.#add(chunk);
      this.#timer = setTimeout(() => this.#endWait(), COALESCE_MS);
    } else {
      if (this.#pending && !isSamePart(this.#pending, chunk)) this.#flush();
      this.#pending = this.#pending ? joined(this.#pending, chunk) : chunk;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#flush();
    if (this.#timer) clearTimeout(this.#timer);
    this.#closed = true;
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  /**
   * Replays from the first chunk on, then continues live until the turn ends.
   * @param continues true for a reader that has the answer up to the decisions that this run continues with. Default
   * false
   */
  follow({ continues = false } = {}): ReadableStream<UIMessageChunk> {
    this.#flush();
    const reader = new TurnReader(this.#log, continues ? this.#repeated : { from: 0, to: 0 });
    if (this.#closed) reader.end();
    else this.#readers.add(reader);
    return new ReadableStream<UIMessageChunk>(
      {
        pull: (controller) => reader.pull(controller),
        cancel: () => void this.#readers.delete(reader),
      },
      { highWaterMark: 0 },
    );
  }

  #endWait(): void {
    this.#timer = null;
    if (this.#pending === null) return;
    this.#flush();
    this.#timer = setTimeout(() => this.#endWait(), COALESCE_MS);
  }

  #flush(): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending) this.#add(pending);
  }

  #add(chunk: UIMessageChunk): void {
    if (isTransient(chunk)) {
      for (const reader of this.#readers) reader.pass(chunk);
      return;
    }
    const last = this.#log.at(-1);
    if (last && isDelta(last) && isDelta(chunk) && isSamePart(last, chunk)) {
      this.#log[this.#log.length - 1] = joined(last, chunk);
    } else {
      this.#log.push(chunk);
    }
    for (const reader of this.#readers) reader.wake(chunk);
  }
}

/** One reader's position in the log: number of chunks read, and characters of the following text. */
class TurnReader {
  readonly #log: readonly UIMessageChunk[];
  #index = 0;
  #chars = 0;
  /** The newest transient chunk of each kind that arrived while the reader was busy. */
  readonly #passing = new Map<string, UIMessageChunk>();
  /** Set while the reader has everything and waits for more. */
  #waiting: { give(chunk: UIMessageChunk): void; end(): void } | null = null;
  #isLast = false;
  readonly #skipped: { readonly from: number; readonly to: number };

  /** @param skipped indexes that the reader does not get; `to` is exclusive and may change */
  constructor(log: readonly UIMessageChunk[], skipped: { readonly from: number; readonly to: number }) {
    this.#log = log;
    this.#skipped = skipped;
  }

  pull(controller: ReadableStreamDefaultController<UIMessageChunk>): Promise<void> | void {
    const next = this.#take() ?? this.#takePassing();
    if (next) return controller.enqueue(next);
    if (this.#isLast) return controller.close();
    return new Promise((resolve) => {
      const settle = (act: () => void) => {
        this.#waiting = null;
        act();
        resolve();
      };
      this.#waiting = {
        give: (chunk) => settle(() => controller.enqueue(chunk)),
        end: () => settle(() => controller.close()),
      };
    });
  }

  /** The log has grown by `chunk`. */
  wake(chunk: UIMessageChunk): void {
    if (!this.#waiting || this.#skips(this.#log.length - 1)) return;
    const last = this.#log.at(-1);
    const isOpen = last !== undefined && isDelta(last);
    this.#index = isOpen ? this.#log.length - 1 : this.#log.length;
    this.#chars = isOpen ? textOf(last).length : 0;
    this.#waiting.give(chunk);
  }

  pass(chunk: UIMessageChunk): void {
    if (this.#waiting) this.#waiting.give(chunk);
    else this.#passing.set(chunk.type, chunk);
  }

  end(): void {
    this.#isLast = true;
    this.#waiting?.end();
  }

  #skips(index: number): boolean {
    return index >= this.#skipped.from && index < this.#skipped.to;
  }

  #take(): UIMessageChunk | null {
    if (this.#skips(this.#index)) {
      this.#index = Math.min(this.#skipped.to, this.#log.length);
      this.#chars = 0;
    }
    for (let chunk = this.#log[this.#index]; chunk; chunk = this.#log[this.#index]) {
      const from = this.#chars;
      if (isDelta(chunk) && textOf(chunk).length > from) {
        this.#chars = textOf(chunk).length;
        return from === 0 ? chunk : withText(chunk, textOf(chunk).slice(from));
      }
      // The newest text may still grow.
      if (isDelta(chunk) && this.#index === this.#log.length - 1) return null;
      this.#index += 1;
      this.#chars = 0;
      if (!isDelta(chunk)) return chunk;
    }
    return null;
  }

  #takePassing(): UIMessageChunk | null {
    for (const [type, chunk] of this.#passing) {
      this.#passing.delete(type);
      return chunk;
    }
    return null;
  }
}

/** More of a text, of reasoning, or of the input of a tool call. */
type Delta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>;

function isDelta(chunk: UIMessageChunk): chunk is Delta {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' || chunk.type === 'tool-input-delta';
}

function textOf(chunk: Delta): string {
  return chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : chunk.delta;
}

function withText(chunk: Delta, text: string): Delta {
  return chunk.type === 'tool-input-delta' ? { ...chunk, inputTextDelta: text } : { ...chunk, delta: text };
}

function isSamePart(a: Delta, b: Delta): boolean {
  return a.type === b.type && partIdOf(a) === partIdOf(b);
}

function partIdOf(chunk: Delta): string {
  return chunk.type === 'tool-input-delta' ? chunk.toolCallId : chunk.id;
}

/** Newer metadata replaces older metadata, as in the message. @param b of the same part */
function joined(a: Delta, b: Delta): Delta {
  return withText({ ...a, ...b }, textOf(a) + textOf(b));
}

/** The running turns of this process, by session. */
export class TurnStreams {
  readonly #bySession = new Map<string, TurnStream>();

  open(sessionId: string): TurnStream {
    const stream = new TurnStream();
    this.#bySession.set(sessionId, stream);
    return stream;
  }

  find(sessionId: string): TurnStream | null {
    return this.#bySession.get(sessionId) ?? null;
  }

  /** Ends the stream for its readers; a newer stream of the session is kept. */
  close(sessionId: string, stream: TurnStream): void {
    if (this.#bySession.get(sessionId) === stream) this.#bySession.delete(sessionId);
    stream.close();
  }
}

/** Progress that only matters while it happens is not replayed. */
function isTransient(chunk: UIMessageChunk): boolean {
  return 'transient' in chunk && (chunk.transient ?? false);
}

/**
 * A turn's chunks as Server-Sent Events in the AI SDK's UI message stream protocol, with keep-alive comments.
 * @param keepAliveMs default 15 seconds
 */
export function chatStreamResponse(stream: ReadableStream<UIMessageChunk>, keepAliveMs = HEARTBEAT_MS): Response {
  return createUIMessageStreamResponse({ stream, keepAliveMs, headers: { 'cache-control': 'no-store' } });
}
