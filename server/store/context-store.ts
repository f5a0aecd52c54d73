import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { NO_GAIN, PRUNE_STRATEGY } from '#server/core/compactions';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type {
  CompactionRepository,
  FailedCompaction,
  NewCompaction,
  NewPrune,
} from '#server/store/compaction-repository';
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

/** Compactions that the breaker looks at, at most. */
const PAST_COMPACTIONS = 20;

const workingContextSchema = z.object({
  tools: z.array(z.string()),
  removedTools: z.array(z.string()),
  focus: z.string().nullable(),
});

/** What the context engine needs of the store, over the repositories. */
export function createContextStore({ sessions, messages, compactions }: ContextStoreRepositories) {
  return {
    loadView: (sessionId: string) => messages.loadView(sessionId),
    loadBefore: (sessionId: string, seq: number) => messages.loadBefore(sessionId, seq),
    async pastCompactions(sessionId: string) {
      const { compactionCount: count } = await sessions.get(sessionId);
      const records = await compactions.list(sessionId);
      const newest = records.filter(
        ({ status, strategy, error }) =>
          strategy !== PRUNE_STRATEGY && (status === 'completed' || (status === 'failed' && error === NO_GAIN)),
      );
      return { count, newest: newest.slice(0, PAST_COMPACTIONS) };
    },
    async loadWorkingContext(sessionId: string) {
      const stored = workingContextSchema.safeParse(await sessions.workingContext(sessionId));
      return stored.success ? stored.data : null;
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
      await compactions.recordPrune(sessionId, commit);
    },
    /**
     * Holds the session's compaction lease until disposed, renewing it meanwhile. A dead holder's lease runs out.
     * @throws ConflictError when somebody else holds it and the caller does not wait; an AbortError when the signal ends
     * the wait
     */
    async holdLease(
      sessionId: string,
      wait: boolean,
      signal?: AbortSignal,
    ): Promise<AsyncDisposable & { owner: string }> {
      const lease = { leaseOwner: createId('own'), leaseMs: LEASE_MS };
      while (!(await compactions.acquire(sessionId, lease))) {
        if (!wait) throw new ConflictError('This conversation is being compacted already.');
        await delay(RETRY_MS, undefined, signal && { signal });
      }
      // A missed renewal is made good by the next one; a lost lease makes saveCompaction refuse.
      const renewal = setInterval(() => void compactions.acquire(sessionId, lease).catch(() => undefined), RENEW_MS);
      return {
        owner: lease.leaseOwner,
        async [Symbol.asyncDispose]() {
          clearInterval(renewal);
          await compactions.release(sessionId, lease.leaseOwner);
        },
      };
    },
  };
}
