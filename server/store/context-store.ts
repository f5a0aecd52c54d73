import { setTimeout as delay } from 'node:timers/promises';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { CompactionRepository, NewCompaction, NewPrune } from '#server/store/compaction-repository';
import type { MessageRepository } from '#server/store/message-repository';
import type { SessionRepository } from '#server/store/session-repository';

/** A compaction whose process died blocks the session no longer than this; milliseconds. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_500;
/** How often a waiting turn asks again; milliseconds. */
const RETRY_MS = 100;

export interface ContextStoreRepositories {
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly compactions: CompactionRepository;
}

/** What the context engine needs of the store, over the repositories. */
export function createContextStore({ sessions, messages, compactions }: ContextStoreRepositories) {
  return {
    loadView: (sessionId: string) => messages.loadView(sessionId),
    loadBefore: (sessionId: string, seq: number) => messages.loadBefore(sessionId, seq),
    countRounds: async (sessionId: string) => (await sessions.get(sessionId)).compactionCount,
    async saveCompaction(sessionId: string, commit: NewCompaction) {
      const { compaction } = await compactions.recordCompaction(sessionId, commit);
      return { id: compaction.id };
    },
    async savePrune(sessionId: string, commit: NewPrune) {
      await compactions.recordPrune(sessionId, commit);
    },
    /**
     * Holds the session's compaction lease until disposed, renewing it meanwhile.
     * @throws ConflictError when somebody else holds it and the caller does not wait
     */
    async holdLease(sessionId: string, wait: boolean): Promise<AsyncDisposable> {
      const lease = { leaseOwner: createId('own'), leaseMs: LEASE_MS };
      while (!(await compactions.acquire(sessionId, lease))) {
        if (!wait) throw new ConflictError('This conversation is being compacted already.');
        await delay(RETRY_MS);
      }
      // A missed renewal is made good by the next one; losing the lease shows when the compaction is committed.
      const renewal = setInterval(() => void compactions.acquire(sessionId, lease).catch(() => undefined), RENEW_MS);
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(renewal);
          await compactions.release(sessionId, lease.leaseOwner);
        },
      };
    },
  };
}
