import type { CompactionLease, SummarizerPause } from '#server/context/ports';
import { BoundedMap } from '#server/core/bounded-map';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { parseJson } from '#server/core/json';
import { type CachedRound, cachedRoundSchema } from '#server/integrations/openai/cached-rounds';
import type { KnownPrefixes } from '#server/integrations/openai/prefix-hashes';
import { orAborted } from '#server/core/async';
import { serverText } from '#server/core/messages/server-text';

/** Maximum number of owners whose summarizer pause is remembered. */
const MAX_PAUSES = 1_000;

/** Storage of rounds: a database shared by all processes. */
export interface CompactionCacheStore {
  /** The stored rounds of an owner under any of these hashes, oldest first; `round` is JSON. */
  find(
    ownerId: string,
    prefixHashes: readonly string[],
  ): Promise<{ readonly id: string; readonly prefixHash: string; readonly round: string }[]>;
  /** Stores a round, unless it is too large; deletes rounds that are too old or too many. */
  keep(ownerId: string, prefixHash: string, round: object): Promise<void>;
  /** Updates the time of last use of rounds. */
  touch(ids: readonly string[]): Promise<void>;
}

/** A compaction in progress. */
interface RunningCompaction {
  readonly ownerId: string;
  /** Hash of the conversation up to its newest request: it tells which calls belong to the same conversation. */
  readonly beforeRequest: string;
  /** Resolves at its end. */
  readonly done: Promise<void>;
}

/**
 * Compactions and prunes of conversations that other programs store, found again by the beginning of a conversation. A
 * fault here costs at most a repeated summary, never a call.
 */
export class CompactionCache {
  readonly #store: CompactionCacheStore;
  readonly #onFault: (message: string, error: unknown) => void;
  readonly #running = new Set<RunningCompaction>();
  /** Summarizer pauses by owner: a client's conversations have no ids. */
  readonly pauses = new BoundedMap<SummarizerPause>(MAX_PAUSES);

  constructor(store: CompactionCacheStore, onFault: (message: string, error: unknown) => void) {
    this.#store = store;
    this.#onFault = onFault;
  }

  /** The rounds that apply to a conversation, oldest first. */
  async find({ ownerId, hashes }: KnownPrefixes): Promise<CachedRound[]> {
    return this.#safely('Kept rounds cannot be read', [], async () => {
      const rows = await this.#store.find(ownerId, hashes);
      const found = rows.flatMap(({ id, prefixHash, round }) => {
        const parsed = cachedRoundSchema.safeParse(parseJson(round));
        return parsed.success && hashes[parsed.data.covered - 1] === prefixHash ? [{ id, round: parsed.data }] : [];
      });
      if (found.length > 0) await this.#store.touch(found.map(({ id }) => id));
      return found.map(({ round }) => round);
    });
  }

  /** Stores a round for later calls that begin with the same messages. */
  async keep({ ownerId, hashes }: KnownPrefixes, round: CachedRound): Promise<void> {
    const prefixHash = hashes[round.covered - 1];
    if (prefixHash === undefined) return;
    await this.#safely('A round cannot be kept', undefined, () => this.#store.keep(ownerId, prefixHash, round));
  }

  /**
   * Waits while another call of this process summarizes the same conversation.
   * @throws ConflictError if another call does and `wait` is false; the signal's reason if it ends the wait
   */
  async hold(conversation: KnownPrefixes, wait: boolean, signal?: AbortSignal): Promise<CompactionLease> {
    const { ownerId, beforeRequest } = conversation;
    const own = new Set([...conversation.hashes, beforeRequest]);
    for (;;) {
      signal?.throwIfAborted();
      const other = [...this.#running].find((each) => each.ownerId === ownerId && own.has(each.beforeRequest));
      if (!other) break;
      if (!wait) throw new ConflictError(serverText('compaction-is-running'));
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

  /** Runs `work`; after a fault, which is reported as `problem`, returns `otherwise`. */
  async #safely<T>(problem: string, otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#onFault(problem, error);
      return otherwise;
    }
  }
}
