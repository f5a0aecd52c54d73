import type { ContentBackend } from '#server/content/content-backend';
import type { LedgerEntry } from '#server/core/compactions';
import { ThroughlineError } from '#server/core/errors';
import type { PlannedPage, PlannedQuery, TrashPage, TrashQuery } from '#server/core/site-lists';

/** Newest changes that a session's ledger is read from; a backend may give fewer at once. */
const MAX_CHANGES = 20_000;

/** The journal of one session as the engine's ledger, oldest first. */
export async function readLedger(content: Pick<ContentBackend, 'changes'>, sessionId: string): Promise<LedgerEntry[]> {
  const changes = (await content.changes({ sessionId, limit: MAX_CHANGES })).toReversed();
  return changes.map(({ targetType, targetId, slug, title, action, summary, undoneBy, createdAt, origin }) => ({
    kind: targetType,
    id: targetId,
    slug,
    title,
    action,
    summary,
    undone: undoneBy !== null,
    at: createdAt,
    toolCallId: origin.toolCallId,
  }));
}

/** Planned publications, the next one first. An overdue one carries why it failed, found out by a dry run. */
export async function readPlanned(
  content: Pick<ContentBackend, 'query' | 'publish'>,
  { limit, cursor }: PlannedQuery,
  now = Date.now,
): Promise<PlannedPage> {
  const { items, ...page } = await content.query({ scheduled: true, sort: 'scheduled', order: 'asc', limit, cursor });
  const problemOf = (id: string) =>
    content.publish(id, { actor: 'schedule' }, { dryRun: true, asPlanned: true }).then(
      () => null,
      (error: unknown) => {
        if (error instanceof ThroughlineError) return error.message;
        throw error;
      },
    );
  const planned = items.map(async ({ id, type, title, slug, path, status, publishAt, isPlanOlder }) => {
    // The query finds no others.
    const time = publishAt ?? 0;
    return {
      id,
      type,
      title,
      slug,
      path,
      status,
      publishAt: time,
      isPlanOlder,
      problem: time <= now() ? await problemOf(id) : null,
    };
  });
  return { ...page, items: await Promise.all(planned) };
}

/** Deleted pages and posts, or pictures, the last deleted first, with the change that deleted each. */
export async function readTrash(
  content: Pick<ContentBackend, 'query' | 'assets' | 'changes'>,
  { kind, limit, cursor }: TrashQuery,
): Promise<TrashPage> {
  const page =
    kind === 'media'
      ? await content.assets.list({ state: 'trashed', limit, cursor })
      : await content.query({ state: 'trashed', sort: 'updated', order: 'desc', limit, cursor });
  const items = page.items.map((item) =>
    'thumbnailUrl' in item
      ? { type: 'asset' as const, id: item.id, title: item.filename, thumbnailUrl: item.thumbnailUrl, alt: item.alt }
      : { type: item.type, id: item.id, title: item.title, slug: item.slug },
  );
  const changes = await Promise.all(items.map(({ id }) => content.changes({ targetId: id, limit: 1 })));
  return {
    // Nothing can be done to what is in the trash but to take it out: its newest change put it there.
    items: items.map((item, index) => ({ ...item, change: changes[index]?.[0] ?? null })),
    total: page.total,
    nextCursor: page.nextCursor,
  };
}
