import type { ContentBackend } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import type { Entry } from '#server/core/content';
import type { ChangeOrigin } from '#server/core/changes';
import { NotFoundError } from '#server/core/errors';
import type { EntryItem } from '#server/core/site-lists';
import { createUpkeep, type Upkeep } from '#server/core/upkeep';
import { createContentRepository } from '#server/store/content-repository';
import type { Database } from '#server/store/database';
import type { Leases } from '#server/store/leases';

/** Longest time between two checks, milliseconds: other processes plan too, and clocks jump. */
const LONGEST_SLEEP_MS = 30_000;
/** Wait before a failed publication is tried again, milliseconds; it doubles with each failure. */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 600_000;

export interface DuePublicationsOptions {
  /** Names the lease by which one process at a time publishes on this site. */
  readonly siteId: string;
  /** The site. Its `publish` must refuse, by `ifRevision`, an entry that has been published meanwhile. */
  readonly content: Pick<ContentBackend, 'query' | 'find' | 'changes' | 'publish'>;
  readonly leases: Pick<Leases, 'ifFree'>;
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  readonly onFault: (message: string, error: unknown) => void;
}

/** A failed publication: the entry's state, the number of tries, and the time of the next. */
interface Failure {
  readonly updatedAt: number;
  readonly tries: number;
  readonly retryAt: number;
}

/** Content that calls `wake` when something is planned through it. */
export function wakingOnPlans(content: ContentBackend, wake: () => void): ContentBackend {
  return {
    ...content,
    async schedule(...args) {
      const planned = await content.schedule(...args);
      wake();
      return planned;
    },
  };
}

/**
 * Publishes planned entries of a site, in the order of their times. Of several processes one at a time does it. What
 * cannot be published stays planned, is told in the log and by `readPlanned`, and is tried again later and later, at
 * once when the entry changes.
 */
export function createDuePublications({
  siteId,
  content,
  leases,
  now = Date.now,
  onFault,
}: DuePublicationsOptions): Upkeep {
  const failures = new Map<string, Failure>();

  /** The entries that are due, the earliest first, and the time of the next. */
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

  /** Origin of the newest plan; with its session, whose undo undoes the publication too. */
  async function plannerOf(entryId: string): Promise<ChangeOrigin> {
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
      const origin = await plannerOf(entryId);
      await content.publish(entryId, origin, { ifRevision: entry.revision, asPlanned: true });
      failures.delete(entryId);
    } catch (error) {
      await noteFailure(entry, error);
    }
  }

  async function noteFailure({ id, revision, updatedAt, draft }: Entry, error: unknown): Promise<void> {
    const current = await content.find(id);
    if (current?.revision !== revision) {
      // Somebody was faster: it is looked at again as it is now.
      upkeep.wake();
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

  const upkeep = createUpkeep(async (closing) => {
    const nextAt = await publishDue(closing).catch((error: unknown) => {
      onFault('What is planned could not be looked at', error);
      return Infinity;
    });
    return Math.max(0, Math.min(nextAt - now(), LONGEST_SLEEP_MS));
  });
  return upkeep;
}

/**
 * Planned publications of the connected sites. WordPress publishes its planned posts itself (though only when somebody
 * visits it), but not a changed draft of a published one. Due entries are looked up in our copies, which saves two
 * requests to each WordPress a minute.
 */
export function plansOfConnectedSites(
  database: Database,
  sites: { readonly connectedIds: readonly string[]; contentOf(siteId: string): ContentBackend },
): DuePublicationsOptions['content'] {
  /** Sites of entries that were found to be planned. */
  const siteOf = new Map<string, string>();
  const contentOf = (entryId = '') => {
    const siteId = siteOf.get(entryId);
    if (siteId === undefined) throw new NotFoundError('planned entry', entryId);
    return sites.contentOf(siteId);
  };
  return {
    find: async (ref, type) => contentOf(ref).find(ref, type),
    changes: async (query) => contentOf(query.targetId).changes(query),
    publish: async (id, origin, options) => contentOf(id).publish(id, origin, options),
    async query({ cursor: _, ...query }) {
      const items: EntryItem[] = [];
      for (const siteId of sites.connectedIds) {
        const copy = createEmbeddedContentBackend(createContentRepository(database, siteId));
        let cursor: string | undefined;
        do {
          const page = await copy.query({ ...query, cursor });
          for (const item of page.items) siteOf.set(item.id, siteId);
          items.push(...page.items);
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
      }
      items.sort((a, b) => (a.publishAt ?? 0) - (b.publishAt ?? 0));
      return { items, total: items.length, nextCursor: null };
    },
  };
}
