import type { ContentStore, ContentTransaction } from '#server/content/embedded/content-store';
import { isNoticed } from '#server/content/embedded/limited-writes';
import type { ChangeSet } from '#server/core/changes';

/**
 * A store that tells of the changes that visitors notice (as `draftsOnlyStore` judges them), whatever way they came about.
 * @param tell called with those of one write, once it is stored; what was written stands, whatever becomes of it
 */
export function tellingOfNoticed<Store extends Pick<ContentStore, 'write'>>(
  store: Store,
  tell: (changes: readonly ChangeSet[]) => Promise<void>,
): Store {
  const write: ContentStore['write'] = async (work) => {
    let noticed: readonly ChangeSet[] = [];
    const result = await store.write(async (tx) => {
      const watched = watch(tx);
      const outcome = await work(watched.tx);
      noticed = watched.noticed();
      return outcome;
    });
    if (noticed.length > 0) await tell(noticed);
    return result;
  };
  return { ...store, write };
}

function watch(tx: ContentTransaction): { readonly tx: ContentTransaction; noticed(): readonly ChangeSet[] } {
  const targets = new Set<string>();
  const changes: ChangeSet[] = [];
  const watched: ContentTransaction = {
    ...tx,
    async saveEntry(entry) {
      if (isNoticed(await tx.entry(entry.id), entry)) targets.add(entry.id);
      await tx.saveEntry(entry);
    },
    async saveAsset(asset) {
      if ((await tx.asset(asset.id)) !== null) targets.add(asset.id);
      await tx.saveAsset(asset);
    },
    async saveSiteDocument(key, ...document) {
      targets.add(key);
      await tx.saveSiteDocument(key, ...document);
    },
    async addJournalEntry(entry) {
      changes.push(entry.change);
      await tx.addJournalEntry(entry);
    },
  };
  return { tx: watched, noticed: () => changes.filter(({ targetId }) => targets.has(targetId)) };
}
