import type { ContentBackend } from '#server/content/content-backend';
import type { LedgerEntry } from '#server/core/compactions';
import type { Asset, ChangeSet, Entry } from '#server/core/content';
import { ThroughlineError } from '#server/core/errors';
import type { PlannedPage, PlannedQuery, TrashPage, TrashQuery } from '#server/core/site-lists';

/** Newest changes that a session's ledger is read from; a backend may give fewer at once. */
const MAX_CHANGES = 20_000;

/** Methods that reading a ledger needs. */
export type LedgerBackend = Pick<ContentBackend, 'changes' | 'find' | 'assets'>;

/**
 * The journal of one session as the engine's ledger, oldest first. Every entry carries what its page or post is by
 * now (slug, title, state, sections), and every picture its address, whoever changed it last: those are the names that
 * later work needs.
 */
export async function readLedger(content: LedgerBackend, sessionId: string): Promise<LedgerEntry[]> {
  const changes = (await content.changes({ sessionId, limit: MAX_CHANGES })).toReversed();
  const entries = new Map<string, Entry | null>();
  const assets = new Map<string, Asset>();
  for (const { targetId, targetType } of changes) {
    if (targetType === 'asset' && !assets.has(targetId)) assets.set(targetId, await content.assets.get(targetId));
    if (targetType !== 'page' && targetType !== 'post') continue;
    if (entries.has(targetId)) continue;
    const found = await content.find(targetId, targetType);
    // `find` also knows slugs and titles: a deleted entry's id might be another one's name.
    entries.set(targetId, found?.id === targetId ? found : null);
  }
  return changes.map((change) => {
    const asset = assets.get(change.targetId);
    return asset ? pictureEntry(change, asset) : ledgerEntry(change, entries.get(change.targetId));
  });
}

function pictureEntry(change: ChangeSet, { url, filename, deletedAt }: Asset): LedgerEntry {
  const state = deletedAt === null ? 'in the library' : 'deleted';
  return { ...ledgerEntry(change, undefined), kind: 'picture', slug: url.slice(1), title: filename, state };
}

function stateOf({ status, publishAt }: Entry): string {
  return publishAt === null ? status : `${status}, planned for ${new Date(publishAt).toISOString().slice(0, 16)}Z`;
}

/** @param now the current entry: null when it is gone, undefined for navigation and settings */
function ledgerEntry(change: ChangeSet, now: Entry | null | undefined): LedgerEntry {
  const recorded = {
    kind: change.targetType,
    id: change.targetId,
    slug: change.slug,
    title: change.title,
    action: change.action,
    summary: change.summary,
    undone: change.undoneBy !== null,
    at: change.createdAt,
  };
  if (now === undefined) return recorded;
  if (now === null) return { ...recorded, state: 'deleted', parts: [] };
  const { slug, title, sections } = now.draft;
  return { ...recorded, slug, title, state: stateOf(now), parts: sections.map(({ id, type }) => ({ id, type })) };
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
