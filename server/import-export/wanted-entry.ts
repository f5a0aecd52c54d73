import type { EntryHead } from '#server/core/site/content';
import { checkDocumentField } from '#server/site/entry-document';
import { refusalOf } from '#server/core/errors';
import type { ServerText } from '#server/core/coded-message';
import { distinctTexts } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import type { DecidedEntry } from '#server/import-export/decide-entries';
import type { SourceDocument } from '#server/import-export/plan/import-plan';
import { type ContentSources, readContent, type ReadSections } from '#server/import-export/read-content';
import { stateHash } from '#server/import-export/plan/state-hash';

/** The wanted state of a document; its sections have no ids yet. */
export interface WantedDocument extends EntryHead {
  readonly sections: ReadSections['sections'];
}

/** The wanted state of an entry. */
export interface WantedEntry {
  readonly draft: WantedDocument;
  readonly published: WantedDocument | null;
  /** Version to publish later; null if none, or if it is the draft. */
  readonly scheduled: WantedDocument | null;
  /** Hash of the wanted state (`plan/state-hash`). */
  readonly hash: string;
  /** Types of its sections in the draft. */
  readonly sectionTypes: readonly string[];
  /** Sentences for the user about what was changed. */
  readonly remarks: readonly ServerText[];
  /** Addresses in the content that have no counterpart on this site. */
  readonly lost: readonly string[];
}

/**
 * Reads the content of a planned entry: the state that the entry shall have on this site.
 * @param idOf the local id of the page with a key of the plan; undefined if that page was not imported
 */
export function wantedEntry(
  { planned, slug }: DecidedEntry,
  sources: ContentSources,
  idOf: (key: string) => string | undefined,
): WantedEntry {
  const remarks: ServerText[] = [];
  const lost = new Set<string>();
  const wanted = (document: SourceDocument): WantedDocument => {
    const content = readContent(document.content, sources);
    remarks.push(...content.remarks);
    for (const address of content.lost) lost.add(address);
    const { parent: parentKey, image, content: _content, tags, seo, ...fields } = document;
    const parent = parentKey === undefined ? undefined : idOf(parentKey);
    if (parentKey !== undefined && parent === undefined) remarks.push(serverText('import-parent-not-imported'));
    return {
      ...fields,
      slug: document.slug === planned.draft.slug ? slug : document.slug,
      ...(tags !== undefined && { tags: [...tags] }),
      ...(image !== undefined && checkedImage(sources.addresses.toLocal(image), remarks)),
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
    remarks: distinctTexts(remarks),
    lost: [...lost],
  };
}

function checkedImage(image: string, remarks: ServerText[]): { image?: string } {
  try {
    return { image: checkDocumentField('image', image) };
  } catch (error) {
    refusalOf(error);
    remarks.push(serverText('import-picture-address'));
    return {};
  }
}
