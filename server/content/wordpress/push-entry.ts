import { quotedTitle, summarizeOperations } from '#server/content/change-summary';
import { diffDocuments } from '#server/content/diff-documents';
import { stateToJson } from '#server/content/embedded/entry-state';
import { absorbed } from '#server/content/wordpress/absorb';
import { readAddressBook } from '#server/content/wordpress/address-book';
import type { RemoteEntry } from '#server/content/wordpress/client/remote-entry';
import type { WordPressClient } from '#server/content/wordpress/client/wordpress-client';
import { type EntryPlan, keptHere, keptNote, planEntry, wantedOf } from '#server/content/wordpress/entry-plan';
import { withFreeSlug } from '#server/content/wordpress/free-slug';
import { type KnownEntry, knownEntryOf, knownToJson } from '#server/content/wordpress/known-state';
import type { RemoteAddress } from '#server/content/wordpress/mirror';
import type { PushedTarget } from '#server/content/wordpress/pushed-target';
import {
  type ReplacedPicture,
  withoutReplacedCover,
  withReplacements,
} from '#server/content/wordpress/replaced-pictures';
import { recordExternal } from '#server/content/wordpress/record-external';
import type { TouchedTarget } from '#server/content/wordpress/recorded-write';
import { readRemote } from '#server/content/wordpress/remote-document';
import { surroundingsOfDocument, surroundingsOfRemote } from '#server/content/wordpress/remote-surroundings';
import type { RemoteState } from '#server/content/wordpress/absorb';
import type { SiteAccess } from '#server/content/wordpress/site-access';
import { freeFromTrash } from '#server/content/wordpress/trashed-above';
import type { EntryDocument, EntryType } from '#server/core/content';

type TouchedEntry = Extract<TouchedTarget, { kind: 'entry' }>;

/** Makes the calls of a plan. @returns what WordPress has then; null where there was nothing to do */
async function carryOut(
  { entries }: WordPressClient,
  type: EntryType,
  remoteId: number,
  plan: EntryPlan,
): Promise<RemoteEntry | null> {
  if (plan.create) return entries.create(type, plan.fields ?? {});
  if (plan.trash) return entries.trash(type, remoteId);
  const restored = plan.restore === null ? null : await entries.restore(type, remoteId, plan.restore);
  return plan.fields === null ? restored : entries.update(type, remoteId, plan.fields);
}

/** What WordPress made otherwise than it was sent. */
function deviations(sent: RemoteState, made: RemoteState): string[] {
  const { document } = sent;
  const operations = diffDocuments(document, made.document);
  const others = operations.filter((operation) => !(operation.op === 'set' && operation.field === 'slug'));
  const isRenamed = others.length < operations.length;
  return [
    ...(isRenamed ? [`WordPress gave it the slug "${made.document.slug}": "${document.slug}" is taken there.`] : []),
    ...(others.length > 0
      ? [`WordPress did not keep it as it was sent: ${summarizeOperations(others, document)}.`]
      : []),
    ...(sent.status === made.status
      ? []
      : [`In WordPress ${quotedTitle(made.document.title)} is ${made.status} now, not ${sent.status}.`]),
  ];
}

/** What is known of an entry that nothing had to be written of. */
function knownAs(known: KnownEntry, { sections: _blocks, ...document }: EntryDocument): KnownEntry {
  return { ...known, document };
}

/** Writes what a change made of an entry to WordPress, and reads back what that made of it. */
export async function pushEntry(
  site: SiteAccess,
  { id, type, before, after }: TouchedEntry,
  newer: readonly RemoteAddress[],
  replaced: readonly ReplacedPicture[] = [],
): Promise<PushedTarget> {
  const { mirror, client, siteUrl, now } = site;
  const link = await mirror.link(id);
  const known = withoutReplacedCover(knownEntryOf(link), replaced);
  const book = await readAddressBook(mirror, siteUrl, newer);
  const sent = wantedOf(after);
  const world = await surroundingsOfDocument(book, sent.document, now());
  const plan = planEntry(type, after, known, world, withReplacements(known?.blocks ?? [], replaced));
  if (plan.fields?.parentRemoteId) await freeFromTrash(site, id, sent.document.parent);
  const remote = await carryOut(client, type, link?.remoteId ?? 0, plan);
  const remoteId = remote?.remoteId ?? link?.remoteId;
  const kept = after.deletedAt === null ? keptHere(type, before?.draft ?? null, after.draft, world.cover) : [];
  const slug = plan.fields?.slug ?? known?.slug ?? '';
  const { sections: _sections, ...document } = sent.document;
  const read =
    remote === null
      ? null
      : readRemote(remote, { slug, document, blocks: [...plan.blocks] }, await surroundingsOfRemote(book, remote));
  const wanted = read === null ? after : absorbed(after, sent.document, read.state, now());
  const corrected = JSON.stringify(stateToJson(wanted)) !== JSON.stringify(stateToJson(after));
  const standing = read?.known ?? (known === null ? null : knownAs(known, sent.document));

  return {
    notes: [...keptNote(kept), ...(corrected && read !== null ? deviations(sent, read.state) : [])],
    corrected,
    addresses: remote === null ? [] : [{ kind: type, localId: id, remoteId: remote.remoteId, address: remote.link }],

    async settle(tx) {
      if (standing === null || remoteId === undefined) return;
      const save = (state: KnownEntry) =>
        tx.saveLink({ kind: type, localId: id, remoteId, known: knownToJson(state), seenAt: now() });
      if (read === null || !corrected) return save(standing);
      const free = await withFreeSlug(tx, id, type, read);
      const state = absorbed(after, sent.document, free.state, now());
      await recordExternal(tx, { id, type, before: await tx.entry(id), after: state, now: now() });
      return save(free.known);
    },

    async putBack() {
      if (remote === null || standing === null) return;
      if (plan.create || before === null) return client.entries.remove(type, remote.remoteId);
      const former = await surroundingsOfDocument(book, wantedOf(before).document, now());
      await carryOut(client, type, remote.remoteId, planEntry(type, before, standing, former));
    },
  };
}
