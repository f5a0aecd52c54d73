import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type ContextStore, PAST_COMPACTIONS } from '#server/context/ports';
import { ConflictError } from '#server/core/errors';
import type { KeptWishStore } from '#server/core/kept-wishes';
import type { CompactionRepository } from '#server/store/compaction-repository';
import { keepRenewing, newLease } from '#server/store/leases';
import type { MessageRepository } from '#server/store/message-repository';
import type { SessionRepository } from '#server/store/session-repository';

/** Engine settings of the compaction lease; milliseconds. */
export interface LeaseTimes {
  readonly compactionLease: number;
  readonly compactionLeaseRenewal: number;
  readonly compactionLeaseRetry: number;
}

export interface ContextStoreRepositories {
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly compactions: CompactionRepository;
  readonly wishes: Pick<KeptWishStore, 'keptWishes' | 'keepWishes' | 'wishesLetGo'>;
  /** Asked each time: they may change while the server runs. */
  readonly settings: { readonly current: () => LeaseTimes };
}

const pauseSchema = z.object({
  modelId: z.string(),
  failures: z.number(),
  until: z.number(),
  round: z.number().optional(),
  calls: z.number().optional(),
});

/** The context engine's store, over the repositories. */
export function createContextStore({
  sessions,
  messages,
  compactions,
  wishes,
  settings,
}: ContextStoreRepositories): ContextStore {
  /** @throws the signal's reason */
  async function untilRetry(signal: AbortSignal | undefined): Promise<void> {
    const { compactionLeaseRetry } = settings.current();
    await delay(compactionLeaseRetry, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }

  return {
    loadView: (sessionId) => messages.loadView(sessionId),
    viewVersion: (sessionId) => compactions.version(sessionId),
    loadBefore: (sessionId, seq) => messages.loadBefore(sessionId, seq),
    async pastCompactions(sessionId) {
      const { compactionCount: count } = await sessions.get(sessionId);
      const paused = pauseSchema.safeParse(await compactions.summarizerPause(sessionId));
      return {
        count,
        newest: await compactions.attempts(sessionId, PAST_COMPACTIONS),
        pause: paused.success ? paused.data : null,
      };
    },
    async saveCompaction(sessionId, { owner }, commit) {
      const { compaction } = await compactions.recordCompaction(sessionId, commit, owner);
      return { id: compaction.id };
    },
    async saveFailure(sessionId, failure) {
      await compactions.recordFailure(sessionId, failure);
    },
    savePrune: (sessionId, commit) => compactions.recordPrune(sessionId, commit),
    keptWishes: (sessionId) => wishes.keptWishes(sessionId),
    wishesLetGo: (sessionId) => wishes.wishesLetGo(sessionId),
    keepWishes: (sessionId, quotes) => wishes.keepWishes(sessionId, quotes),
    savePause: (sessionId, pause) => compactions.setSummarizerPause(sessionId, pause),
    async settled(sessionId, signal) {
      while (await compactions.isCompacting(sessionId)) await untilRetry(signal);
    },
    /** Renews the lease while it is held: a renewal also finds out that another process has cancelled the compaction. */
    async holdLease(sessionId, wait, signal) {
      const { compactionLease, compactionLeaseRenewal } = settings.current();
      const lease = newLease(compactionLease);
      while (!(await compactions.acquire(sessionId, lease))) {
        if (!wait) throw new ConflictError('This conversation is being compacted already.');
        await untilRetry(signal);
      }
      const cancelled = new AbortController();
      // A lost lease makes saveCompaction refuse.
      const stopRenewing = keepRenewing(async () => {
        if (await compactions.acquire(sessionId, lease)) return;
        if (!(await compactions.isCancelled(sessionId, lease.leaseOwner))) return;
        cancelled.abort(new DOMException('The compaction was cancelled.', 'AbortError'));
      }, compactionLeaseRenewal);
      return {
        owner: lease.leaseOwner,
        cancelled: cancelled.signal,
        async [Symbol.asyncDispose]() {
          stopRenewing();
          await compactions.release(sessionId, lease.leaseOwner);
        },
      };
    },
  };
}
