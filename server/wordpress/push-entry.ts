import { toJson } from '#server/core/json';
import { quotedTitle, summarizeOperations } from '#server/site/change-summary';
import type { ContentReader } from '#server/site/embedded/content-store';
import { stateToJson } from '#server/site/embedded/entry-state';
import { absorbed, readRemote, type RemoteState } from '#server/wordpress/mirror/remote-document';
import { readAddressBook } from '#server/wordpress/mirror/address-book';
import type { RemoteEntry } from '#server/wordpress/client/remote-entry';
import { addressesBelow } from '#server/wordpress/mirror/changed-addresses';
import { updateEntry } from '#server/wordpress/lost-answer';
import { keepPast } from '#server/wordpress/mirror/entry-history';
import type { RemoteComment, WordPressClient } from '#server/wordpress/client/wordpress-client';
import {
  type EntryPlan,
  keptHere,
  keptNote,
  planEntry,
  remoteCover,
  surroundingsOfDocument,
  surroundingsOfRemote,
  wantedOf,
} from '#server/wordpress/mirror/entry-plan';
import {
  type KnownEntry,
  knownEntryOf,
  type MirrorTransaction,
  remoteTypeOf,
  type RemoteAddress,
  type RemoteLink,
  type SiteAccess,
} from '#server/wordpress/mirror/mirror';
import { type ReplacedPicture, withoutReplacedCover, withReplacements } from '#server/wordpress/push-asset';
import type { PushedTarget, TouchedEntry } from '#server/wordpress/mirror/recorded-write';
import type { EntryDocument, EntryType } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { blocksLeftBehind } from '#server/wordpress/blocks/markup-rules';
import { contentOf } from '#server/wordpress/blocks/read-segments';
import { recordExternal } from '#server/wordpress/record-external-change';
import { diffDocuments } from '#server/site/diff-documents';
import type { ServerText } from '#server/core/coded-message';
import { nameText, serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

/** State in WordPress after a plan's calls. */
interface Outcome {
  readonly remote: RemoteEntry;
  /** Comments that have just been trashed with it. */
  readonly hiddenComments: readonly RemoteComment[];
  readonly notes: readonly ServerText[];
}

/**
 * Takes an entry and its comments out of the trash. It first becomes a draft: if it were published immediately,
 * WordPress would remember the slug that it had in the trash.
 */
async function restore(
  { entries, comments }: WordPressClient,
  type: string,
  remoteId: number,
  { restore: status, fields }: EntryPlan,
  hidden: readonly RemoteComment[],
): Promise<Outcome> {
  const restored = await entries.restore(type, remoteId, 'draft');
  const all = status === 'draft' || status === null ? fields : { status, ...fields };
  const remote = all === null ? restored : await entries.update(type, remoteId, all);
  const left = hidden.length === 0 ? 0 : await comments.restore(remoteId, hidden);
  const notes = left > 0 ? [serverText('wordpress-comments-left', { count: left })] : [];
  return { remote, hiddenComments: [], notes };
}

/** Makes the calls of a plan; null: nothing had to be done. */
async function carryOut(
  client: WordPressClient,
  type: string,
  link: Pick<RemoteLink, 'remoteId' | 'known'> | null,
  plan: EntryPlan,
): Promise<Outcome | null> {
  const { entries, comments } = client;
  const done = (remote: RemoteEntry, hiddenComments: readonly RemoteComment[] = []) => ({
    remote,
    hiddenComments,
    notes: [],
  });
  if (plan.create || link === null) return done(await entries.create(type, plan.fields ?? {}));
  const { remoteId } = link;
  if (plan.trash) {
    const hidden = await comments.of(remoteId);
    return done(await entries.trash(type, remoteId), hidden);
  }
  if (plan.restore !== null) return restore(client, type, remoteId, plan, knownEntryOf(link)?.hiddenComments ?? []);
  return plan.fields === null ? null : done(await updateEntry(client, type, remoteId, plan.fields));
}

/**
 * Largest number of revisions that are searched for a save by another person directly before ours; autosaves are among
 * them. A choice, not measured.
 */
const MAX_LOOKED_AT = 5;

/**
 * Reports a save by another person, between our check of an entry and our write, whose content is no longer on the
 * page. WordPress has no precondition, but its revisions show the save.
 */
async function slippedIn(
  { client, siteUrl }: SiteAccess,
  type: string,
  known: KnownEntry | null,
  { remoteId, title }: RemoteEntry,
): Promise<ServerText[]> {
  if (known === null || known.modified === 0) return [];
  const revisions = await client.entries.revisions(type, remoteId, MAX_LOOKED_AT).catch(() => []);
  const [, before] = revisions.filter(({ isAutosave }) => !isAutosave);
  if (before === undefined || before.modifiedGmt < known.modified) return [];
  if (before.contentRaw === contentOf(known.blocks)) return [];
  const address = `${siteUrl}/wp-admin/revision.php?revision=${before.id}`;
  return [serverText('wordpress-slipped-in', { title: shortTitle(title), address })];
}

/** A plan with ids of tags and other groups; missing ones are created, and returned by taxonomy. */
async function withTermIds({ tags: terms }: WordPressClient, plan: EntryPlan, known: KnownEntry | null) {
  const { tags, terms: groups = {}, ...fields } = plan.fields ?? {};
  const made: Record<string, readonly number[]> = {};
  const idsOf = async (taxonomy: string, names: readonly string[]) => {
    // Two groups may have the same name: the ones that the entry already has are kept.
    const present = new Map((known?.fields?.terms?.[taxonomy] ?? []).map(({ id, name }) => [name, id]));
    const missing = names.filter((name) => !present.has(name));
    const found = await terms.idsOf(taxonomy, missing, fields.language ?? known?.fields?.language ?? undefined);
    made[taxonomy] = found.made;
    return [...names.flatMap((name) => present.get(name) ?? []), ...found.ids];
  };
  const tagIds = tags === undefined ? fields.tagIds : await idsOf(POST_TAG, tags);
  const termIds: Record<string, readonly number[]> = { ...fields.termIds };
  for (const [taxonomy, names] of Object.entries(groups)) termIds[taxonomy] = await idsOf(taxonomy, names);
  if (plan.fields === null) return { plan, made };
  const all = { ...fields, ...(tagIds && { tagIds }), ...(Object.keys(termIds).length > 0 && { termIds }) };
  return { plan: { ...plan, fields: all }, made };
}

/**
 * Notes on terms that our writes to an entry created, that this write removed from it, and that no published entry has
 * any longer. They are kept, because a person may have described them, or may use them in a draft or a menu.
 */
async function leftoverNotes(
  { client, siteUrl }: SiteAccess,
  made: Readonly<Record<string, readonly number[]>>,
  known: KnownEntry | null,
  remote: RemoteEntry | null,
): Promise<ServerText[]> {
  if (known?.fields === undefined || remote === null) return [];
  const { tagIds, terms = {} } = known.fields;
  const notes: ServerText[] = [];
  for (const [taxonomy, ids] of Object.entries(made)) {
    const former = taxonomy === POST_TAG ? tagIds : (terms[taxonomy] ?? []).map(({ id }) => id);
    const present = taxonomy === POST_TAG ? remote.tagIds : (remote.terms[taxonomy] ?? []).map(({ id }) => id);
    const removed = ids.filter((id) => former.includes(id) && !present.includes(id));
    const unused = removed.length === 0 ? [] : await client.tags.unused(taxonomy, removed).catch(() => []);
    const kind = { [POST_TAG]: 'tag', category: 'category' }[taxonomy] ?? 'term';
    const address = `${siteUrl}/wp-admin/edit-tags.php?taxonomy=${encodeURIComponent(taxonomy)}`;
    for (const { name } of unused)
      notes.push(serverText('wordpress-term-left', { kind, taxonomy, name: shortTitle(name), address }));
  }
  return notes;
}

/** All terms that were created for an entry, by taxonomy. */
function madeSoFar(known: KnownEntry | null, made: Readonly<Record<string, readonly number[]>>) {
  const before: Readonly<Record<string, readonly number[]>> = {
    ...known?.madeTerms,
    [POST_TAG]: known?.madeTags ?? [],
  };
  const names = new Set([...Object.keys(before), ...Object.keys(made)]);
  const all = (name: string) => [...(before[name] ?? []), ...(made[name] ?? [])];
  return Object.fromEntries([...names].map((name) => [name, all(name)]).filter(([, ids]) => ids!.length > 0));
}

const POST_TAG = 'post_tag';

/** Notes on values that WordPress changed. */
function deviations(sent: RemoteState, made: RemoteState): ServerText[] {
  const { document } = sent;
  const operations = diffDocuments(document, made.document);
  const others = operations.filter((operation) => !(operation.op === 'set' && operation.field === 'slug'));
  const isRenamed = others.length < operations.length;
  return [
    ...(isRenamed ? [serverText('wordpress-slug-changed', { slug: made.document.slug, wanted: document.slug })] : []),
    ...(others.length > 0
      ? [serverText('wordpress-changed-it', { change: summarizeOperations(others, document) })]
      : []),
    ...(sent.status === made.status
      ? []
      : [
          serverText('wordpress-status-changed', {
            title: shortTitle(made.document.title),
            status: nameText('wordpressStatus', made.status),
            wanted: nameText('wordpressStatus', sent.status),
          }),
        ]),
  ];
}

/** Notes on blocks of plugins whose attributes still contain their earlier text. */
function halfChanged(known: KnownEntry | null, { fields, blocks }: EntryPlan): ServerText[] {
  if (known === null || fields?.contentRaw === undefined) return [];
  const names = blocks.flatMap(({ sectionId, raw }) => {
    const former = known.blocks.find((block) => block.sectionId === sectionId)?.raw ?? raw;
    return former === raw ? [] : blocksLeftBehind(former, raw);
  });
  return [...new Set(names)].map((name) => serverText('wordpress-block-words', { name }));
}

/** State of an entry for which nothing had to be written. */
function knownAs(known: KnownEntry, { sections: _blocks, ...document }: EntryDocument): KnownEntry {
  return { ...known, document };
}

/** Writes a change of an entry to WordPress, and reads the result back. */
export async function pushEntry(
  site: SiteAccess,
  { id, type, before, after, isUndo = false }: TouchedEntry,
  newer: readonly RemoteAddress[],
  replaced: readonly ReplacedPicture[] = [],
): Promise<PushedTarget> {
  const { mirror, client, siteUrl, now, secrets } = site;
  const link = await mirror.link(id);
  const known = withoutReplacedCover(knownEntryOf(link), replaced);
  const book = await readAddressBook(mirror, siteUrl, newer);
  const sent = wantedOf(after);
  const blocks = withReplacements(known?.blocks ?? [], replaced);
  const surroundings = await surroundingsOfDocument(site, book, id, sent, known && { ...known, blocks: [...blocks] });
  const world = { ...surroundings, isUndo };
  const remoteType = link === null ? type : remoteTypeOf(link);
  if (link === null && after.draft.kind !== undefined) throw goneForGood(after.draft);
  const { plan, made } = await withTermIds(client, planEntry(type, after, known, world, blocks), known);
  if (plan.fields?.parentRemoteId) await freeFromTrash(site, id, sent.document.parent);
  const outcome = await carryOut(client, remoteType, link, plan);
  const remote = outcome?.remote ?? null;
  const remoteId = remote?.remoteId ?? link?.remoteId;
  const allMade = madeSoFar(known, made);
  const { [POST_TAG]: madeTags = [], ...madeTerms } = allMade;
  const leftover = await leftoverNotes(site, allMade, known, remote);
  const slipped =
    remote === null || plan.fields?.contentRaw === undefined ? [] : await slippedIn(site, remoteType, known, remote);
  const takesSeo = Boolean(remote?.seo ?? known?.fields?.seo);
  // The written version may be older than the draft to which this applies.
  const cover = remoteCover(book, after.draft);
  const kept = after.deletedAt === null ? keptHere(type, before?.draft ?? null, after.draft, cover, takesSeo) : [];
  const slug = plan.fields?.slug ?? known?.slug ?? '';
  const { sections: _sections, ...document } = sent.document;
  const hiddenComments = outcome?.hiddenComments;
  const read =
    remote === null
      ? null
      : readRemote(
          remote,
          { slug, document, blocks: plan.blocks, fields: known?.fields, madeTags, madeTerms, hiddenComments },
          await surroundingsOfRemote(book, remote, secrets),
        );
  const wanted = read === null ? after : absorbed(after, sent.document, read.state, now());
  const corrected = JSON.stringify(stateToJson(wanted)) !== JSON.stringify(stateToJson(after));
  const below = remote === null || type === 'post' ? [] : await addressesBelow(site, known?.address ?? '', remote.link);
  const standing = read?.known ?? (known === null ? null : knownAs(known, sent.document));

  return {
    notes: [
      ...(outcome?.notes ?? []),
      ...slipped,
      ...leftover,
      ...keptNote(kept),
      ...halfChanged(known, plan),
      ...(corrected && read !== null ? deviations(sent, read.state) : []),
    ],
    corrected,
    addresses:
      remote === null ? [] : [{ kind: type, localId: id, remoteId: remote.remoteId, address: remote.link }, ...below],

    async settle(tx) {
      for (const row of below) await keepAddress(tx, row);
      if (standing === null || remoteId === undefined) return;
      if (read !== null && known !== null) await keepPast(tx, id, known);
      const save = (state: KnownEntry) =>
        tx.saveLink({ kind: type, localId: id, remoteId, known: toJson(state), seenAt: now() });
      if (read === null || !corrected) return save(standing);
      const free = await withFreeSlug(tx, id, type, read);
      const state = absorbed(after, sent.document, free.state, now());
      await recordExternal(tx, { id, type, before: await tx.entry(id), after: state, now: now() });
      return save(free.known);
    },

    async putBack() {
      if (remote === null || standing === null) return;
      if (plan.create || before === null) return client.entries.remove(remoteType, remote.remoteId);
      const former = await surroundingsOfDocument(site, book, id, wantedOf(before), standing);
      await carryOut(
        client,
        remoteType,
        { remoteId: remote.remoteId, known: toJson(standing) },
        planEntry(type, before, standing, { ...former, isUndo: true }),
      );
    },
  };
}

/**
 * Error for an entry of a plugin that was permanently deleted in WordPress: recreated from here, it would lack data
 * that its plugin needs.
 */
function goneForGood({ kind = '', title }: EntryDocument): InvalidInputError {
  return new InvalidInputError(serverText('wordpress-gone-for-good', { title: quotedTitle(title), kind }));
}

/** Stores the new address of a page below one that moved. */
async function keepAddress(tx: MirrorTransaction, { localId, address }: RemoteAddress): Promise<void> {
  const link = await tx.link(localId);
  const known = knownEntryOf(link);
  if (link === null || known === null || address === null) return;
  await tx.saveLink({ ...link, known: toJson({ ...known, address }) });
}

/** A slug that no other live entry has, because pages below different parents can share one in WordPress. */
async function freeSlug(reader: ContentReader, id: string, type: EntryType, slug: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? slug : `${slug}-${n}`;
    const owners = [await reader.entryBySlug(type, candidate), await reader.entryByPublishedSlug(type, candidate)];
    if (owners.every((owner) => owner === null || owner.id === id)) return candidate;
  }
}

/** An entry read from WordPress, with a slug that is free in the mirror. */
export async function withFreeSlug<Read extends { readonly state: RemoteState; readonly known: KnownEntry }>(
  reader: ContentReader,
  id: string,
  type: EntryType,
  read: Read,
): Promise<Pick<Read, 'state' | 'known'>> {
  const { state, known } = read;
  if (state.status === 'trashed') return read;
  const slug = await freeSlug(reader, id, type, state.document.slug);
  if (slug === state.document.slug) return read;
  return {
    state: { ...state, document: { ...state.document, slug } },
    known: { ...known, document: { ...known.document, slug } },
  };
}

/** The trashed page through which, in WordPress, `parent` is still below `pageId`; null: it is not below it. */
async function trashedBetween({ mirror }: SiteAccess, pageId: string, parent: string): Promise<RemoteLink | null> {
  const seen = new Set<string>();
  let trashed: RemoteLink | null = null;
  for (let id: string | undefined = parent; id !== undefined && !seen.has(id);) {
    if (id === pageId) return trashed;
    seen.add(id);
    const link = await mirror.link(id);
    const known = knownEntryOf(link);
    if (known?.status === 'trashed') trashed = link;
    id = known?.document.parent;
  }
  return null;
}

/**
 * WordPress silently drops a parent that is below the page through a trashed page. So the trashed page loses its parent
 * in WordPress; here it keeps the parent until it is restored.
 */
async function freeFromTrash(site: SiteAccess, pageId: string, parent: string | undefined): Promise<void> {
  const link = parent === undefined ? null : await trashedBetween(site, pageId, parent);
  const known = knownEntryOf(link);
  if (link === null || known === null) return;
  const remote = await site.client.entries.update('page', link.remoteId, { parentRemoteId: null });
  const { parent: _parent, ...document } = known.document;
  const surroundings = {
    context: plainContext,
    parent: undefined,
    cover: document.image,
    newSectionId: () => createShortId('sec'),
    secrets: site.secrets,
  };
  const read = readRemote(remote, { ...known, document }, surroundings);
  await site.mirror.write((tx) =>
    tx.saveLink({ ...link, known: toJson({ ...read.known, document }), seenAt: site.now() }),
  );
}
