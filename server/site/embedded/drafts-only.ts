import { ONLY_DRAFTS } from '#server/site/content-backend';
import type { ContentReader, ContentTransaction } from '#server/site/embedded/content-store';
import { sameSchedule } from '#server/site/embedded/entry-state';
import { type Entry, sameDocument } from '#server/core/site/content';
import { type JsonValue, sameJson, toJson } from '#server/core/json';
import { designFromJson, readStoredDesign } from '#server/site/embedded/design-writes';
import type { SiteDocumentKey } from '#server/core/site/changes';
import { ForbiddenError } from '#server/core/errors';

/**
 * A transaction that refuses what does more than change drafts; see ContentBackend.draftsOnly. A write is judged by what it
 * saves, regardless of which operation made it, so that undos are judged, too.
 */
export function draftsOnly(tx: ContentTransaction): ContentTransaction {
  return {
    ...tx,
    async saveEntry(entry) {
      if (changesWhatVisitorsSee(await tx.entry(entry.id), entry)) throw refusal();
      await tx.saveEntry(entry);
    },
    // Pictures have no drafts: a new one is not shown anywhere, but any other change to a picture may be visible
    // immediately.
    async saveAsset(asset) {
      if ((await tx.asset(asset.id)) !== null) throw refusal();
      await tx.saveAsset(asset);
    },
    async saveSiteDocument(key, document, updatedAt) {
      if (await changesVisibleDocument(tx, key, document.value)) throw refusal();
      await tx.saveSiteDocument(key, document, updatedAt);
    },
    saveRedirect: () => Promise.reject(refusal()),
  };
}

/** True if a write to a document of the site alters more than a draft. Of these documents, only the design has one. */
export async function changesVisibleDocument(
  reader: ContentReader,
  key: SiteDocumentKey,
  value: JsonValue,
): Promise<boolean> {
  if (key !== 'design') return true;
  const { published } = await readStoredDesign(reader);
  return !sameJson(toJson(published), toJson(designFromJson(value).published));
}

/** True if a write alters what visitors see, now or by a schedule, or deletes or restores something. */
export function changesWhatVisitorsSee(before: Entry | null, after: Entry): boolean {
  const { published, publishedAt, deletedAt } = after;
  if (before === null) return published !== null || after.publishAt !== null || deletedAt !== null;
  const isSamePublication = sameDocument(before.published, published) && before.publishedAt === publishedAt;
  return !isSamePublication || !sameSchedule(before, after) || before.deletedAt !== deletedAt;
}

function refusal(): ForbiddenError {
  return new ForbiddenError(ONLY_DRAFTS);
}
