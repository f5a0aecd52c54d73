import { canonicalDocument, checkDocumentField } from '#server/content/entry-document';
import type { EntryDocument, Section } from '#server/core/content';
import { createShortId } from '#server/core/ids';
import type { DecidedEntry } from '#server/import/decide-entries';
import type { PlannedDocument } from '#server/import/plan';
import { type ContentSources, readContent, type ReadSections } from '#server/import/read-content';
import { refusalOf } from '#server/import/work';
import { stateHash } from '#server/import/state-hash';

/** A document as it is to be here; its sections have no ids yet. */
export interface WantedDocument extends Omit<EntryDocument, 'sections'> {
  readonly sections: ReadSections['sections'];
}

/** An entry as it is to be here. */
export interface WantedEntry {
  readonly draft: WantedDocument;
  readonly published: WantedDocument | null;
  /** What is published at a time to come, where that is not the draft. */
  readonly scheduled: WantedDocument | null;
  /** Of all of it: the same again is left alone. */
  readonly hash: string;
  /** Types of its sections, as they are edited. */
  readonly sectionTypes: readonly string[];
  readonly remarks: readonly string[];
  readonly lost: readonly string[];
}

/** @param idOf the id here of the page with a key; undefined where there is none (yet) */
export function wantedEntry(
  { planned, slug }: DecidedEntry,
  sources: ContentSources,
  idOf: (key: string) => string | undefined,
): WantedEntry {
  const told = { remarks: new Set<string>(), lost: new Set<string>() };
  const wanted = (document: PlannedDocument): WantedDocument => {
    const content = readContent(document.content, sources);
    for (const remark of content.remarks) told.remarks.add(remark);
    for (const address of content.lost) told.lost.add(address);
    const { parent: above, image, content: _content, tags, ...fields } = document;
    const parent = above === undefined ? undefined : idOf(above);
    if (above !== undefined && parent === undefined)
      told.remarks.add('The page above it is not here: it stands below none.');
    return {
      ...fields,
      slug: document.slug === planned.draft.slug ? slug : document.slug,
      ...(tags !== undefined && { tags: [...tags] }),
      ...(image !== undefined && checkedImage(sources.addresses.toLocal(image), told.remarks)),
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
    hash: stateHash({ draft, published, publishedAt, publishAt, ...(scheduled !== null && { scheduled }) }),
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
    remarks.add('The address of its picture is none that we can show: it has no picture here.');
    return {};
  }
}

/** The document with sections that are there already wherever they are the same, or of the same type. */
export function withSections(
  { sections: wanted, ...fields }: WantedDocument,
  present: readonly Section[],
): EntryDocument {
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
