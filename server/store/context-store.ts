import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { NO_GAIN, PRUNE_STRATEGY } from '#server/core/compactions';
import { ConflictError } from '#server/core/errors';
import type {
  CompactionRepository,
  FailedCompaction,
  NewCompaction,
  NewPrune,
} from '#server/store/compaction-repository';
import { newLease } from '#server/store/lease-watch';
import type { MessageRepository } from '#server/store/message-repository';
import type { SessionRepository } from '#server/store/session-repository';

/** Of the engine's settings, those of the compaction lease; milliseconds. */
export interface LeaseTimes {
  readonly compactionLease: number;
  readonly compactionLeaseRenewal: number;
  readonly compactionLeaseRetry: number;
}

export interface ContextStoreRepositories {
  readonly sessions: SessionRepository;
  readonly messages: MessageRepository;
  readonly compactions: CompactionRepository;
  /** Asked each time: they may change while the server runs. */
  readonly settings: { readonly current: () => LeaseTimes };
}

/** Compactions that the breaker looks at, at most. */
const PAST_COMPACTIONS = 20;

const pauseSchema = z.object({ modelId: z.string(), failures: z.number(), until: z.number() });

/** What the context engine needs of the store, over the repositories. */
export function createContextStore({ sessions, messages, compactions, settings }: ContextStoreRepositories) {
  /** @throws the signal's reason */
  async function untilRetry(signal: AbortSignal | undefined): Promise<void> {
    const { compactionLeaseRetry } = settings.current();
    await delay(compactionLeaseRetry, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }

  return {
    loadView: (sessionId: string) => messages.loadView(sessionId),
    loadBefore: (sessionId: string, seq: number) => messages.loadBefore(sessionId, seq),
    async pastCompactions(sessionId: string) {
      const { compactionCount: count } = await sessions.get(sessionId);
      const paused = pauseSchema.safeParse(await compactions.summarizerPause(sessionId));
      const records = await compactions.list(sessionId);
      const newest = records.filter(
        ({ status, strategy, error }) =>
          strategy !== PRUNE_STRATEGY && (status === 'completed' || (status === 'failed' && error === NO_GAIN)),
      );
      return {
        count,
        newest: newest.slice(0, PAST_COMPACTIONS),
        summaryId: newest.find(({ status }) => status === 'completed')?.summaryMessageId ?? null,
        pause: paused.success ? paused.data : null,
      };
    },
    async saveCompaction(
      sessionId: string,
      lease: { owner: string },
      { previousSummaryId, ...commit }: NewCompaction & { previousSummaryId: string | null },
    ) {
      const { compaction } = await compactions.recordCompaction(sessionId, commit, {
        leaseOwner: lease.owner,
        previousSummaryId,
      });
      return { id: compaction.id };
    },
    async saveFailure(sessionId: string, failure: FailedCompaction) {
      await compactions.recordFailure(sessionId, failure);
    },
    async savePrune(sessionId: string, commit: NewPrune) {
      const { id } = await compactions.recordPrune(sessionId, commit);
      return { id };
    },
    savePause: (sessionId: string, pause: object | null) => compactions.setSummarizerPause(sessionId, pause),
    async settled(sessionId: string, signal?: AbortSignal): Promise<void> {
      while (await compactions.isCompacting(sessionId)) await untilRetry(signal);
    },
    /**
     * Holds the session's compaction lease until disposed, renewing it meanwhile, which also tells whether another
     * process has cancelled the compaction. A dead holder's lease runs out.
     * @throws ConflictError when somebody else holds it and the caller does not wait; the signal's reason when it
     * ends the wait
     */
    async holdLease(
      sessionId: string,
      wait: boolean,
      signal?: AbortSignal,
    ): Promise<AsyncDisposable & { owner: string; cancelled: AbortSignal }> {
      const { compactionLease, compactionLeaseRenewal } = settings.current();
      const lease = newLease(compactionLease);
      while (!(await compactions.acquire(sessionId, lease))) {
        if (!wait) throw new ConflictError('This conversation is being compacted already.');
        await untilRetry(signal);
      }
      const cancelled = new AbortController();
      const renew = async () => {
        if (await compactions.acquire(sessionId, lease)) return;
        if (!(await compactions.isCancelled(sessionId, lease.leaseOwner))) return;
        cancelled.abort(new DOMException('The compaction was cancelled.', 'AbortError'));
      };
      // A missed renewal is made good by the next one; a lost lease makes saveCompaction refuse.
      const renewal = setInterval(() => void renew().catch(() => undefined), compactionLeaseRenewal);
      return {
        owner: lease.leaseOwner,
        cancelled: cancelled.signal,
        async [Symbol.asyncDispose]() {
          clearInterval(renewal);
          await compactions.release(sessionId, lease.leaseOwner);
        },
      };
    },
  };
}
