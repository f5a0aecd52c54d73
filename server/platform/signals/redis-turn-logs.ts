import { createId } from '#server/core/ids';
import type { TurnLogEntry, TurnLogs, TurnLogWriter } from '#server/core/conversation/turn-logs';
import type { RedisClient } from '#server/platform/signals/redis-client';

/** A log that nobody ends, because its process has died, is deleted after this time; seconds. A choice, not measured. */
const EXPIRES_AFTER_S = 3_600;
/** Interval at which that time starts again while entries arrive; milliseconds. */
const EXPIRY_SET_EVERY_MS = 60_000;
/** Time in which readers can read the end of a log; seconds. A choice, not measured. */
const KEPT_AFTER_END_S = 60;
/**
 * A log with this many entries is written again with the texts joined. Entries come every 16 ms at most, so this takes
 * 80 s or more. A choice, not measured.
 */
const MAX_ENTRIES = 5_000;
/** Pause before a log is written again after Redis has refused an entry, for example because its memory is full; ms. */
const REWRITE_PAUSE_MS = 2_000;
/** How long a reader waits for entries before it yields null; milliseconds. */
const IDLE_MS = 2_000;
/** A reader whose connection has died silently notices it after this time; milliseconds. */
const MAX_SILENCE_MS = 30_000;

const keyOf = (turnId: string) => `throughline:turn:${turnId}`;

/**
 * Logs of running turns as Redis Streams. Each entry has the id of its writer, its number in the log, and its text: a
 * reader that finds a number missing, or another writer, passes over the entries until the log is written again.
 */
export class RedisTurnLogs implements TurnLogs {
  readonly #client: RedisClient;
  readonly #open = new Set<RedisLogWriter>();

  /** @param client connected or reconnecting */
  constructor(client: RedisClient) {
    this.#client = client;
    // Redis may have restarted without its data, and a turn may be silent for a while.
    client.on('ready', () => {
      for (const writer of this.#open) writer.rewrite();
    });
  }

  write(turnId: string): TurnLogWriter {
    const writer: RedisLogWriter = new RedisLogWriter(this.#client, keyOf(turnId), () => this.#open.delete(writer));
    this.#open.add(writer);
    return writer;
  }

  async *follow(turnId: string, signal: AbortSignal): AsyncGenerator<TurnLogEntry | null> {
    if (!this.#client.isReady || signal.aborted) return;
    // A blocking read needs a connection of its own.
    const socket = { reconnectStrategy: false, socketTimeout: MAX_SILENCE_MS } as const;
    const client = this.#client.duplicate({ socket });
    client.on('error', () => undefined);
    const stop = () => {
      if (client.isOpen) client.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      await client.connect();
      yield* readEntries(client, keyOf(turnId), signal);
    } catch {
      // The connection is lost, or the reader has gone.
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }
}

/** @throws the client's error when the connection is lost */
async function* readEntries(client: RedisClient, key: string, signal: AbortSignal) {
  let id = '0';
  let isPast = true;
  let expected = { writer: '', number: 0 };
  let heardAt = performance.now();
  while (!signal.aborted) {
    const streams = await client.xRead({ key, id }, isPast ? {} : { BLOCK: IDLE_MS });
    const entries = streams?.[0]?.messages ?? [];
    for (const { id: entryId, message } of entries) {
      id = entryId;
      const writer = message['writer'] ?? '';
      const number = Number(message['number']);
      const isFirst = number === 0;
      if (!isFirst && (writer !== expected.writer || number !== expected.number)) continue;
      expected = { writer, number: number + 1 };
      heardAt = performance.now();
      yield { text: message['text'] ?? '', isFirst, isPast };
    }
    // Entries behind a lost one count as silence, too.
    const isSilent = entries.length === 0 || performance.now() - heardAt >= IDLE_MS;
    if (isSilent && !isPast) {
      heardAt = performance.now();
      yield null;
    }
    isPast = false;
  }
}

class RedisLogWriter implements TurnLogWriter {
  readonly #client: RedisClient;
  readonly #key: string;
  readonly #onEnd: () => void;
  readonly #writer = createId('own');
  #log: () => readonly string[] = () => [];
  /** Number of the next entry; 0 if the log has to be written again. */
  #next = 0;
  #limit = 0;
  #pausedUntil = 0;
  #expirySetAt = 0;

  constructor(client: RedisClient, key: string, onEnd: () => void) {
    this.#client = client;
    this.#key = key;
    this.#onEnd = onEnd;
  }

  add(entry: string, log: () => readonly string[]): void {
    this.#log = log;
    if (!this.#client.isReady) this.#next = 0;
    else if (this.#next > 0 && this.#next < this.#limit) this.#append(entry);
    else if (performance.now() >= this.#pausedUntil) this.rewrite();
  }

  end(): void {
    this.#onEnd();
    if (this.#client.isReady) this.#client.expire(this.#key, KEPT_AFTER_END_S).catch(() => undefined);
  }

  /** Replaces all entries in one transaction. The key stays, so that the ids of its entries only increase. */
  rewrite(): void {
    const texts = this.#log();
    if (texts.length === 0) return;
    this.#next = 0;
    this.#limit = Math.max(MAX_ENTRIES, 2 * texts.length);
    const transaction = this.#client.multi();
    for (const text of texts) transaction.xAdd(this.#key, '*', this.#fields(text));
    transaction.xTrim(this.#key, 'MAXLEN', texts.length);
    transaction.expire(this.#key, EXPIRES_AFTER_S);
    this.#expirySetAt = performance.now();
    transaction.exec().catch(() => this.#fail());
  }

  #append(text: string): void {
    this.#client.xAdd(this.#key, '*', this.#fields(text)).catch(() => this.#fail());
    if (performance.now() - this.#expirySetAt < EXPIRY_SET_EVERY_MS) return;
    this.#expirySetAt = performance.now();
    this.#client.expire(this.#key, EXPIRES_AFTER_S).catch(() => undefined);
  }

  #fields(text: string): Record<string, string> {
    const number = String(this.#next);
    this.#next += 1;
    return { writer: this.#writer, number, text };
  }

  #fail(): void {
    this.#next = 0;
    this.#pausedUntil = performance.now() + REWRITE_PAUSE_MS;
  }
}
