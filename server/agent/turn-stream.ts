import type { UIMessageChunk } from 'ai';

/**
 * The chunks of one running turn: replayed from the start to whoever comes late, then followed live. Publishing never
 * waits for a reader.
 */
export class TurnStream {
  readonly #chunks: UIMessageChunk[] = [];
  readonly #readers = new Set<ReadableStreamDefaultController<UIMessageChunk>>();
  #closed = false;

  publish(chunk: UIMessageChunk): void {
    if (this.#closed) return;
    if (!isTransient(chunk)) this.#chunks.push(chunk);
    for (const reader of this.#readers) reader.enqueue(chunk);
  }

  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader.close();
    this.#readers.clear();
  }

  /** A replay from the first chunk on that goes on live until the turn ends. */
  follow(): ReadableStream<UIMessageChunk> {
    let own: ReadableStreamDefaultController<UIMessageChunk> | undefined;
    return new ReadableStream<UIMessageChunk>({
      start: (controller) => {
        for (const chunk of this.#chunks) controller.enqueue(chunk);
        if (this.#closed) return controller.close();
        own = controller;
        this.#readers.add(controller);
      },
      cancel: () => {
        if (own) this.#readers.delete(own);
      },
    });
  }
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
