import type { FieldChange } from '#server/core/site/changes';
import type { Entry, EntryDocument } from '#server/core/site/content';
import type { SiteJournal } from '#server/site/content-backend';
import { documentChanges } from '#server/site/field-changes';

/** A version of an entry: what visitors see, the draft, or the state after a revision. */
export type ComparedVersion = 'published' | 'draft' | number;

/** The document of a version; null: the entry is not published. @throws NotFoundError for an unknown revision */
async function documentOf(journal: SiteJournal, entry: Entry, version: ComparedVersion): Promise<EntryDocument | null> {
  if (version === 'published') return entry.published;
  return version === 'draft' ? entry.draft : journal.version(entry.id, version);
}

/** Differences between two versions of an entry, field by field. @throws NotFoundError for an unknown revision */
export async function entryDifferences(
  journal: SiteJournal,
  entry: Entry,
  { from, to }: { readonly from: ComparedVersion; readonly to: ComparedVersion },
): Promise<FieldChange[]> {
  return documentChanges(await documentOf(journal, entry, from), await documentOf(journal, entry, to));
}
