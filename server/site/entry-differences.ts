import type { FieldChange } from '#server/core/site/changes';
import type { Entry, EntryDocument } from '#server/core/site/content';
import { documentChanges } from '#server/site/field-changes';

/** A version of an entry: what visitors see, the draft, or the state after a revision. */
type ComparedVersion = 'published' | 'draft' | number;

/** The two versions of a comparison. */
export interface ComparedVersions {
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
}

/** Reads former states of entries. */
interface Versions {
  version(entryId: string, revision: number): Promise<EntryDocument>;
}

/** The document of a version; null: the entry is not published. */
async function documentOf(versions: Versions, entry: Entry, version: ComparedVersion): Promise<EntryDocument | null> {
  if (version === 'published') return entry.published;
  return version === 'draft' ? entry.draft : versions.version(entry.id, version);
}

/** Differences between two versions of an entry, field by field. @throws NotFoundError for an unknown revision */
export async function entryDifferences(
  versions: Versions,
  entry: Entry,
  { from, to }: ComparedVersions,
): Promise<FieldChange[]> {
  return documentChanges(await documentOf(versions, entry, from), await documentOf(versions, entry, to));
}
