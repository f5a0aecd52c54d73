import { summarizeSettings, summarizeUndo } from '#server/site/change-summary';
import { type ChangeChain, chainsOf, linkUndo, undoneSubject, tailOf } from '#server/site/embedded/change-chains';
import type { ContentReader, ContentTransaction, WriteContext } from '#server/site/embedded/content-store';
import { commitSiteDocument, readSettings, settingsFromJson } from '#server/site/embedded/site-settings-writes';
import type { Entry } from '#server/core/site/content';
import { toJson } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

/* The settings refer to the home page by its published slug and follow it when the slug changes. */

function publishedSlugOf(entry: Entry | null): string | null {
  return entry === null || entry.deletedAt !== null ? null : (entry.published?.slug ?? null);
}

/** True if visitors see an entry at `/` because the settings name it. */
export async function isPublishedHome(reader: ContentReader, entry: Entry | null): Promise<boolean> {
  return entry?.type === 'page' && publishedSlugOf(entry) === (await readSettings(reader)).homeSlug;
}

/**
 * The slug under which the home page was published before a write that publishes it under another one; otherwise null.
 */
export async function renamedHome(reader: ContentReader, before: Entry | null, after: Entry): Promise<string | null> {
  const [from, to] = [publishedSlugOf(before), publishedSlugOf(after)];
  const isRenamed = from !== null && to !== null && from !== to;
  return isRenamed && (await isPublishedHome(reader, before)) ? from : null;
}

/** The newest change of the setting `homeSlug`, if it changed the slug from `to` to `from`; otherwise null. */
async function homeChangeToUndo(tx: ContentReader, from: string, to: string): Promise<ChangeChain | null> {
  const homes = (value: Parameters<typeof settingsFromJson>[0]) => settingsFromJson(value ?? {}).homeSlug;
  const chains = chainsOf(await tx.journalOf('settings'));
  const choices = chains.filter((chain) => chain.some(({ before, after }) => homes(before) !== homes(after)));
  const newest = choices.toSorted((a, b) => tailOf(b).seq - tailOf(a).seq).at(0);
  if (newest === undefined) return null;
  const { before, after } = tailOf(newest);
  return homes(before) === to && homes(after) === from ? newest : null;
}

/**
 * Sets `homeSlug` to the slug under which the home page is now published, as a separate change. If that is the slug before
 * the newest change of `homeSlug`, undoes that change instead.
 * @param from the slug until now
 * @returns notes for the writer
 */
export async function updateHomeSetting(
  tx: ContentTransaction,
  from: string,
  entry: Entry,
  { origin, now }: WriteContext,
): Promise<readonly ServerText[]> {
  const to = publishedSlugOf(entry) ?? from;
  const before = await readSettings(tx);
  const after = { ...before, homeSlug: to };
  const chain = await homeChangeToUndo(tx, from, to);
  const subject = chain && undoneSubject(chain);
  const change = await commitSiteDocument(tx, {
    origin,
    now,
    key: 'settings',
    before: toJson(before),
    after: toJson(after),
    action: subject ? 'undo' : 'update',
    summary: subject ? summarizeUndo(subject) : summarizeSettings(['homeSlug'], before, after),
  });
  if (chain !== null) await linkUndo(tx, chain, change);
  await tx.saveRedirect(`/${from}`, entry.id, now);
  return [serverText('home-setting-follows', { slug: to })];
}

/** The published home page, if it was once published under `slug` and no entry is published under `slug` now. */
export async function homeOnceAt(reader: ContentReader, slug: string): Promise<Entry | null> {
  const { homeSlug } = await readSettings(reader);
  const home = slug === homeSlug ? null : await reader.entryByPublishedSlug('page', homeSlug);
  if (home === null || (await reader.redirectTarget(`/${slug}`)) !== home.id) return null;
  return (await reader.entryByPublishedSlug('page', slug)) === null ? home : null;
}

/** Notes about what visitors find at `/` after the home page was taken off the site. */
export async function lostHomeNotes(reader: ContentReader, { draft }: Entry): Promise<readonly ServerText[]> {
  const first = await reader.firstPage('published');
  const instead = first === null ? null : await reader.entry(first.id);
  const title = instead === null ? '' : shortTitle((instead.published ?? instead.draft).title);
  const shown = { instead: title, hasInstead: instead !== null };
  return [serverText('home-gone', { title: shortTitle(draft.title), ...shown })];
}
