import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { z } from 'zod';
import { isTransient } from '#server/conversation/events/chunk-deltas';
import { SentAnswer } from '#server/conversation/events/sent-answer';
import { StoredTurn, type StoredTurnSource } from '#server/conversation/events/stored-turn';
import { TurnStream } from '#server/conversation/events/turn-stream';
import type { Turn } from '#server/core/conversation/turns';
import type { TurnLogs } from '#server/core/conversation/turn-logs';

/** How often the stored parts are read while there is no log; milliseconds. A choice, not measured. */
const POLL_MS = 2_000;

/** What another process's turn is read from. */
export interface RemoteTurnSource extends StoredTurnSource {
  /** Null without Redis. */
  readonly turnLogs: TurnLogs | null;
  /** Ends all streams, because this process stops. */
  readonly closing: AbortSignal;
  /** Milliseconds. Default 2,000. */
  readonly pollMs?: number;
}

/**
 * Follows turns that other processes run, and sends turns that have ended. Each has a TurnStream here, like a turn of
 * this process, which ends with its last reader. Its chunks come from the turn's log. While there is none (no Redis, an
 * outage, entries lost), and when the log is silent, they come from the stored parts, one complete part at a time. The
 * end always comes from the store, so a turn whose process has died ends when it is settled.
 */
export class RemoteTurns {
  readonly #source: RemoteTurnSource;
  readonly #streams = new Map<string, TurnStream>();

  constructor(source: RemoteTurnSource) {
    this.#source = source;
  }

  /** The stream of the turn; it is copied until its last reader cancels. */
  streamOf(turn: Turn): TurnStream {
    return this.#streams.get(turn.id) ?? this.#open(turn);
  }

  #open(turn: Turn): TurnStream {
    const unread = new AbortController();
    const stream = new TurnStream({ onUnread: () => unread.abort() });
    const forget = () => {
      if (this.#streams.get(turn.id) === stream) this.#streams.delete(turn.id);
    };
    unread.signal.addEventListener('abort', forget);
    this.#streams.set(turn.id, stream);
    const copy = new TurnCopy(this.#source, turn, stream);
    void copy
      .run(AbortSignal.any([unread.signal, this.#source.closing]))
      .finally(forget)
      .then(
        () => stream.close(),
        (error: unknown) => stream.fail(error),
      );
    return stream;
  }
}

/** Copies one turn of another process into a stream of this process. */
class TurnCopy {
  readonly #source: RemoteTurnSource;
  readonly #turn: Turn;
  readonly #stream: TurnStream;
  readonly #stored: StoredTurn;
  readonly #sent = new SentAnswer();

  constructor(source: RemoteTurnSource, turn: Turn, stream: TurnStream) {
    this.#source = source;
    this.#turn = turn;
    this.#stream = stream;
    this.#stored = new StoredTurn(source, turn);
  }

  /** Returns at the end of the turn, or when `signal` aborts. @throws errors of the store */
  async run(signal: AbortSignal): Promise<void> {
    const { turnLogs, pollMs = POLL_MS } = this.#source;
    while (!signal.aborted) {
      if (await this.#copyStored()) return;
      if (turnLogs && (await this.#copyLog(turnLogs, signal))) return;
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether the turn has ended; false if its log cannot be read any more */
  async #copyLog(turnLogs: TurnLogs, signal: AbortSignal): Promise<boolean> {
    let take = this.#sent.source();
    for await (const entry of turnLogs.follow(this.#turn.id, signal)) {
      const chunk = entry && readChunk(entry.text);
      if (entry?.isFirst) take = this.#sent.source();
      if (chunk && chunk.type !== 'finish') this.#publish(entry.isPast && isTransient(chunk) ? null : take(chunk));
      else if (await this.#copyStored()) return true;
    }
    return false;
  }

  /** @returns whether the turn has ended */
  async #copyStored(): Promise<boolean> {
    const { chunks, hasEnded } = await this.#stored.read();
    const take = this.#sent.source();
    for (const chunk of chunks) this.#publish(take(chunk));
    return hasEnded;
  }

  #publish(chunk: UIMessageChunk | null): void {
    if (chunk) this.#stream.publish(chunk);
  }
}

const chunkSchema = z.looseObject({ type: z.string() });

/** Null for an entry that is not a chunk. */
function readChunk(text: string): UIMessageChunk | null {
  try {
    return chunkSchema.parse(JSON.parse(text)) as unknown as UIMessageChunk;
  } catch {
    return null;
  }
}
