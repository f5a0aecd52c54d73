import { hash } from 'node:crypto';
import { z } from 'zod';
import type { CompactionLease, SummarizerPause } from '#server/context/ports';
import { BoundedMap } from '#server/core/bounded-map';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { parseJson } from '#server/core/json';
import type { NewMessage } from '#server/core/messages';
import { orAborted } from '#server/core/async';

/** Most owners whose summarizer pause is remembered. */
const MOST_PAUSES = 1_000;

/** Storage of kept rounds: a database shared by all processes. */
export interface KeptRoundStore {
  find(
    ownerId: string,
    prefixHashes: readonly string[],
  ): Promise<{ readonly id: string; readonly prefixHash: string; readonly round: string }[]>;
  /** Keeps a round, unless it is too large; the ones that are too old or too many go. */
  keep(ownerId: string, prefixHash: string, round: object): Promise<void>;
  /** Notes that rounds were of use. */
  touch(ids: readonly string[]): Promise<void>;
}

/** Hashes by which conversations with the same beginning are found. */
export interface KnownPrefixes {
  readonly ownerId: string;
  /** For each message, the hash of everything up to and including it. */
  readonly hashes: readonly string[];
  /** Hash of everything before the newest request. */
  readonly beforeRequest: string;
}

interface Running {
  readonly ownerId: string;
  readonly beforeRequest: string;
  readonly done: Promise<void>;
}

/**
 * Compactions and prunes of conversations stored by other programs, found again by the beginning of a conversation. A
 * fault here costs at most a repeated summary, never a call.
 */
export class KeptRounds {
  readonly #store: KeptRoundStore;
  readonly #onFault: (message: string, error: unknown) => void;
  readonly #running = new Set<Running>();
  /** Summarizer pauses by owner: a client's conversations have no ids. */
  readonly pauses = new BoundedMap<SummarizerPause>(MOST_PAUSES);

  constructor(store: KeptRoundStore, onFault: (message: string, error: unknown) => void) {
    this.#store = store;
    this.#onFault = onFault;
  }

  /** The rounds that apply to a conversation, oldest first. */
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

const count = z.number().int().nonnegative();

const common = {
  /** Number of leading messages it was made from; it applies where they are the same. */
  covered: count,
  /** Window of the model it was made for, tokens. */
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
  /** The model's part of `summary`; absent in older rounds. */
  narrative: z.string().optional(),
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

/** A compaction or prune of the beginning of a conversation, or a failed attempt, as kept for later calls. */
export const keptRoundSchema = z.discriminatedUnion('kind', [compactionSchema, pruneSchema, futileSchema]);

export type KeptRound = z.infer<typeof keptRoundSchema>;
export type KeptCompaction = Extract<KeptRound, { kind: 'compaction' }>;
export type KeptFutile = Extract<KeptRound, { kind: 'futile' }>;
export type KeptPrune = Extract<KeptRound, { kind: 'prune' }>;

/** Characters kept of a SHA-256 hash: 128 bits rule out collisions. */
const LENGTH = 32;

/**
 * Hashes of the beginnings of a conversation: the hash of message `i` covers everything up to it. Hashes of different
 * owners differ.
 */
export class PrefixHashes {
  #last: string;

  constructor(ownerId: string) {
    this.#last = hash('sha256', ownerId);
  }

  /** Adds a message; the hash of everything up to it, hexadecimal. */
  add({ role, parts }: NewMessage): string {
    // Clients send thoughts back while a model works with tools, and leave them out later.
    const said = parts.filter(({ type }) => type !== 'reasoning');
    const canonical = JSON.stringify([role, said.map(({ type, content }) => [type, content])]);
    this.#last = hash('sha256', this.#last + canonical);
    return this.#last.slice(0, LENGTH);
  }
}
