import { hash } from 'node:crypto';
import { z } from 'zod';
import type { CompactionLease, SummarizerPause } from '#server/context/ports';
import { BoundedMap } from '#server/core/bounded-map';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { NewMessage } from '#server/core/messages';

/** Owners whose summarizer's pause is remembered. */
const MOST_PAUSES = 1_000;

/** Where rounds are kept: a database, shared by all processes. */
export interface KeptRoundStore {
  find(
    ownerId: string,
    prefixHashes: readonly string[],
  ): Promise<{ readonly id: string; readonly prefixHash: string; readonly round: string }[]>;
  keep(ownerId: string, prefixHash: string, round: object): Promise<void>;
  touch(ids: readonly string[]): Promise<void>;
}

/** A conversation as far as others can have the same. */
export interface KnownPrefixes {
  readonly ownerId: string;
  /** Of each message, the hash of everything up to it. */
  readonly hashes: readonly string[];
  /** Everything up to its newest request, that left out. */
  readonly beforeRequest: string;
}

interface Running {
  readonly ownerId: string;
  readonly beforeRequest: string;
  readonly done: Promise<void>;
}

/**
 * What the engine did to conversations that other programs keep, found again by how a conversation begins. What goes
 * wrong here costs a summary that is written again, never a call.
 */
export class KeptRounds {
  readonly #store: KeptRoundStore;
  readonly #onFault: (message: string, error: unknown) => void;
  readonly #running = new Set<Running>();
  /** By owner: a client's conversations have no names. */
  readonly pauses = new BoundedMap<SummarizerPause>(MOST_PAUSES);

  constructor(store: KeptRoundStore, onFault: (message: string, error: unknown) => void) {
    this.#store = store;
    this.#onFault = onFault;
  }

  /** The rounds that hold for a conversation, the oldest first. */
  async find({ ownerId, hashes }: KnownPrefixes): Promise<KeptRound[]> {
    return this.#safely('Kept rounds cannot be read', [], async () => {
      const rows = await this.#store.find(ownerId, hashes);
      const found = rows.flatMap(({ id, prefixHash, round }) => {
        const parsed = keptRoundSchema.safeParse(parseJson(round));
        return parsed.success && hashes[parsed.data.covered - 1] === prefixHash ? [{ id, round: parsed.data }] : [];
      });
      if (found.length > 0) await this.#store.touch(found.map(({ id }) => id));
      return found.map(({ round }) => round);
    });
  }

  async keep({ ownerId, hashes }: KnownPrefixes, round: KeptRound): Promise<void> {
    const prefixHash = hashes[round.covered - 1];
    if (prefixHash === undefined) return;
    await this.#safely('A round cannot be kept', undefined, () => this.#store.keep(ownerId, prefixHash, round));
  }

  /**
   * Waits while another call of this process summarizes the same conversation.
   * @throws ConflictError when there is one and the caller does not wait; the signal's reason when it ends the wait
   */
  async hold(conversation: KnownPrefixes, wait: boolean, signal?: AbortSignal): Promise<CompactionLease> {
    const { ownerId, beforeRequest } = conversation;
    const own = new Set([...conversation.hashes, beforeRequest]);
    for (;;) {
      signal?.throwIfAborted();
      const other = [...this.#running].find((each) => each.ownerId === ownerId && own.has(each.beforeRequest));
      if (!other) break;
      if (!wait) throw new ConflictError('This conversation is being compacted already.');
      await orAborted(other.done, signal);
    }
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const running = { ownerId, beforeRequest, done };
    this.#running.add(running);
    return {
      owner: createId('own'),
      [Symbol.asyncDispose]: () => {
        this.#running.delete(running);
        resolve();
        return Promise.resolve();
      },
    };
  }

  async #safely<T>(problem: string, otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#onFault(problem, error);
      return otherwise;
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @throws the signal's reason, should it end first */
async function orAborted(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  signal?.addEventListener('abort', abort);
  await Promise.race([done, aborted.promise]);
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
}

const count = z.number().int().nonnegative();

const common = {
  /** How many messages of the conversation it looked at: it holds where they are the same. */
  covered: count,
  /** Of the model that it was made for, tokens. */
  contextWindow: count,
  /** Epoch milliseconds. */
  at: z.number(),
};

const trigger = z.enum(['overflow', 'threshold', 'manual', 'tool-response', 'real-time', 'provider-overflow']);

const compactionSchema = z.object({
  kind: z.literal('compaction'),
  ...common,
  round: z.number().int().positive(),
  strategy: z.string(),
  trigger,
  tokensBefore: count,
  tokensAfter: count,
  messagesCompacted: count,
  /** Ids of messages that stay in front of the summary, and behind it. */
  keptBefore: z.array(z.string()),
  keptAfter: z.array(z.string()),
  summary: z.string().min(1),
  summaryTokens: count,
  /** Tokens of everything it looked at as it was sent, in the stored vocabulary. */
  coveredTokens: count,
  modelId: z.string().nullable(),
});

const pruneSchema = z.object({
  kind: z.literal('prune'),
  ...common,
  parts: z.array(z.object({ partId: z.string(), tokensAfter: count, excerptChars: count.optional() })),
});

/** An attempt that gained nothing: the breaker has to know of it, or every call would try again. */
const futileSchema = z.object({
  kind: z.literal('futile'),
  ...common,
  strategy: z.string(),
  trigger,
  tokensBefore: count,
});

/** One thing that the engine did to the beginning of a conversation, as it is kept for the next call. */
export const keptRoundSchema = z.discriminatedUnion('kind', [compactionSchema, pruneSchema, futileSchema]);

export type KeptRound = z.infer<typeof keptRoundSchema>;
export type KeptCompaction = Extract<KeptRound, { kind: 'compaction' }>;
export type KeptFutile = Extract<KeptRound, { kind: 'futile' }>;
export type KeptPrune = Extract<KeptRound, { kind: 'prune' }>;

/** Of SHA-256, enough characters that no two conversations ever meet: 128 bits. */
const LENGTH = 32;

/**
 * Names every beginning of a conversation: the hash of message `i` covers all up to it. The same messages of the same
 * owner have the same hashes in whatever call; another owner's have others.
 */
export class PrefixHashes {
  #last: string;

  constructor(ownerId: string) {
    this.#last = hash('sha256', ownerId);
  }

  /** The hash with one more message behind the others; hexadecimal. */
  add({ role, parts }: NewMessage): string {
    const canonical = JSON.stringify([role, parts.map(({ type, content }) => [type, content])]);
    this.#last = hash('sha256', this.#last + canonical);
    return this.#last.slice(0, LENGTH);
  }
}
