import type { ContentTransaction, ContentWriter } from '#server/site/embedded/content-store';
import { changesVisibleDocument, changesWhatVisitorsSee } from '#server/site/embedded/drafts-only';
import type { ChangeSet } from '#server/core/site/changes';

/**
 * Wraps a store so that changes that visitors see (as `draftsOnly` judges them) are reported.
 * @param report called with those changes of one write after it is stored. If `report` fails, the write stays stored and
 * its caller gets the error
 */
export function reportVisibleChanges<Store extends ContentWriter>(
  store: Store,
  report: (changes: readonly ChangeSet[]) => Promise<void>,
): Store {
  const write: ContentWriter['write'] = async (work) => {
    let visible: readonly ChangeSet[] = [];
    const result = await store.write(async (tx) => {
      const watched = watch(tx);
      const outcome = await work(watched.tx);
      visible = watched.visible();
      return outcome;
    });
    if (visible.length > 0) await report(visible);
    return result;
  };
  return { ...store, write };
}

function watch(tx: ContentTransaction): { readonly tx: ContentTransaction; visible(): readonly ChangeSet[] } {
  const targets = new Set<string>();
  const changes: ChangeSet[] = [];
  const watched: ContentTransaction = {
    ...tx,
    async saveEntry(entry) {
      if (changesWhatVisitorsSee(await tx.entry(entry.id), entry)) targets.add(entry.id);
      await tx.saveEntry(entry);
    },
    async saveAsset(asset) {
      if ((await tx.asset(asset.id)) !== null) targets.add(asset.id);
      await tx.saveAsset(asset);
    },
    async saveSiteDocument(key, document, updatedAt) {
      if (await changesVisibleDocument(tx, key, document.value)) targets.add(key);
      await tx.saveSiteDocument(key, document, updatedAt);
    },
    async addJournalEntry(entry) {
      changes.push(entry.change);
      await tx.addJournalEntry(entry);
    },
  };
  return { tx: watched, visible: () => changes.filter(({ targetId }) => targets.has(targetId)) };
}
