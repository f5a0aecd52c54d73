import type { NewEntry } from '#server/site/content-backend';
import {
  type Entry,
  type EntryDocument,
  hasOutdatedSchedule,
  type PatchOp,
  type Section,
} from '#server/core/site/content';
import type { EntryChange, WriteNotes } from '#server/core/site/changes';
import { canonicalDocument, newDocument } from '#server/site/entry-document';
import { ConflictError, refusalOf } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import type { Reason } from '#server/import-export/plan/import-log';
import { serverText } from '#server/core/messages/server-text';
import type { DecidedEntry, TakenSlugs } from '#server/import-export/decide-entries';
import type { ContentSources } from '#server/import-export/read-content';
import type { ImportWork } from '#server/import-export/import-work';
import { type WantedDocument, wantedEntry, type WantedEntry } from '#server/import-export/wanted-entry';
import { diffDocuments } from '#server/site/diff-documents';
import { textsOfNotes } from '#server/core/message-data';

/** Maximum number of slugs to try while others write at the same time. A choice, not measured. */
const MAX_SLUG_ATTEMPTS = 5;

/** State that the imports of all entries share. */
export interface EntryImport extends ContentSources {
  readonly work: ImportWork;
  /** Ids on this site by key of the plan; `importEntry` adds its entry. */
  readonly ids: Map<string, string>;
  /** Slugs in use; `importEntry` adds slugs that others took since. */
  readonly taken: TakenSlugs;
}

/**
 * Creates or updates one planned entry, or leaves it alone, and records the outcome in the log. A parent must be
 * imported before its children. An entry that the site refuses is recorded as skipped.
 */
export async function importEntry(decided: DecidedEntry, context: EntryImport): Promise<void> {
  const { work, ids } = context;
  const { planned, state, entry } = decided;
  const { log } = work.plan;
  const title = planned.draft.title;
  if (state === 'deleted') {
    log.addSkipped(planned.type, title, serverText('import-deleted-here'));
    return;
  }
  if (entry !== null) ids.set(planned.key, entry.id);
  try {
    const wanted = wantedEntry(decided, context, (key) => ids.get(key) ?? idOfRehearsal(work, key));
    if (wanted.hash === decided.known?.hash || state === 'edited') {
      log.countImported(planned.type, 'unchanged');
      if (wanted.hash !== decided.known?.hash && entry !== null && changesOf(entry, wanted.draft).length > 0)
        log.addAltered(planned.type, title, serverText('import-changed-here'));
      return;
    }
    const notes =
      entry === null ? await createEntry(decided, wanted, context) : await updateEntry(entry, decided, wanted, work);
    log.countImported(planned.type, entry === null ? 'created' : 'updated');
    if (wanted.published !== null) log.countVisible(planned.type);
    reportOutcome(decided, wanted, notes, work);
  } catch (error) {
    log.addSkipped(planned.type, title, refusalOf(error));
  }
}

/** Id of a page that a rehearsal would create; any value works. */
function idOfRehearsal({ remember }: ImportWork, key: string): string | undefined {
  return remember === null ? key : undefined;
}

function reportOutcome(
  { planned, slug }: DecidedEntry,
  wanted: WantedEntry,
  notes: readonly Reason[],
  work: ImportWork,
): void {
  const { log } = work.plan;
  const { type, draft } = planned;
  log.countSections(wanted.sectionTypes);
  if (slug !== draft.slug) log.addAltered(type, draft.title, serverText('import-address-taken'));
  for (const remark of [...wanted.remarks, ...notes]) log.addAltered(type, draft.title, remark);
  if (wanted.lost.length > 0) log.addAltered('link', draft.title, serverText('import-old-links'), wanted.lost.length);
}

/** The version with which an entry is created: what visitors see or will see, if anything. */
function firstOf({ draft, published, scheduled }: WantedEntry): WantedDocument {
  return published ?? scheduled ?? draft;
}

function newEntryOf({ planned: { type } }: DecidedEntry, wanted: WantedEntry, slug: string): NewEntry {
  return { type, ...firstOf(wanted), slug };
}

/** @returns the notes of the site about the writes */
async function createEntry(decided: DecidedEntry, wanted: WantedEntry, context: EntryImport): Promise<Reason[]> {
  const { work, ids } = context;
  const { key } = decided.planned;
  if (work.remember === null) {
    const { parent: _parent, ...rest } = newEntryOf(decided, wanted, decided.slug);
    newDocument(rest);
    return [];
  }
  const created = await createWithFreeSlug(decided, wanted, context);
  const { id } = created.entry;
  ids.set(key, id);
  // If the import ends here, the next one continues with this entry.
  await work.remember({ sourceKey: key, localId: id, hash: '', revision: created.entry.revision });
  return completeEntry(created, decided, wanted, work);
}

async function createWithFreeSlug(
  decided: DecidedEntry,
  wanted: WantedEntry,
  { work, taken }: EntryImport,
): Promise<EntryChange> {
  let { slug } = firstOf(wanted);
  for (let tries = 1; ; tries += 1) {
    try {
      return await work.content.create(newEntryOf(decided, wanted, slug), work.origin);
    } catch (error) {
      if (!(error instanceof ConflictError) || tries === MAX_SLUG_ATTEMPTS) throw error;
      taken[decided.planned.type].add(slug);
      slug = taken[decided.planned.type].claim(decided.planned.draft.slug);
    }
  }
}

function changesOf({ draft }: Entry, wanted: WantedDocument): PatchOp[] {
  // Fields that no file contains stay unchanged.
  const { kind, terms, custom } = draft;
  return diffDocuments(draft, canonicalDocument({ ...withSections(wanted, draft.sections), kind, terms, custom }));
}

/** Changes the draft to the wanted document; null if they are already equal. */
async function writeDraft(
  entry: Entry,
  wanted: WantedDocument,
  { content, origin }: ImportWork,
): Promise<EntryChange | null> {
  const operations = changesOf(entry, wanted);
  return operations.length === 0 ? null : content.patch(entry.id, operations, origin, { ifRevision: entry.revision });
}

/** @returns the notes of the site about the writes */
async function updateEntry(
  entry: Entry,
  decided: DecidedEntry,
  wanted: WantedEntry,
  work: ImportWork,
): Promise<Reason[]> {
  if (work.remember === null) return [];
  const written = await writeDraft(entry, firstOf(wanted), work);
  return completeEntry(written ?? { entry }, decided, wanted, work);
}

/** An entry that was written, with the notes of the site. */
interface WrittenEntry extends WriteNotes {
  readonly entry: EntryChange['entry'];
}

/**
 * Publishes and schedules an entry whose first version is written, writes its draft, and remembers it for later
 * imports.
 * @returns the notes of the site about all writes
 */
async function completeEntry(
  written: WrittenEntry,
  { planned }: DecidedEntry,
  wanted: WantedEntry,
  work: ImportWork,
): Promise<Reason[]> {
  const { content, origin } = work;
  const { id } = written.entry;
  const notes: Reason[] = textsOfNotes(written);
  let { entry } = written;
  let isComplete = true;
  /** Refuses to publish or schedule a draft that another person has changed since it was written. */
  const ifUnchanged = () => ({ ifRevision: entry.revision });
  /** Reports a refusal; the entry exists nevertheless, and the next import tries again. */
  const applyChange = async (changing: Promise<WrittenEntry | null>) => {
    try {
      const change = await changing;
      if (change === null) return;
      ({ entry } = change);
      notes.push(...textsOfNotes(change));
    } catch (error) {
      notes.push(serverText('import-in-part', { reason: refusalOf(error) }));
      isComplete = false;
    }
  };
  const { publishedAt, publishAt } = planned;
  const isDated = publishedAt !== null && entry.publishedAt !== publishedAt;
  if (wanted.published !== null && (entry.status !== 'published' || isDated)) {
    const path = await content.pathOf(entry, 'draft');
    const canRedirect = content.capabilities().redirects;
    const formerPaths = canRedirect ? planned.formerPaths.filter((former) => former.toLowerCase() !== path) : [];
    await applyChange(
      content.publish(id, origin, { publishedAt: publishedAt ?? undefined, formerPaths, ...ifUnchanged() }),
    );
  }
  if (wanted.published === null && entry.published !== null)
    await applyChange(content.unpublish(id, origin, ifUnchanged()));
  const { draft, scheduled } = wanted;
  const next = scheduled ?? draft;
  if (wanted.published !== null && wanted.published !== next) await applyChange(writeDraft(entry, next, work));
  if (publishAt !== entry.publishAt || hasOutdatedSchedule(entry)) {
    if (content.capabilities().scheduling) await applyChange(content.schedule(id, publishAt, origin, ifUnchanged()));
    else notes.push(serverText('import-no-plans'));
  }
  if (next !== draft) await applyChange(writeDraft(entry, draft, work));
  if (planned.comments !== undefined) await work.keepComments?.(id, planned.comments);
  const hash = isComplete ? wanted.hash : '';
  await work.remember?.({ sourceKey: planned.key, localId: id, hash, revision: entry.revision });
  return notes;
}

/**
 * The wanted document with ids for its sections: each takes the id of an equal present section, else of one of the same
 * type, else a new one. Each present id is used once.
 */
function withSections({ sections: wanted, ...fields }: WantedDocument, present: readonly Section[]): EntryDocument {
  const free = [...present];
  const takeFree = (fits: (section: Section) => boolean) => {
    const index = free.findIndex(fits);
    return index < 0 ? undefined : free.splice(index, 1)[0];
  };
  const equalIds = wanted.map(({ type, fields: wantedFields }) => {
    const text = JSON.stringify(wantedFields);
    return takeFree((section) => section.type === type && JSON.stringify(section.fields) === text)?.id;
  });
  const sections = wanted.map(({ type, fields: wantedFields }, index) => ({
    id: equalIds[index] ?? takeFree((section) => section.type === type)?.id ?? createShortId('sec'),
    type,
    fields: wantedFields,
  }));
  return canonicalDocument({ ...fields, sections });
}
