import type { Clock, FaultLog } from '#server/core/process';
import type { ContentBackend } from '#server/site/content-backend';
import type { Entry } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { createRepeatingTimer, type RepeatingTimer } from '#server/core/repeating-timer';
import type { Leases } from '#server/platform/database/leases';

/** Longest time between two checks, milliseconds: other processes also schedule entries, and clocks may be set. */
const LONGEST_SLEEP_MS = 30_000;
/** Wait before a failed publication is tried again, milliseconds; it doubles with each failure. */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 600_000;

/** What `createDuePublications` needs. */
export interface DuePublicationsOptions extends FaultLog, Partial<Clock> {
  /** Names the lease that lets only one process at a time publish on this site. */
  readonly siteId: string;
  /** The site. Its `publish` must refuse, by `ifRevision`, an entry that has been published in the meantime. */
  readonly content: Pick<ContentBackend, 'query' | 'find' | 'changes' | 'publish'>;
  readonly leases: Leases;
}

/** A failed publication: the entry's state, the number of tries, and the time of the next one. */
interface Failure {
  readonly updatedAt: number;
  readonly tries: number;
  readonly retryAt: number;
}

/**
 * Publishes scheduled entries of a site in the order of their times, in one process at a time. An entry that cannot be
 * published stays scheduled, is reported in the log and by `readScheduled`, and is tried again after growing intervals,
 * or immediately when it changes.
 * @returns the timer of the checks, which its owner must start and close
 */
export function createDuePublications({
  siteId,
  content,
  leases,
  now = Date.now,
  onFault,
}: DuePublicationsOptions): RepeatingTimer {
  const failures = new Map<string, Failure>();

  /** The entries that are due, the earliest first, and the time of the next one. */
  async function readDue(): Promise<{ ids: string[]; nextAt: number }> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await content.query({ scheduled: true, sort: 'scheduled', order: 'asc', limit: 100, cursor });
      for (const { id, publishAt, updatedAt } of page.items) {
        if (publishAt === null) continue;
        if (publishAt > now()) return { ids, nextAt: publishAt };
        const failure = failures.get(id);
        if (failure?.updatedAt !== updatedAt || failure.retryAt <= now()) ids.push(id);
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return { ids, nextAt: Infinity };
  }

  /**
   * Origin of the newest schedule, including its session, so that an undo in that session also undoes the publication.
   */
  async function originOfSchedule(entryId: string): Promise<ChangeOrigin> {
    let before: string | undefined;
    for (;;) {
      const changes = await content.changes({ targetId: entryId, before, limit: 100 });
      const plan = changes.find(({ action, undoneBy }) => action === 'schedule' && undoneBy === null);
      if (plan !== undefined) {
        const { userId, sessionId, turnId } = plan.origin;
        return { actor: 'schedule', userId, sessionId, turnId };
      }
      before = changes.at(-1)?.id;
      if (before === undefined) return { actor: 'schedule' };
    }
  }

  async function publish(entryId: string): Promise<void> {
    const entry = await content.find(entryId);
    if (entry === null || entry.publishAt === null || entry.publishAt > now()) return;
    try {
      const origin = await originOfSchedule(entryId);
      await content.publish(entryId, origin, { ifRevision: entry.revision, asScheduled: true });
      failures.delete(entryId);
    } catch (error) {
      await recordFailure(entry, error);
    }
  }

  async function recordFailure({ id, revision, updatedAt, draft }: Entry, error: unknown): Promise<void> {
    const current = await content.find(id);
    if (current?.revision !== revision) {
      // Another process published first: check the current state again.
      timer.wake();
      return;
    }
    const former = failures.get(id);
    const tries = former?.updatedAt === updatedAt ? former.tries + 1 : 1;
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LONGEST_RETRY_MS);
    failures.set(id, { updatedAt, tries, retryAt: now() + retryMs });
    onFault(`The planned publication of "${draft.title}" (${id}) failed; it is tried again`, error);
  }

  /** @returns the time of the next publication, epoch milliseconds */
  async function publishDue(closing: AbortSignal): Promise<number> {
    const { ids, nextAt } = await readDue();
    if (ids.length === 0) return nextAt;
    await leases.ifFree(`publish-due:${siteId}`, async (lost) => {
      for (const id of ids) if (!closing.aborted && !lost.aborted) await publish(id);
    });
    return nextAt;
  }

  const timer = createRepeatingTimer(async (closing) => {
    const nextAt = await publishDue(closing).catch((error: unknown) => {
      onFault('What is planned could not be looked at', error);
      return Infinity;
    });
    return Math.max(0, Math.min(nextAt - now(), LONGEST_SLEEP_MS));
  });
  return timer;
}
