import { dryRun } from '#server/site/embedded/dry-run';
import { toJson } from '#server/core/json';
import type { Freshness } from '#server/wordpress/freshness';
import type { Exclusively } from '#server/wordpress/pull';
import { allNodes } from '#server/wordpress/blocks/menu/menu-tree';
import type { ContentStore, ContentTransaction } from '#server/site/embedded/content-store';
import { placeReader } from '#server/site/embedded/entry-paths';
import { readNavigation } from '#server/site/embedded/site-settings-writes';
import { linkedPath } from '#server/site/entry-links';
import { locate } from '#server/site/site-paths';
import { textFromHtml } from '#server/markup/html-text';
import { followInMenu, oldAddresses, oldAddressNotes } from '#server/wordpress/mirror/changed-addresses';
import {
  type KnownSettings,
  knownNavigationOf,
  knownSettingsOf,
  type MirrorTransaction,
  type RemoteAddress,
  type SiteAccess,
} from '#server/wordpress/mirror/mirror';
import { offerDrafts, requireAllWritable } from '#server/wordpress/draft-content';
import { entriesShowing, pushAsset, type ReplacedPicture } from '#server/wordpress/push-asset';
import { pushEntry } from '#server/wordpress/push-entry';
import { pushMenu, takeOverMenu } from '#server/wordpress/site-menu';
import { knownOfSettings, pushSettings } from '#server/wordpress/push-settings';
import {
  type PushedTarget,
  type RecordedWrite,
  recordWrite,
  type TouchedEntry,
  type TouchedTarget,
} from '#server/wordpress/mirror/recorded-write';
import { forgetMark, takeOverEntry, takeOverPicture, takeOverSettings } from '#server/wordpress/pull-external-change';
import { ConflictError, SiteUnavailableError } from '#server/core/errors';
import type { WriteNotes } from '#server/core/site/changes';
import type { Entry } from '#server/core/site/content';
import type { ServerText } from '#server/core/coded-message';
import { notesFrom, textsOfNotes } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

/** Limit for the case that another person keeps changing the same entry in WordPress. A choice, not measured. */
const MAX_REHEARSALS = 5;

/** A write that succeeded here in a dry run, and its targets. */
interface Rehearsal<T> {
  readonly result: T;
  readonly record: RecordedWrite;
  readonly targets: readonly TouchedTarget[];
  /** Notes on menu items that lead to other addresses now. */
  readonly led: readonly ServerText[];
}

/** Pictures before content that shows them, entries before content that links to them. */
const ORDER = { asset: 0, entry: 1, document: 2 } as const;

/** Options of `createMirroredStore`. */
interface MirroredStoreOptions {
  /** The connected user may change the menu: its items follow pages whose address changes. */
  readonly followsMenu: boolean;
  /** Receives why WordPress could not be reached. */
  readonly onFault: (reason: ServerText) => void;
}

/**
 * A store whose writes go to WordPress first. Each write runs here as a dry run; its targets are compared with
 * WordPress and taken over if another author has changed them (then the dry run is repeated); the write is then sent to
 * WordPress, and WordPress's result is stored here. Reads use the mirror. The result of a write has the entry as
 * WordPress stores it, and notes on what WordPress changed.
 * @param exclusively runs work while no other process writes to the site
 */
export function createMirroredStore(
  site: SiteAccess,
  exclusively: Exclusively,
  fresh: Freshness,
  { followsMenu, onFault }: MirroredStoreOptions,
): ContentStore {
  const { mirror } = site;

  async function rehearse<T>(work: (tx: ContentTransaction) => Promise<T>): Promise<Rehearsal<T>> {
    const { result, record, led } = await dryRun(mirror, async (tx) => {
      const recording = recordWrite(tx);
      const outcome = await work(recording.tx);
      const { abandoned } = recording.record();
      const notes = followsMenu ? await followInMenu(recording.tx, abandoned, site.now()) : [];
      return { result: outcome, record: recording.record(), led: notes };
    });
    const targets = [...record.targets, ...(await entriesShowing(mirror, record.targets))];
    return { result, record, led, targets: targets.toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind]) };
  }

  async function writeThrough<T>(work: (tx: ContentTransaction) => Promise<T>): Promise<T> {
    const takenOver = new Set<string>();
    for (let attempt = 0; attempt < MAX_REHEARSALS; attempt += 1) {
      const rehearsal = await rehearse(work);
      const news = await freshen(site, rehearsal.targets);
      for (const id of news) takenOver.add(id);
      if (news.length > 0) continue;
      await requireAllWritable(site, rehearsal.targets);
      const old = await oldAddresses(site, rehearsal.record.abandoned);
      const pushed = await pushAll(site, rehearsal);
      const kept = await keep(site, rehearsal, pushed);
      const notes = [
        ...kept,
        ...rehearsal.led,
        ...(await oldAddressNotes(site, old)),
        ...meanwhileNotes(rehearsal.targets, takenOver),
      ];
      return withReport(rehearsal.result, pushed, notes);
    }
    throw new ConflictError(serverText('wordpress-keeps-changing'));
  }

  /** The result of a write, with WordPress's corrections of its entry, and notes. */
  async function withReport<T>(result: T, pushed: readonly PushedTarget[], notes: readonly ServerText[]): Promise<T> {
    const { entry, ...own } = result as { readonly entry?: Entry } & WriteNotes;
    if (entry !== undefined) fresh.wrote(entry.id);
    const isCorrected = entry !== undefined && pushed.some((target) => target.corrected);
    const corrected = isCorrected ? await mirror.entry(entry.id) : null;
    return {
      ...result,
      ...(corrected !== null && { entry: corrected }),
      ...notesFrom([...textsOfNotes(own), ...notes]),
    };
  }

  return {
    ...mirror,
    async write(work) {
      try {
        return await exclusively(() => writeThrough(work));
      } catch (error) {
        if (error instanceof SiteUnavailableError) {
          fresh.doubt();
          onFault(error.text);
        }
        throw error;
      }
    },
  };
}

/** Pulls changes by others to the entries that are about to be written. @returns the ids of the changed entries */
async function freshen(site: SiteAccess, targets: readonly TouchedTarget[]): Promise<string[]> {
  const news: string[] = [];
  for (const target of targets) if (await takeOver(site, target)) news.push(target.id);
  return news;
}

async function takeOver(site: SiteAccess, { kind, id }: TouchedTarget): Promise<boolean> {
  if (kind === 'entry') return takeOverEntry(site, id);
  if (id === 'settings') return takeOverSettings(site);
  if (id === 'navigation') return takeOverMenu(site);
  const link = kind === 'asset' ? await site.mirror.link(id) : null;
  return link !== null && takeOverPicture(site, link);
}

/** Notes on entries that others changed before this write; its author may not have seen those changes. */
function meanwhileNotes(targets: readonly TouchedTarget[], takenOver: ReadonlySet<string>): ServerText[] {
  return targets.flatMap((target) =>
    target.kind === 'entry' && takenOver.has(target.id)
      ? [serverText('wordpress-changed-before', { title: shortTitle(target.after.draft.title) })]
      : [],
  );
}

/** Pictures whose file has been replaced. */
async function replacedBy({ mirror }: SiteAccess, { addresses }: PushedTarget): Promise<ReplacedPicture[]> {
  const replaced: ReplacedPicture[] = [];
  for (const { kind, localId, remoteId, address } of addresses) {
    const link = kind === 'asset' ? await mirror.link(localId) : null;
    if (link === null || link.remoteId === remoteId) continue;
    const former = (await mirror.addresses()).find((row) => row.localId === localId);
    if (former !== undefined) replaced.push({ assetId: localId, former, latter: { remoteId, address } });
  }
  return replaced;
}

/** Writes all targets to WordPress; if one fails, restores the others as far as possible. */
async function pushAll(site: SiteAccess, { targets, record }: Rehearsal<unknown>): Promise<PushedTarget[]> {
  const pushed: PushedTarget[] = [];
  const newer: RemoteAddress[] = [];
  const replaced: ReplacedPicture[] = [];
  try {
    for (const target of targets) {
      const one = await pushOne(site, target, record, newer, replaced);
      if (one === null) continue;
      pushed.push(one);
      newer.push(...one.addresses);
      replaced.push(...(await replacedBy(site, one)));
    }
    return pushed;
  } catch (error) {
    throw await putAllBack(site, pushed, error);
  }
}

async function pushOne(
  site: SiteAccess,
  target: TouchedTarget,
  record: RecordedWrite,
  newer: readonly RemoteAddress[],
  replaced: readonly ReplacedPicture[],
): Promise<PushedTarget | null> {
  if (target.kind === 'entry') return pushEntry(site, target, newer, replaced);
  if (target.kind === 'asset') return pushAsset(site, target, record.files);
  if (target.id === 'settings') {
    return pushSettings(
      site,
      target,
      record.targets.filter((each) => each.kind === 'entry'),
    );
  }
  return target.id === 'navigation' ? pushMenu(site, target, newer) : null;
}

/** Restores what was written, the newest first. @returns the error, with the outcome of the restore */
async function putAllBack(site: SiteAccess, pushed: readonly PushedTarget[], error: unknown): Promise<unknown> {
  const written = pushed.filter(({ addresses }) => addresses.length > 0);
  let left = 0;
  for (const target of pushed.toReversed()) {
    try {
      await target.putBack();
    } catch {
      left += 1;
      // Targets that cannot be restored are read again next time, and taken over as changes by another author.
      for (const { localId } of target.addresses) await forgetMark(site, localId);
    }
  }
  if (!(error instanceof Error) || written.length === 0) return error;
  const became =
    left === 0
      ? 'The parts already written were put back.'
      : `Of what had been written before, ${left} could not be put back: it is taken over as it is in WordPress.`;
  error.message = `${error.message} ${became}`;
  return error;
}

/** Stores the write from its dry run, and WordPress's result. @returns notes for the writer */
async function keep(
  site: SiteAccess,
  { targets, record }: Rehearsal<unknown>,
  pushed: readonly PushedTarget[],
): Promise<ServerText[]> {
  const entries = targets.filter((target) => target.kind === 'entry');
  const dangling = await danglingNotes(site, entries.filter(leaves));
  // The write itself is done: a failure to collect further notes must not make it fail.
  const front = await followFrontPage(site, entries).catch(() => null);
  await site.mirror.write(async (tx) => {
    await record.replay(tx);
    for (const target of pushed) await target.settle(tx);
    await front?.settle(tx);
  });
  await offerDrafts(site, entries);
  return [...pushed.flatMap(({ notes }) => notes), ...dangling, ...(front?.notes ?? [])];
}

function isVisible(state: TouchedEntry['before']): boolean {
  return state !== null && state.deletedAt === null && state.published !== null;
}

function isLive(state: TouchedEntry['before']): boolean {
  return state !== null && state.deletedAt === null;
}

/** True if the entry is trashed or taken off the site. */
function leaves({ before, after }: TouchedEntry): boolean {
  return (isLive(before) && !isLive(after)) || (isVisible(before) && !isVisible(after));
}

/** Notes on menu items that will lead nowhere without these entries. Call it before the write is stored. */
async function danglingNotes({ mirror }: SiteAccess, leaving: readonly TouchedEntry[]): Promise<ServerText[]> {
  if (leaving.length === 0) return [];
  const menu = knownNavigationOf(await mirror.link('navigation'));
  /** WordPress itself leaves it out of a classic menu. */
  const isLeftOut = (label: string) =>
    menu?.kind === 'classic' && menu.items.some((item) => item.type !== 'custom' && textFromHtml(item.title) === label);
  const notes: ServerText[] = [];
  for (const { label, href } of allNodes(await readNavigation(mirror))) {
    const path = linkedPath(href);
    const found = path === null ? null : await locate(placeReader(mirror), path, 'draft');
    const entry = leaving.find(({ id }) => id === found?.id);
    if (entry === undefined) continue;
    const item = { label, href, title: shortTitle(entry.after.draft.title) };
    notes.push(serverText(isLeftOut(label) ? 'wordpress-menu-item-hidden' : 'wordpress-menu-item-nowhere', item));
  }
  return notes;
}

/** Changes to WordPress's settings by trashing or restoring the front page. */
export interface FrontPageChange {
  readonly notes: readonly ServerText[];
  settle(tx: MirrorTransaction): Promise<void>;
}

/** WordPress resets its front page when that page is trashed, and does not set it again when the page is restored. */
async function followFrontPage(
  { mirror, client, now }: SiteAccess,
  entries: readonly TouchedEntry[],
): Promise<FrontPageChange | null> {
  const known = knownSettingsOf(await mirror.link('settings'));
  if (known === null) return null;
  const save = (note: ServerText, next: KnownSettings): FrontPageChange => ({
    notes: [note],
    settle: (tx) =>
      tx.saveLink({ kind: 'settings', localId: 'settings', remoteId: 0, known: toJson(next), seenAt: now() }),
  });
  const home = known.frontPage === 0 ? null : await mirror.linkByRemote('page', known.frontPage);
  const lost = entries.find(({ id, after }) => id === home?.localId && after.deletedAt !== null);
  if (lost !== undefined) {
    const present = knownOfSettings(await client.settings.get());
    if (present.frontPage === known.frontPage) return null;
    const note = serverText('wordpress-front-page-lost', { title: shortTitle(lost.after.draft.title) });
    return save(note, { ...present, lostFrontPage: lost.id });
  }
  const back = entries.find(({ id, after }) => id === known.lostFrontPage && isLive(after));
  const link = back === undefined || known.frontPage !== 0 ? null : await mirror.link(back.id);
  if (link === null) return null;
  const made = await client.settings.update({ showOnFront: 'page', pageOnFront: link.remoteId });
  return save(serverText('wordpress-front-page-back'), knownOfSettings(made));
}
