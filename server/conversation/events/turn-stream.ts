import { createUIMessageStreamResponse, type UIMessageChunk } from 'ai';
import {
  type Delta,
  isDelta,
  isSamePart,
  isTransient,
  joined,
  textOf,
  withText,
} from '#server/conversation/events/chunk-deltas';
import { HEARTBEAT_MS } from '#server/core/conversation/events';
import type { TurnLogs, TurnLogWriter } from '#server/core/conversation/turn-logs';

/** Deltas of one text that arrive within this time are sent as one; milliseconds. One frame of a screen with 60 Hz. */
const COALESCE_MS = 16;

/** Identifies a turn. */
interface TurnName {
  readonly id: string;
  readonly sessionId: string;
}

interface TurnStreamOptions {
  /** Receives the chunks for other processes. Default: none. */
  readonly copy?: TurnLogWriter | undefined;
  /** Called when the last reader has cancelled. */
  readonly onUnread?: () => void;
}

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
  readonly #copy: TurnLogWriter | undefined;
  readonly #onUnread: (() => void) | undefined;

  constructor({ copy, onUnread }: TurnStreamOptions = {}) {
    this.#copy = copy;
    this.#onUnread = onUnread;
  }

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
    this.#end((reader) => reader.end());
  }

  /** Ends the stream with an error, which breaks the connections of its readers: they can connect again. */
  fail(error: unknown): void {
    this.#end((reader) => reader.fail(error));
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
        cancel: () => {
          this.#readers.delete(reader);
          if (this.#readers.size === 0) this.#onUnread?.();
        },
      },
      { highWaterMark: 0 },
    );
  }

  #end(end: (reader: TurnReader) => void): void {
    if (this.#closed) return;
    this.#flush();
    if (this.#timer) clearTimeout(this.#timer);
    this.#closed = true;
    this.#copy?.end();
    for (const reader of this.#readers) end(reader);
    this.#readers.clear();
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
    } else {
      this.#keep(chunk);
      for (const reader of this.#readers) reader.wake(chunk);
    }
    this.#copy?.add(JSON.stringify(chunk), () => this.#log.map((each) => JSON.stringify(each)));
  }

  #keep(chunk: UIMessageChunk): void {
    const last = this.#log.at(-1);
    if (last && isDelta(last) && isDelta(chunk) && isSamePart(last, chunk)) {
      this.#log[this.#log.length - 1] = joined(last, chunk);
    } else {
      this.#log.push(chunk);
    }
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
  #waiting: { give(chunk: UIMessageChunk): void; end(): void; fail(error: unknown): void } | null = null;
  #isLast = false;
  #failure: { readonly error: unknown } | null = null;
  readonly #skipped: { readonly from: number; readonly to: number };

  /** @param skipped indexes that the reader does not get; `to` is exclusive and may change */
  constructor(log: readonly UIMessageChunk[], skipped: { readonly from: number; readonly to: number }) {
    this.#log = log;
    this.#skipped = skipped;
  }

  pull(controller: ReadableStreamDefaultController<UIMessageChunk>): Promise<void> | void {
    const next = this.#take() ?? this.#takePassing();
    if (next) return controller.enqueue(next);
    if (this.#failure) return controller.error(this.#failure.error);
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
        fail: (error) => settle(() => controller.error(error)),
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

  /** The reader gets what it has not read before the error. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#waiting?.fail(error);
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

/** The running turns of this process, by session. */
export class TurnStreams {
  readonly #bySession = new Map<string, { readonly turnId: string; readonly stream: TurnStream }>();
  readonly #logs: TurnLogs | null;

  /** @param logs receive the chunks for other processes; null: there are none */
  constructor(logs: TurnLogs | null) {
    this.#logs = logs;
  }

  open({ id: turnId, sessionId }: TurnName): TurnStream {
    const stream = new TurnStream({ copy: this.#logs?.write(turnId) });
    this.#bySession.set(sessionId, { turnId, stream });
    return stream;
  }

  find(sessionId: string): TurnStream | null {
    return this.#bySession.get(sessionId)?.stream ?? null;
  }

  /** The stream of this turn; null if another one, or none, runs in its session here. */
  ofTurn({ id, sessionId }: TurnName): TurnStream | null {
    const running = this.#bySession.get(sessionId);
    return running?.turnId === id ? running.stream : null;
  }

  /** Ends the stream for its readers; a newer stream of the session is kept. */
  close(sessionId: string, stream: TurnStream): void {
    if (this.find(sessionId) === stream) this.#bySession.delete(sessionId);
    stream.close();
  }
}

/**
 * A turn's chunks as Server-Sent Events in the AI SDK's UI message stream protocol, with keep-alive comments.
 * @param keepAliveMs default 15 seconds
 */
export function chatStreamResponse(stream: ReadableStream<UIMessageChunk>, keepAliveMs = HEARTBEAT_MS): Response {
  return createUIMessageStreamResponse({ stream, keepAliveMs, headers: { 'cache-control': 'no-store' } });
}
