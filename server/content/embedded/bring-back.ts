import { applyOperations, diffDocuments } from '#server/content/document-operations';
import { quotedTitle, summarizeRestore } from '#server/content/change-summary';
import type { BringBackSelection } from '#server/content/content-backend';
import { commitAsset } from '#server/content/embedded/assets';
import {
  chainsOf,
  type ChangeChain,
  linkUndo,
  standsAt,
  tailOf,
  touchedPaths,
} from '#server/content/embedded/change-chains';
import { commitEntry, withoutLostParent } from '#server/content/embedded/commit-entry';
import {
  assetStateFromJson,
  assetStateOf,
  type ContentReader,
  type ContentTransaction,
  type JournalLine,
  type WriteContext,
} from '#server/content/embedded/content-store';
import {
  NO_PLAN,
  type PublicationPlan,
  stateFromJson,
  stateOf,
  stillAhead,
} from '#server/content/embedded/entry-state';
import { entryStateAt } from '#server/content/embedded/past-site';
import { homeOnceAt } from '#server/content/embedded/home-page';
import { commitSiteDocument, settingsFromJson } from '#server/content/embedded/site-document-writes';
import { lossMessage } from '#server/content/embedded/undo-change';
import { bringBackStep, createShortId } from '#server/core/ids';
import { type Entry, type EntryDocument, entryTypes } from '#server/core/content';
import {
  type BroughtBack,
  type ChangeOrigin,
  type ChangeSet,
  type EntryChange,
  type SiteDocumentKey,
  siteDocumentKeys,
  type Version,
  type WriteOptions,
} from '#server/core/changes';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { type JsonObject, type JsonValue, sameJson } from '#server/core/json';
import { changeEntry, checkRevision, type EntryWriter, storedEntry } from '#server/content/embedded/entry-writes';

/* Brings entries and other things back: from the trash, to an earlier version, to a place in the journal. */

/** One thing that is brought back to a place in the journal. */
interface Target {
  readonly id: string;
  readonly seq: number;
  /** The end of each sentence about it: `after: Changed the title`. */
  readonly point: string;
}

/** See ContentBackend.bringBack. */
export async function bringBack(
  tx: ContentTransaction,
  changeId: string,
  selection: BringBackSelection,
  { origin, now }: WriteContext,
  overOthers: boolean,
): Promise<BroughtBack> {
  const record = await tx.journalEntry(changeId);
  const seq = await tx.seqOf(changeId);
  if (record === null || seq === null) throw new NotFoundError('change', changeId.slice(0, 80));
  const sessionId = 'sessionId' in selection ? selection.sessionId : origin.sessionId;
  const ids = selection.targetId === undefined ? await tx.targetsOfSession(sessionId ?? '') : [selection.targetId];
  const later: JournalLine[] = [];
  const targets: Target[] = [];
  for (const id of ids) {
    const lost = laterSteps(await tx.journalOf(id), seq);
    const isOurs = lost.some(({ change }) => change.origin.sessionId === sessionId);
    // Of a session's things only those that it changed since.
    if (lost.length === 0 || (selection.targetId === undefined && !isOurs)) continue;
    later.push(...lost);
    targets.push({ id, seq, point: record.change.summary });
  }
  const newestFirst = later.toSorted((a, b) => b.seq - a.seq).map(({ change }) => change);
  const others = newestFirst.filter((change) => isOfOthers(change, sessionId, origin));
  const along = newestFirst.filter((change) => !others.includes(change));
  if (others.length > 0 && !overOthers) {
    throw new ConflictError(lossMessage(others), { details: { changes: others.map(({ id }) => id) } });
  }
  const step = { ...origin, toolCallId: bringBackStep(changeId, createShortId('chg').slice(4)) };
  const changes: ChangeSet[] = [];
  for (const target of await inOrder(tx, targets)) {
    const change = await writeBack(tx, target, { origin: step, now });
    if (change !== null) changes.push(change);
  }
  if (changes.length === 0) throw new ConflictError('Nothing was changed since: it is as it was then.');
  return { changes, along, others };
}

/** Steps after a place of the journal whose effect goes: those that stand, and undos of what stood then. */
function laterSteps(journal: readonly JournalLine[], seq: number): JournalLine[] {
  return chainsOf(journal).flatMap((chain) => {
    const until = chain.findLastIndex((line) => line.seq <= seq);
    const isLater = tailOf(chain).seq > seq;
    const stood = until >= 0 && until % 2 === 0;
    if (!isLater || stood === standsAt(chain, 0) || concernsVisitorsOnly(chain)) return [];
    return [until < 0 ? chain[0] : tailOf(chain)];
  });
}

/** Publications, and plans of them, stay. */
function concernsVisitorsOnly(chain: ChangeChain): boolean {
  return touchedPaths(chain).every((path) => path === 'published' || path === 'publishAt');
}

function isOfOthers({ origin }: ChangeSet, sessionId: string | undefined, by: ChangeOrigin): boolean {
  if (sessionId !== undefined && origin.sessionId === sessionId) return false;
  return origin.actor !== 'user' || origin.userId !== by.userId;
}

/** Puts removals first, to free addresses. */
async function inOrder(tx: ContentTransaction, targets: readonly Target[]): Promise<Target[]> {
  const leaving = await Promise.all(
    targets.map(async ({ id, seq }) => {
      const state = isEntryId(id) ? await entryStateAt(tx, id, seq) : undefined;
      return state === null || (state !== undefined && state.deletedAt !== null);
    }),
  );
  return [...targets.filter((_, index) => leaving[index]), ...targets.filter((_, index) => !leaving[index])];
}

function isEntryId(id: string): boolean {
  return /^(pag|pos)_/.test(id);
}

async function writeBack(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const key = siteDocumentKeys.find((one) => one === target.id);
  if (key !== undefined) return documentBack(tx, key, target, context);
  return isEntryId(target.id) ? entryBack(tx, target, context) : assetBack(tx, target, context);
}

function summaryOf(name: string, { point }: Target): string {
  return `Brought ${name} back to how it was after: ${point}`;
}

async function entryBack(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const before = await tx.entry(target.id);
  if (before === null || !entryTypes.includes(before.type)) throw new NotFoundError('entry', target.id.slice(0, 80));
  const state = await entryStateAt(tx, target.id, target.seq);
  if (state === null || state.deletedAt !== null) {
    if (before.deletedAt !== null) return null;
    return commit(tx, before, { ...stateOf(before), ...NO_PLAN, deletedAt: context.now }, target, context);
  }
  const isPlaced = before.deletedAt !== null || state.draft.parent !== before.draft.parent;
  const withoutLost = isPlaced ? await withoutLostParent(tx, before.id, state.draft) : [];
  const draft = applyOperations(state.draft, withoutLost).document;
  if (sameJson(draft, before.draft) && before.deletedAt === null) return null;
  return commit(tx, before, { ...stateOf(before), draft, deletedAt: null }, target, context);
}

async function commit(
  tx: ContentTransaction,
  before: Entry,
  after: ReturnType<typeof stateOf>,
  target: Target,
  context: WriteContext,
): Promise<ChangeSet> {
  const applied = applyOperations(before.draft, diffDocuments(before.draft, after.draft));
  const isGone = after.deletedAt !== null;
  const { change } = await commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...after, draft: applied.document },
    action: isGone ? 'delete' : before.deletedAt === null ? 'update' : 'restore',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: isGone
      ? `Deleted the ${before.type} ${quotedTitle(before.draft.title)}, which was not there after: ${target.point}`
      : summaryOf(quotedTitle(applied.document.title), target),
  });
  return change;
}

const DOCUMENTS: Record<SiteDocumentKey, string> = {
  navigation: 'the menu',
  settings: 'the site settings',
  'standing-instructions': 'the standing instructions',
};

async function documentBack(
  tx: ContentTransaction,
  key: SiteDocumentKey,
  target: Target,
  context: WriteContext,
): Promise<ChangeSet | null> {
  const then = await tx.stateAt(key, target.seq);
  const present = await tx.siteDocument(key);
  if (then === undefined || present === null) return null;
  const after = key === 'settings' ? await withPublishedHome(tx, then) : then;
  if (sameJson(after, present.value)) return null;
  const write = { before: present.value, after, action: 'update', summary: summaryOf(DOCUMENTS[key], target) } as const;
  return commitSiteDocument(tx, { ...context, ...write, key });
}

/** Former settings with the home page as it is published now: what visitors see stays. */
async function withPublishedHome(tx: ContentTransaction, value: JsonValue): Promise<JsonValue> {
  const home = await homeOnceAt(tx, settingsFromJson(value ?? {}).homeSlug);
  return home === null ? value : { ...(value as JsonObject), homeSlug: home.published?.slug ?? home.draft.slug };
}

async function assetBack(tx: ContentTransaction, target: Target, context: WriteContext): Promise<ChangeSet | null> {
  const before = await tx.asset(target.id);
  if (before === null) throw new InvalidInputError('There is no page, post or picture with this id.');
  const state = await tx.stateAt(target.id, target.seq);
  if (state === undefined) return null;
  const after = assetStateFromJson(state) ?? { ...assetStateOf(before), deletedAt: context.now };
  if (sameJson(assetStateOf(before), assetStateOf(after))) return null;
  const isGone = after.deletedAt !== null;
  const { change } = await commitAsset(tx, {
    ...context,
    id: before.id,
    before,
    after,
    action: isGone === (before.deletedAt !== null) ? 'update' : isGone ? 'delete' : 'restore',
    summary: summaryOf(`the picture ${quotedTitle(after.filename)}`, target),
  });
  return change;
}

/** See ContentBackend.versions. */
export async function readVersions(reader: ContentReader, entryId: string): Promise<Version[]> {
  await storedEntry(reader, entryId);
  return reader.versionsOf(entryId);
}

/** See ContentBackend.version. */
export async function readVersion(reader: ContentReader, entryId: string, revision: number): Promise<EntryDocument> {
  const entry = await storedEntry(reader, entryId);
  const record = await reader.journalEntryAt(entryId, revision);
  const state = record === null ? null : stateFromJson(record.after);
  if (state !== null) return state.draft;
  throw new NotFoundError('revision', String(revision), `${quotedTitle(entry.draft.title)} is at ${entry.revision}.`);
}

/** See ContentBackend.restoreVersion. */
export async function restoreVersion(
  tx: ContentTransaction,
  entryId: string,
  revision: number,
  context: WriteContext,
  { ifRevision }: WriteOptions = {},
): Promise<EntryChange> {
  const before = await storedEntry(tx, entryId);
  checkRevision(before, ifRevision);
  const version = await readVersion(tx, entryId, revision);
  const isPlaced = before.deletedAt !== null || version.parent !== before.draft.parent;
  const withoutLost = isPlaced ? await withoutLostParent(tx, entryId, version) : [];
  const target = applyOperations(version, withoutLost).document;
  const applied = applyOperations(before.draft, diffDocuments(before.draft, target));
  return commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), draft: applied.document, deletedAt: null },
    action: before.deletedAt === null ? 'update' : 'restore',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: summarizeRestore(target.title, revision, applied.operations.length),
  });
}

/** See ContentBackend.trash. */
export const trashEntry: EntryWriter = (tx, entryId, context, options = {}) =>
  changeEntry(tx, entryId, context, options, (before) => ({
    after: { ...stateOf(before), ...NO_PLAN, deletedAt: context.now },
    action: 'delete',
    summary: `Deleted the ${before.type} ${quotedTitle(before.draft.title)}`,
  }));

function refuseTaken(trashed: Entry, owner: Entry | null, slug: string): void {
  if (owner === null || owner.id === trashed.id) return;
  const [title, other] = [trashed, owner].map(({ draft }) => quotedTitle(draft.title));
  throw new ConflictError(
    `${title} cannot be restored: the slug "${slug}" is taken by the ${owner.type} ${other} (${owner.id}). Give that one another slug (published, if it is) or trash it, then restore again.`,
    { details: { slug, id: owner.id } },
  );
}

/** A deletion that is in effect, or a creation that was undone. */
function putsIntoTrash(chain: ChangeChain): boolean {
  const { action } = chain[0].change;
  return standsAt(chain, 0) ? action === 'delete' : action === 'create';
}

/** The plan that went away with the entry, if its time still lies ahead. */
async function planBefore(
  tx: ContentTransaction,
  trashing: ChangeChain | undefined,
  now: number,
): Promise<PublicationPlan> {
  const record = trashing === undefined ? null : await tx.journalEntry(tailOf(trashing).change.id);
  return stillAhead(record === null ? null : stateFromJson(record.before), now);
}

/**
 * See ContentBackend.restore. It takes back what put the entry into the trash, so that the journal is as if that had
 * not been.
 */
export const restoreFromTrash: EntryWriter = async (tx, entryId, context, { ifRevision } = {}) => {
  const before = await storedEntry(tx, entryId);
  checkRevision(before, ifRevision);
  const { draft, published } = before;
  if (before.deletedAt === null) throw new ConflictError(`${quotedTitle(draft.title)} is not in the trash.`);
  refuseTaken(before, await tx.entryBySlug(before.type, draft.slug), draft.slug);
  if (published !== null) {
    refuseTaken(before, await tx.entryByPublishedSlug(before.type, published.slug), published.slug);
  }
  const trashing = chainsOf(await tx.journalOf(entryId))
    .filter(putsIntoTrash)
    .toSorted((a, b) => tailOf(b).seq - tailOf(a).seq)
    .at(0);
  const applied = applyOperations(draft, await withoutLostParent(tx, before.id, draft));
  const restored = await commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: {
      ...stateOf(before),
      draft: applied.document,
      ...(await planBefore(tx, trashing, context.now)),
      deletedAt: null,
    },
    action: 'restore',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: `Restored the ${before.type} ${quotedTitle(draft.title)} from the trash`,
  });
  if (trashing !== undefined) await linkUndo(tx, trashing, restored.change);
  return restored;
};
