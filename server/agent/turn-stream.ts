import { createUIMessageStreamResponse, type UIMessageChunk } from 'ai';
import { HEARTBEAT_MS } from '#server/core/events';

/** Pieces of one text that come within this time travel as one; milliseconds. */
const COALESCE_MS = 16;

/**
 * The chunks of one running turn: replayed from the start to whoever comes late, then followed live. Publishing never
 * waits for a reader, and nothing piles up for one: who reads slowly goes on in the replay, where a text is one chunk.
 */
export class TurnStream {
  /** Neighbouring pieces of one text are one chunk here, so that it is no larger than the answer. */
  readonly #log: UIMessageChunk[] = [];
  readonly #readers = new Set<TurnReader>();
  /** Text that came since the last piece went out. */
  #pending: Delta | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  publish(chunk: UIMessageChunk): void {
    if (this.#closed) return;
    if (!isDelta(chunk)) {
      this.#flush();
      this.#add(chunk);
    } else if (this.#timer === null) {
      this.#add(chunk);
      this.#timer = setTimeout(() => this.#endWait(), COALESCE_MS);
    } else {
      if (this.#pending && !isSameText(this.#pending, chunk)) this.#flush();
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

  /** A replay from the first chunk on that goes on live until the turn ends. */
  follow(): ReadableStream<UIMessageChunk> {
    this.#flush();
    const reader = new TurnReader(this.#log);
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
    if (last && isDelta(last) && isDelta(chunk) && isSameText(last, chunk)) {
      this.#log[this.#log.length - 1] = joined(last, chunk);
    } else {
      this.#log.push(chunk);
    }
    for (const reader of this.#readers) reader.wake(chunk);
  }
}

/** One reader's place in the log: chunks it has, and characters of the text after them. */
class TurnReader {
  readonly #log: readonly UIMessageChunk[];
  #index = 0;
  #chars = 0;
  /** The newest of each kind that passed while it was busy. */
  readonly #passing = new Map<string, UIMessageChunk>();
  /** Set while it has everything and waits for more. */
  #waiting: { give(chunk: UIMessageChunk): void; end(): void } | null = null;
  #isLast = false;

  constructor(log: readonly UIMessageChunk[]) {
    this.#log = log;
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
    if (!this.#waiting) return;
    const last = this.#log.at(-1);
    const isOpen = last !== undefined && isDelta(last);
    this.#index = isOpen ? this.#log.length - 1 : this.#log.length;
    this.#chars = isOpen ? last.delta.length : 0;
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

  #take(): UIMessageChunk | null {
    for (let chunk = this.#log[this.#index]; chunk; chunk = this.#log[this.#index]) {
      const from = this.#chars;
      if (isDelta(chunk) && chunk.delta.length > from) {
        this.#chars = chunk.delta.length;
        return from === 0 ? chunk : { ...chunk, delta: chunk.delta.slice(from) };
      }
      // The newest text may grow.
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

type Delta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' }>;

function isDelta(chunk: UIMessageChunk): chunk is Delta {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta';
}

function isSameText(a: Delta, b: Delta): boolean {
  return a.type === b.type && a.id === b.id;
}

/** Metadata replaces what came before it, as it does in the message. */
function joined(a: Delta, b: Delta): Delta {
  return { ...a, ...b, delta: a.delta + b.delta };
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

  /** Ends the stream for its readers; a newer stream of the session stays. */
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
 * A turn's chunks as Server-Sent Events, in the AI SDK's UI message stream protocol, with comments while there are
 * none.
 * @param keepAliveMs default 15 seconds
 */
export function chatStreamResponse(stream: ReadableStream<UIMessageChunk>, keepAliveMs = HEARTBEAT_MS): Response {
  return createUIMessageStreamResponse({ stream, keepAliveMs, headers: { 'cache-control': 'no-store' } });
}
