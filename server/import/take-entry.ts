import type { NewEntry } from '#server/content/content-backend';
import { type Entry, type EntryDocument, type PatchOp, type Section, hasOlderPlan } from '#server/core/content';
import type { EntryChange } from '#server/core/changes';
import { diffDocuments } from '#server/content/document-operations';
import { canonicalDocument, checkDocumentField, newDocument } from '#server/content/entry-document';
import { ConflictError, refusalOf } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import { type DecidedEntry, freeSlug, type TakenSlugs } from '#server/import/decide-entries';
import type { SourceDocument } from '#server/import/plan';
import { type ContentSources, readContent, type ReadSections } from '#server/import/read-content';
import { type ImportWork, stateHash } from '#server/import/work';

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
    log.left(planned.type, title, 'It was imported before and has been deleted here since: it stays deleted.');
    return;
  }
  if (entry !== null) ids.set(planned.key, entry.id);
  try {
    const wanted = wantedEntry(decided, taking, (key) => ids.get(key) ?? idOfRehearsal(work, key));
    if (wanted.hash === decided.known?.hash || state === 'theirs') {
      log.took(planned.type, 'unchanged');
      if (wanted.hash !== decided.known?.hash && entry !== null && changesOf(entry, wanted.draft).length > 0)
        log.altered(
          planned.type,
          title,
          'It has been changed here since it was imported: the version in the file is left out.',
        );
      return;
    }
    const notes = entry === null ? await make(decided, wanted, taking) : await renew(entry, decided, wanted, work);
    log.took(planned.type, entry === null ? 'created' : 'updated');
    if (wanted.published !== null) log.appears(planned.type);
    tell(decided, wanted, notes, work);
  } catch (error) {
    log.left(planned.type, title, refusalOf(error));
  }
}

/** Id of a page that a rehearsal would create; any value will do. */
function idOfRehearsal({ remember }: ImportWork, key: string): string | undefined {
  return remember === null ? key : undefined;
}

function tell({ planned, slug }: DecidedEntry, wanted: WantedEntry, notes: readonly string[], work: ImportWork): void {
  const { log } = work.plan;
  const { type, draft } = planned;
  log.sections(wanted.sectionTypes);
  if (slug !== draft.slug) log.altered(type, draft.title, 'Its address was taken: it got a number.');
  for (const remark of [...wanted.remarks, ...notes]) log.altered(type, draft.title, remark);
  if (wanted.lost.length > 0)
    log.altered(
      'link',
      draft.title,
      'Its links and pictures without a counterpart here still lead to the old site.',
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
  // What no file brings along stays as it is.
  const { kind, terms, custom } = draft;
  return diffDocuments(draft, canonicalDocument({ ...withSections(wanted, draft.sections), kind, terms, custom }));
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
  /** Neither publishes nor plans a draft that somebody changed meanwhile. */
  const asWritten = () => ({ ifRevision: entry.revision });
  /** Reports a refusal; the entry exists all the same, and the next import tries again. */
  const take = async (changing: Promise<Pick<EntryChange, 'entry' | 'notes'> | null>) => {
    try {
      const change = await changing;
      if (change === null) return;
      ({ entry } = change);
      notes.push(...(change.notes ?? []));
    } catch (error) {
      notes.push(`It was imported only in part: ${refusalOf(error)}`);
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
  if (publishAt !== entry.publishAt || hasOlderPlan(entry)) {
    if (content.capabilities().scheduling) await take(content.schedule(id, publishAt, origin, asWritten()));
    else notes.push('This site cannot plan publications: it stays a draft.');
  }
  if (next !== draft) await take(writeDraft(entry, draft, work));
  if (planned.comments !== undefined) await work.keepComments?.(id, planned.comments);
  const hash = isWhole ? wanted.hash : '';
  await work.remember?.({ sourceKey: planned.key, localId: id, hash, revision: entry.revision });
  return notes;
}

/** A document as it is to be here; its sections have no ids yet. */
export interface WantedDocument extends Omit<EntryDocument, 'sections'> {
  readonly sections: ReadSections['sections'];
}

/** An entry as it is to be here. */
export interface WantedEntry {
  readonly draft: WantedDocument;
  readonly published: WantedDocument | null;
  /** Version to publish later, where that is not the draft. */
  readonly scheduled: WantedDocument | null;
  /** Hash of everything wanted: an equal one means no change. */
  readonly hash: string;
  /** Types of its sections, as they are edited. */
  readonly sectionTypes: readonly string[];
  readonly remarks: readonly string[];
  readonly lost: readonly string[];
}

/** @param idOf the id here of the page with a key; undefined where there is none (yet) */
function wantedEntry(
  { planned, slug }: DecidedEntry,
  sources: ContentSources,
  idOf: (key: string) => string | undefined,
): WantedEntry {
  const told = { remarks: new Set<string>(), lost: new Set<string>() };
  const wanted = (document: SourceDocument): WantedDocument => {
    const content = readContent(document.content, sources);
    for (const remark of content.remarks) told.remarks.add(remark);
    for (const address of content.lost) told.lost.add(address);
    const { parent: above, image, content: _content, tags, seo, ...fields } = document;
    const parent = above === undefined ? undefined : idOf(above);
    if (above !== undefined && parent === undefined)
      told.remarks.add('Its parent page is not here: it has no parent now.');
    return {
      ...fields,
      slug: document.slug === planned.draft.slug ? slug : document.slug,
      ...(tags !== undefined && { tags: [...tags] }),
      ...(image !== undefined && checkedImage(sources.addresses.toLocal(image), told.remarks)),
      ...(seo !== undefined && { seo: seo.image ? { ...seo, image: sources.addresses.toLocal(seo.image) } : seo }),
      ...(parent !== undefined && { parent }),
      sections: content.sections,
    };
  };
  const draft = wanted(planned.draft);
  const published =
    planned.published === planned.draft ? draft : planned.published === null ? null : wanted(planned.published);
  const scheduled = planned.scheduled === null ? null : wanted(planned.scheduled);
  const { publishedAt, publishAt } = planned;
  return {
    draft,
    published,
    scheduled,
    hash: stateHash({
      draft,
      published,
      publishedAt,
      publishAt,
      ...(scheduled !== null && { scheduled }),
      ...(planned.comments && { comments: planned.comments }),
    }),
    sectionTypes: draft.sections.map(({ type }) => type),
    remarks: [...told.remarks],
    lost: [...told.lost],
  };
}

function checkedImage(image: string, remarks: Set<string>): { image?: string } {
  try {
    return { image: checkDocumentField('image', image) };
  } catch (error) {
    refusalOf(error);
    remarks.add('Its picture has an address that cannot be shown here: it has no picture.');
    return {};
  }
}

/** The document with sections that are there already wherever they are the same, or of the same type. */
function withSections({ sections: wanted, ...fields }: WantedDocument, present: readonly Section[]): EntryDocument {
  const free = [...present];
  const take = (fits: (section: Section) => boolean) => {
    const index = free.findIndex(fits);
    return index < 0 ? undefined : free.splice(index, 1)[0];
  };
  const same = wanted.map(({ type, fields: said }) => {
    const text = JSON.stringify(said);
    return take((section) => section.type === type && JSON.stringify(section.fields) === text)?.id;
  });
  const sections = wanted.map(({ type, fields: said }, index) => ({
    id: same[index] ?? take((section) => section.type === type)?.id ?? createShortId('sec'),
    type,
    fields: said,
  }));
  return canonicalDocument({ ...fields, sections });
}
