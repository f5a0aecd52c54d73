import { ONLY_DRAFTS } from '#server/content/content-backend';
import type { ContentStore, ContentTransaction } from '#server/content/embedded/content-store';
import { samePlan } from '#server/content/embedded/entry-state';
import { type Entry, sameDocument } from '#server/core/content';
import { ForbiddenError } from '#server/core/errors';

/* Writes that are judged and not kept: rehearsals, and whatever is more than work on drafts. */

/** Does all of `work`, with its checks and errors, and leaves nothing of it but the result. */
export async function dryRun<T, Transaction>(
  store: { write<Written>(work: (tx: Transaction) => Promise<Written>): Promise<Written> },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  // Of this run alone: a store may itself rehearse what it is given.
  const end = new Error('Nothing is written.');
  let outcome: { readonly result: T } | undefined;
  try {
    await store.write(async (tx) => {
      outcome = { result: await work(tx) };
      throw end;
    });
  } catch (error) {
    if (error !== end || outcome === undefined) throw error;
  }
  if (outcome === undefined) throw new Error('A dry run did not end.');
  return outcome.result;
}

/**
 * A store that keeps nothing but work on drafts; see ContentBackend.draftsOnly. What a write does to the site is judged
 * by what it saves, in its own transaction: by whatever way it came about, also as an undo.
 */
export function draftsOnlyStore<Store extends Pick<ContentStore, 'write'>>(store: Store): Store {
  const write: ContentStore['write'] = (work) => store.write((tx) => work(draftsOnly(tx)));
  return { ...store, write };
}

function draftsOnly(tx: ContentTransaction): ContentTransaction {
  return {
    ...tx,
    async saveEntry(entry) {
      if (isNoticed(await tx.entry(entry.id), entry)) throw refusal();
      await tx.saveEntry(entry);
    },
    // Pictures have no drafts: what is new is shown nowhere, whatever else is done to one may be seen at once.
    async saveAsset(asset) {
      if ((await tx.asset(asset.id)) !== null) throw refusal();
      await tx.saveAsset(asset);
    },
    saveSiteDocument: () => Promise.reject(refusal()),
    saveRedirect: () => Promise.reject(refusal()),
  };
}

/** Tells whether a write alters, now or by a plan, what visitors see, or deletes or restores something. */
export function isNoticed(before: Entry | null, after: Entry): boolean {
  const { published, publishedAt, deletedAt } = after;
  if (before === null) return published !== null || after.publishAt !== null || deletedAt !== null;
  const isPublishedSo = sameDocument(before.published, published) && before.publishedAt === publishedAt;
  return !isPublishedSo || !samePlan(before, after) || before.deletedAt !== deletedAt;
}

function refusal(): ForbiddenError {
  return new ForbiddenError(ONLY_DRAFTS);
}
