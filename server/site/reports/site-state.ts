import type { ContentBackend } from '#server/site/content-backend';
import type { Thing, ThingRef } from '#server/core/conversation/compactions';
import { type Entry, type NavigationItem, hasOutdatedSchedule } from '#server/core/site/content';
import { orAborted } from '#server/core/async';
import { BoundedMap } from '#server/core/bounded-map';

/* The current state of pages, pictures, menu and settings, as summaries report it. */

/** Longest total wait for a site, because a compaction delays the turn. */
const WAIT_MS = 2_000;
/** Number of targets whose last known state is cached, for all sessions. */
const MAX_REMEMBERED_TARGETS = 5_000;

/**
 * Reads the current state of targets from the site, in order. If the site does not answer within 2 s, the last known
 * state is used; a target that was never read has only its name.
 * @throws only the reason of the signal
 */
export type ReadSiteState = (
  content: ContentBackend,
  sessionId: string,
  refs: readonly ThingRef[],
  signal?: AbortSignal,
) => Promise<Thing[]>;

/** @param waitMs longest total wait for a site */
export function createSiteState(waitMs = WAIT_MS): ReadSiteState {
  const remembered = new BoundedMap<Thing>(MAX_REMEMBERED_TARGETS);
  return async (content, sessionId, refs, signal) => {
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

async function readThing(content: ContentBackend, { kind, id, title }: ThingRef): Promise<Thing> {
  switch (kind) {
    case 'page':
    case 'post': {
      const found = await content.find(id, kind);
      // `find` also matches slugs and titles: a deleted entry's id might be another entry's name.
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

/** States whose names alone do not explain what visitors see. */
const STATE_WORDS: Partial<Record<Entry['status'], string>> = { changed: 'published, the draft has newer edits' };

function menuText(items: readonly NavigationItem[]): string {
  const itemText = ({ label, href, children = [] }: NavigationItem) =>
    `${label} ${href}${children.length === 0 ? '' : ` [below it: ${menuText(children)}]`}`;
  return items.map(itemText).join(', ');
}

async function entryThing(content: ContentBackend, entry: Entry): Promise<Thing> {
  const { id, type: kind, draft, published, status, publishAt } = entry;
  const draftPath = await content.pathOf(entry, 'draft');
  const path = published ? await content.pathOf(entry, 'published') : draftPath;
  const moves = path === draftPath ? '' : `, moves to ${draftPath} when published`;
  const planned = publishAt === null ? '' : `, planned for ${new Date(publishAt).toISOString().slice(0, 16)}Z`;
  const frozen = hasOutdatedSchedule(entry) ? ' without newer edits of the draft' : '';
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
