import { quotedTitle } from '#server/content/change-summary';
import { placeReader } from '#server/content/embedded/entry-paths';
import { readNavigation } from '#server/content/embedded/site-document-writes';
import { linkedPath } from '#server/content/site-links';
import { locate } from '#server/content/site-paths';
import { knownSettingsOf, knownToJson, type KnownSettings } from '#server/content/wordpress/known-state';
import type { MirrorTransaction } from '#server/content/wordpress/mirror';
import { knownOfSettings } from '#server/content/wordpress/push-settings';
import type { TouchedTarget } from '#server/content/wordpress/recorded-write';
import type { SiteAccess } from '#server/content/wordpress/site-access';
import type { NavigationItem } from '#server/core/content';

type TouchedEntry = Extract<TouchedTarget, { kind: 'entry' }>;

function isVisible(state: TouchedEntry['before']): boolean {
  return state !== null && state.deletedAt === null && state.published !== null;
}

function isLive(state: TouchedEntry['before']): boolean {
  return state !== null && state.deletedAt === null;
}

/** Goes into the trash, or off the site. */
export function leaves({ before, after }: TouchedEntry): boolean {
  return (isLive(before) && !isLive(after)) || (isVisible(before) && !isVisible(after));
}

function allItems(items: readonly NavigationItem[]): NavigationItem[] {
  return items.flatMap((item) => [item, ...allItems(item.children ?? [])]);
}

/** Says which items of the menu lead nowhere once these entries are gone. Asked before the write is kept. */
export async function danglingNotes({ mirror }: SiteAccess, leaving: readonly TouchedEntry[]): Promise<string[]> {
  if (leaving.length === 0) return [];
  const notes: string[] = [];
  for (const { label, href } of allItems(await readNavigation(mirror))) {
    const path = linkedPath(href);
    const found = path === null ? null : await locate(placeReader(mirror), path, 'draft');
    const entry = leaving.find(({ id }) => id === found?.id);
    if (entry === undefined) continue;
    const title = quotedTitle(entry.after.draft.title);
    notes.push(`The menu item "${label}" (${href}) leads nowhere now: ${title} is off the site.`);
  }
  return notes;
}

/** What trashing, or bringing back, the front page did to WordPress's settings. */
export interface FrontPageChange {
  readonly notes: readonly string[];
  settle(tx: MirrorTransaction): Promise<void>;
}

/** WordPress forgets its front page when that goes into the trash, and does not remember it when it comes back. */
export async function followFrontPage(
  { mirror, client, now }: SiteAccess,
  entries: readonly TouchedEntry[],
): Promise<FrontPageChange | null> {
  const known = knownSettingsOf(await mirror.link('settings'));
  if (known === null) return null;
  const save = (notes: string[], next: KnownSettings): FrontPageChange => ({
    notes,
    settle: (tx) =>
      tx.saveLink({ kind: 'settings', localId: 'settings', remoteId: 0, known: knownToJson(next), seenAt: now() }),
  });
  const home = known.frontPage === 0 ? null : await mirror.linkByRemote('page', known.frontPage);
  const lost = entries.find(({ id, after }) => id === home?.localId && after.deletedAt !== null);
  if (lost !== undefined) {
    const present = knownOfSettings(await client.settings.get());
    if (present.frontPage === known.frontPage) return null;
    const title = quotedTitle(lost.after.draft.title);
    const note = `${title} was the front page: WordPress now shows the newest posts there. Choose another front page.`;
    return save([note], { ...present, lostFrontPage: lost.id });
  }
  const back = entries.find(({ id, after }) => id === known.lostFrontPage && isLive(after));
  const link = back === undefined || known.frontPage !== 0 ? null : await mirror.link(back.id);
  if (link === null) return null;
  const made = await client.settings.update({ showOnFront: 'page', pageOnFront: link.remoteId });
  return save(['It is the front page again.'], knownOfSettings(made));
}
