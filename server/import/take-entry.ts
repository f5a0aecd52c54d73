import type { EntryChange, NewEntry } from '#server/content/content-backend';
import { diffDocuments } from '#server/content/diff-documents';
import { sameDocument } from '#server/content/embedded/entry-state';
import { newDocument } from '#server/content/entry-document';
import type { Entry, PatchOp } from '#server/core/content';
import { ConflictError } from '#server/core/errors';
import { type DecidedEntry, freeSlug, type TakenSlugs } from '#server/import/decide-entries';
import type { ContentSources } from '#server/import/read-content';
import { type WantedDocument, type WantedEntry, wantedEntry, withSections } from '#server/import/wanted-document';
import { type ImportWork, refusalOf } from '#server/import/work';

/** Most slugs that are tried where others write at the same time. */
const MOST_TRIES = 5;

export interface EntryTaking extends ContentSources {
  readonly work: ImportWork;
  /** Ids here by key; grows. */
  readonly ids: Map<string, string>;
  readonly taken: TakenSlugs;
}

/** Makes one planned entry, or brings it up to date, or leaves it alone, and writes down which. */
export async function takeEntry(decided: DecidedEntry, taking: EntryTaking): Promise<void> {
  const { work, ids } = taking;
  const { planned, state, entry } = decided;
  const { log } = work.plan;
  const title = planned.draft.title;
  if (state === 'gone') {
    log.left(planned.type, title, 'It was taken before and deleted here since: it stays deleted.');
    return;
  }
  if (entry !== null) ids.set(planned.key, entry.id);
  try {
    const wanted = wantedEntry(decided, taking, (key) => ids.get(key) ?? idOfRehearsal(work, key));
    if (wanted.hash === decided.known?.hash || state === 'theirs') {
      log.took(planned.type, 'unchanged');
      if (wanted.hash !== decided.known?.hash && entry !== null && changesOf(entry, wanted.draft).length > 0)
        log.altered(planned.type, title, 'It was changed here since it was taken: what the file says now is left out.');
      return;
    }
    const notes = entry === null ? await make(decided, wanted, taking) : await renew(entry, decided, wanted, work);
    log.took(planned.type, entry === null ? 'created' : 'updated');
    tell(decided, wanted, notes, work);
  } catch (error) {
    log.left(planned.type, title, refusalOf(error));
  }
}

/** Where nothing is written, a page that would be made has no id; any stands for it. */
function idOfRehearsal({ remember }: ImportWork, key: string): string | undefined {
  return remember === null ? key : undefined;
}

function tell({ planned, slug }: DecidedEntry, wanted: WantedEntry, notes: readonly string[], work: ImportWork): void {
  const { log } = work.plan;
  const { type, draft } = planned;
  log.sections(wanted.sectionTypes);
  if (slug !== draft.slug) log.altered(type, draft.title, 'Its address was taken: a number is added to it.');
  for (const remark of [...wanted.remarks, ...notes]) log.altered(type, draft.title, remark);
  if (wanted.lost.length > 0)
    log.altered(
      'link',
      draft.title,
      'Links and pictures of it that nothing here stands for lead to where they led before.',
      wanted.lost.length,
    );
}

/** The first thing an entry is made of: what visitors see of it, where they do, or will. */
function firstOf({ draft, published, scheduled }: WantedEntry): WantedDocument {
  return published ?? scheduled ?? draft;
}

function newEntryOf({ planned: { type } }: DecidedEntry, wanted: WantedEntry, slug: string): NewEntry {
  return { type, ...firstOf(wanted), slug };
}

async function make(decided: DecidedEntry, wanted: WantedEntry, taking: EntryTaking): Promise<string[]> {
  const { work, ids } = taking;
  const { key } = decided.planned;
  if (work.remember === null) {
    const { parent: _parent, ...rest } = newEntryOf(decided, wanted, decided.slug);
    newDocument(rest);
    return [];
  }
  const created = await createWithFreeSlug(decided, wanted, taking);
  const { id } = created.entry;
  ids.set(key, id);
  // Were this to end here, the next import would go on with it.
  await work.remember({ sourceKey: key, localId: id, hash: '', revision: created.entry.revision });
  return finish(created, decided, wanted, work);
}

async function createWithFreeSlug(
  decided: DecidedEntry,
  wanted: WantedEntry,
  { work, taken }: EntryTaking,
): Promise<EntryChange> {
  let { slug } = firstOf(wanted);
  for (let tries = 1; ; tries += 1) {
    try {
      return await work.content.create(newEntryOf(decided, wanted, slug), work.origin);
    } catch (error) {
      if (!(error instanceof ConflictError) || tries === MOST_TRIES) throw error;
      taken[decided.planned.type].add(slug);
      slug = freeSlug(decided.planned.draft.slug, taken[decided.planned.type]);
    }
  }
}

function changesOf({ draft }: Entry, wanted: WantedDocument): PatchOp[] {
  return diffDocuments(draft, withSections(wanted, draft.sections));
}

/** Changes the draft to what is wanted; null where it is that already. */
async function writeDraft(
  entry: Entry,
  wanted: WantedDocument,
  { content, origin }: ImportWork,
): Promise<EntryChange | null> {
  const operations = changesOf(entry, wanted);
  return operations.length === 0 ? null : content.patch(entry.id, operations, origin, { ifRevision: entry.revision });
}

async function renew(entry: Entry, decided: DecidedEntry, wanted: WantedEntry, work: ImportWork): Promise<string[]> {
  if (work.remember === null) return [];
  const written = await writeDraft(entry, firstOf(wanted), work);
  return finish(written ?? { entry }, decided, wanted, work);
}

/** Publishes, plans and remembers what was written. */
async function finish(
  written: Pick<EntryChange, 'entry' | 'notes'>,
  { planned }: DecidedEntry,
  wanted: WantedEntry,
  work: ImportWork,
): Promise<string[]> {
  const { content, origin } = work;
  const { id } = written.entry;
  const notes = [...(written.notes ?? [])];
  let { entry } = written;
  let isWhole = true;
  /** What somebody wrote meanwhile is neither published nor planned by an import. */
  const asWritten = () => ({ ifRevision: entry.revision });
  /** What is refused is told; the entry is here all the same, and the next import tries again. */
  const take = async (changing: Promise<Pick<EntryChange, 'entry' | 'notes'> | null>) => {
    try {
      const change = await changing;
      if (change === null) return;
      ({ entry } = change);
      notes.push(...(change.notes ?? []));
    } catch (error) {
      notes.push(`It is here, but not all of it: ${refusalOf(error)}`);
      isWhole = false;
    }
  };
  const { publishedAt, publishAt } = planned;
  const isDated = publishedAt !== null && entry.publishedAt !== publishedAt;
  if (wanted.published !== null && (entry.status !== 'published' || isDated)) {
    const path = await content.pathOf(entry, 'draft');
    const canLeadOn = content.capabilities().redirects;
    const formerPaths = canLeadOn ? planned.formerPaths.filter((former) => former.toLowerCase() !== path) : [];
    await take(content.publish(id, origin, { publishedAt: publishedAt ?? undefined, formerPaths, ...asWritten() }));
  }
  if (wanted.published === null && entry.published !== null) await take(content.unpublish(id, origin, asWritten()));
  const { draft, scheduled } = wanted;
  const next = scheduled ?? draft;
  if (wanted.published !== null && wanted.published !== next) await take(writeDraft(entry, next, work));
  const isPlanOlder = entry.planned !== null && !sameDocument(entry.planned, entry.draft);
  if (publishAt !== entry.publishAt || isPlanOlder) {
    if (content.capabilities().scheduling) await take(content.schedule(id, publishAt, origin, asWritten()));
    else notes.push('Nothing can be planned on this site: it stays a draft.');
  }
  if (next !== draft) await take(writeDraft(entry, draft, work));
  const hash = isWhole ? wanted.hash : '';
  await work.remember?.({ sourceKey: planned.key, localId: id, hash, revision: entry.revision });
  return notes;
}
