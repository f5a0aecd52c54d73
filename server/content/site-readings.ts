import { quotedTitle } from '#server/content/change-summary';
import type { ContentBackend } from '#server/content/content-backend';
import { valueChanges } from '#server/content/field-changes';
import { fieldName } from '#server/core/field-names';
import type { LedgerEntry, Thing, ThingRef } from '#server/core/compactions';
import { type Entry, type EntryDocument, type NavigationItem, type PatchOp, hasOlderPlan } from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';
import { ThroughlineError } from '#server/core/errors';
import type {
  EntryItem,
  EntryPage,
  PictureUse,
  PlannedPage,
  PlannedQuery,
  TrashPage,
  TrashQuery,
  UsedPicture,
} from '#server/core/site-lists';
import { linkedAsset, linksOf } from '#server/content/entry-links';
import { createBreathing, orAborted } from '#server/core/async';
import type { JsonValue } from '#server/core/json';
import { BoundedMap } from '#server/core/bounded-map';

/* Reads a site through its backend: for the engine what a session did and how things stand, and lists for editors. */

/** Newest changes that a session's ledger is read from; a backend may give fewer at once. */
const MAX_CHANGES = 20_000;

/** The journal of one session as the engine's ledger, oldest first. */
export async function readLedger(content: Pick<ContentBackend, 'changes'>, sessionId: string): Promise<LedgerEntry[]> {
  const changes = (await content.changes({ sessionId, limit: MAX_CHANGES })).toReversed();
  return changes.map((change) => {
    const { targetType, targetId, slug, title, action, undoneBy, createdAt, origin } = change;
    return {
      kind: targetType,
      id: targetId,
      slug,
      title,
      action,
      summary: `${change.summary}${textsChanged(change)}`,
      undone: undoneBy !== null,
      at: createdAt,
      toolCallId: origin.toolCallId,
    };
  });
}

/** Texts of one change that are told; the others stand on the page. */
const MAX_TEXTS = 2;

/** Old and new texts of a change that set some: ` (answer from "At nine." to "At ten.")`. */
function textsChanged({ operations, inverse }: Pick<ChangeSet, 'operations' | 'inverse'>): string {
  const before = valuesSet(inverse);
  const changes = [...valuesSet(operations)].flatMap(([key, value]) =>
    before.has(key) ? valueChanges(key.slice(key.indexOf(' ') + 1), before.get(key), value) : [],
  );
  const told = changes.slice(0, MAX_TEXTS).flatMap((change) => {
    if (typeof change.before !== 'string' || typeof change.after !== 'string') return [];
    const [from, to] = differing(change.before, change.after).map(quotedTitle);
    return [`${fieldName(change.field.split(' › ').at(-1) ?? '')} from ${from} to ${to}`];
  });
  return told.length === 0 ? '' : ` (${told.join('; ')})`;
}

/** Values that operations set, by section and field; a title stands in every summary. */
function valuesSet(operations: readonly PatchOp[]) {
  return new Map(
    operations.flatMap((operation) => {
      if (operation.op === 'set' && operation.field !== 'title') return [[` ${operation.field}`, operation.value]];
      if (operation.op !== 'set-section') return [];
      return Object.entries(operation.fields).map(([field, value]) => [`${operation.sectionId} ${field}`, value]);
    }) as [string, JsonValue][],
  );
}

/** Two texts on one line each, without the words at their beginning that they have in common. */
function differing(before: string, after: string): [string, string] {
  const [was, is] = [before, after].map((text) => text.trim().split(/\s+/)) as [string[], string[]];
  const same = was.findIndex((word, index) => word !== is[index]);
  const from = Math.max(0, Math.min(same === -1 ? was.length : same, is.length) - 1);
  const told = (words: readonly string[]) => `${from === 0 ? '' : '… '}${words.slice(from).join(' ')}`;
  return [told(was), told(is)];
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

/** Ids of pictures, wherever a document names them; those that it writes in another way are found one by one. */
const PICTURE = /\/media\/(ast_[a-z0-9]{6})\b/g;

/** Most pictures outside the library that are named. */
const MOST_OUTSIDE = 1_000;

/** Finds out which pictures are in use, and where, by reading each entry once; by the id of the picture. */
export async function picturesInUse(content: ContentBackend): Promise<ReadonlyMap<string, readonly PictureUse[]>> {
  const uses = new Map<string, Map<string, PictureUse>>();
  for await (const { entry, isPublished } of entriesOf(content)) {
    for (const [, asset = ''] of JSON.stringify(entry.selected ?? {}).matchAll(PICTURE)) {
      note(uses, asset, entry, isPublished);
    }
  }
  return new Map([...uses].map(([asset, places]) => [asset, [...places.values()]]));
}

/** Pictures that the site shows, and where: those of the library by their id, others by their address. */
export async function usedPictures(content: ContentBackend): Promise<UsedPicture[]> {
  const inLibrary = new Map<string, Map<string, PictureUse>>();
  const outside = new Map<string, Map<string, PictureUse>>();
  const breathe = createBreathing();
  for await (const { entry, isPublished } of entriesOf(content)) {
    await breathe();
    const document: EntryDocument = { title: entry.title, slug: entry.slug, sections: [], ...entry.selected };
    for (const { kind, href } of linksOf(document)) {
      if (kind !== 'image') continue;
      const asset = linkedAsset(href);
      if (asset !== null) note(inLibrary, asset, entry, isPublished);
      else if (outside.has(href) || outside.size < MOST_OUTSIDE) note(outside, href, entry, isPublished);
    }
  }
  return [
    ...[...inLibrary].map(([assetId, uses]) => ({ assetId, src: null, uses: [...uses.values()] })),
    ...[...outside].map(([src, uses]) => ({ assetId: null, src, uses: [...uses.values()] })),
  ];
}

/** Adds an entry to those that show a picture, once; what visitors see goes before drafts. */
function note(
  uses: Map<string, Map<string, PictureUse>>,
  picture: string,
  { id, type, title }: EntryItem,
  isPublished: boolean,
): void {
  const places = uses.get(picture) ?? new Map<string, PictureUse>();
  uses.set(picture, places);
  if (!places.has(id)) places.set(id, { id, type, title, isPublished });
}

/** Yields each entry as published, then each draft, with all that can show a picture. */
async function* entriesOf(content: ContentBackend) {
  for (const state of ['published', 'draft'] as const) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: EntryPage = await content.query({ state, select: ['sections', 'image', 'seo'], limit: 100, cursor });
      for (const entry of page.items) yield { entry, isPublished: state === 'published' };
      cursor = page.nextCursor;
    }
  }
}

/** Methods that reading the state of things needs. */
export type SiteStateBackend = Pick<ContentBackend, 'find' | 'pathOf' | 'assets' | 'navigation' | 'settings'>;

/** Longest wait for a site, all things together: a compaction holds up the turn. */
const WAIT_MS = 2_000;
/** Things whose last known state is remembered, of all sessions. */
const MOST_REMEMBERED = 5_000;

/**
 * Reads how things stand, from the site at that moment. What the site does not tell within 2 s stands as it was read
 * last; what was never read, by its names alone.
 */
export function createSiteState(waitMs = WAIT_MS) {
  const remembered = new BoundedMap<Thing>(MOST_REMEMBERED);
  return async (
    content: SiteStateBackend,
    sessionId: string,
    refs: readonly ThingRef[],
    signal?: AbortSignal,
  ): Promise<Thing[]> => {
    const deadline = AbortSignal.any([AbortSignal.timeout(waitMs), ...(signal ? [signal] : [])]);
    const things: Thing[] = [];
    for (const ref of refs) {
      const key = `${sessionId} ${ref.kind} ${ref.id}`;
      const read = deadline.aborted
        ? undefined
        : await orAborted(readThing(content, ref), deadline).catch(() => undefined);
      if (read) remembered.set(key, read);
      const known = remembered.get(key) ?? { ...ref, path: ref.slug && `/${ref.slug}`, state: null };
      things.push(read ?? { ...known, isLastKnown: true });
    }
    signal?.throwIfAborted();
    return things;
  };
}

async function readThing(content: SiteStateBackend, { kind, id, title }: ThingRef): Promise<Thing> {
  switch (kind) {
    case 'page':
    case 'post': {
      const found = await content.find(id, kind);
      // `find` also knows slugs and titles: a deleted entry's id might be another one's name.
      return found?.id === id ? entryThing(content, found) : { kind, id, title, path: null, state: 'deleted' };
    }
    case 'asset': {
      const { url, filename, deletedAt } = await content.assets.get(id);
      const state = deletedAt === null ? 'in the library' : 'deleted';
      return { kind: 'picture', id, title: filename, path: url, state };
    }
    case 'navigation': {
      const items = await content.navigation();
      return { kind: 'menu', id: 'menu', title, path: null, state: null, detail: menuText(items) || 'empty' };
    }
    case 'settings': {
      const values = Object.entries(await content.settings()).filter(([, value]) => value !== '');
      const detail = values.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
      return { kind, id, title, path: null, state: null, detail };
    }
    default:
      return { kind, id, title, path: null, state: null };
  }
}

/** States whose names alone do not tell what visitors see. */
const STATE_WORDS: Partial<Record<Entry['status'], string>> = { changed: 'published, the draft has newer edits' };

function menuText(items: readonly NavigationItem[]): string {
  const itemText = ({ label, href, children = [] }: NavigationItem) =>
    `${label} ${href}${children.length === 0 ? '' : ` [below it: ${menuText(children)}]`}`;
  return items.map(itemText).join(', ');
}

async function entryThing(content: SiteStateBackend, entry: Entry): Promise<Thing> {
  const { id, type: kind, draft, published, status, publishAt } = entry;
  const draftPath = await content.pathOf(entry, 'draft');
  const path = published ? await content.pathOf(entry, 'published') : draftPath;
  const moves = path === draftPath ? '' : `, moves to ${draftPath} when published`;
  const planned = publishAt === null ? '' : `, planned for ${new Date(publishAt).toISOString().slice(0, 16)}Z`;
  const frozen = hasOlderPlan(entry) ? ' without newer edits of the draft' : '';
  const parts = draft.sections.map((section) => ({ id: section.id, type: section.type }));
  return {
    kind,
    id,
    title: draft.title,
    path,
    state: `${STATE_WORDS[status] ?? status}${moves}${planned}${frozen}`,
    parts,
  };
}
