import type { ContentTransaction } from '#server/site/embedded/content-store';
import type { AssetState } from '#server/site/embedded/asset-state';
import type { EntryState } from '#server/site/embedded/entry-state';
import type { AbandonedPath } from '#server/wordpress/mirror/changed-addresses';
import type { MirrorTransaction, RemoteAddress } from '#server/wordpress/mirror/mirror';
import type { EntryType } from '#server/core/site/content';
import type { SiteDocumentKey } from '#server/core/site/changes';
import type { JsonValue } from '#server/core/json';
import type { ServerText } from '#server/core/coded-message';

/** Effect of a write on one target, from before its first step to after its last. */
export type TouchedTarget =
  | {
      readonly kind: 'entry';
      readonly id: string;
      readonly type: EntryType;
      readonly before: EntryState | null;
      readonly after: EntryState;
      /** The write undoes an earlier one. */
      readonly isUndo?: boolean;
    }
  | { readonly kind: 'asset'; readonly id: string; readonly before: AssetState | null; readonly after: AssetState }
  | {
      readonly kind: 'document';
      readonly id: SiteDocumentKey;
      readonly before: JsonValue | null;
      readonly after: JsonValue;
    };
export type TouchedEntry = Extract<TouchedTarget, { kind: 'entry' }>;
export type TouchedDocument = Extract<TouchedTarget, { kind: 'document' }>;

/** Files that a write stores, by their hash. */
export type KeptFiles = ReadonlyMap<string, Uint8Array>;

/** A write after its dry run: everything that it saves, to be repeated exactly. */
export interface RecordedWrite {
  /** In the order in which they were first touched. */
  readonly targets: readonly TouchedTarget[];
  readonly files: KeptFiles;
  /** Paths at which visitors found content that is elsewhere now. */
  readonly abandoned: readonly AbandonedPath[];
  replay(tx: MirrorTransaction): Promise<void>;
}

/** A transaction that records everything that is saved in it. */
export function recordWrite(tx: MirrorTransaction): { tx: ContentTransaction; record: () => RecordedWrite } {
  const steps: ((into: MirrorTransaction) => Promise<void>)[] = [];
  const targets = new Map<string, TouchedTarget>();
  const files = new Map<string, Uint8Array>();
  const abandoned: AbandonedPath[] = [];
  const save = async (step: (into: MirrorTransaction) => Promise<void>) => {
    steps.push(step);
    await step(tx);
  };
  const formerOf = async <T>(id: string, read: () => Promise<T>): Promise<T> => {
    const touched = targets.get(id);
    return touched === undefined ? read() : (touched.before as T);
  };
  return {
    tx: {
      ...tx,
      async saveEntry(entry) {
        const before = await formerOf(entry.id, () => tx.entry(entry.id));
        targets.set(entry.id, { kind: 'entry', id: entry.id, type: entry.type, before, after: entry });
        await save((into) => into.saveEntry(entry));
      },
      async saveAsset(asset) {
        const before = await formerOf(asset.id, () => tx.asset(asset.id));
        targets.set(asset.id, { kind: 'asset', id: asset.id, before, after: asset });
        await save((into) => into.saveAsset(asset));
      },
      async saveSiteDocument(key, document, updatedAt) {
        const before = await formerOf(key, async () => (await tx.siteDocument(key))?.value ?? null);
        targets.set(key, { kind: 'document', id: key, before, after: document.value });
        await save((into) => into.saveSiteDocument(key, document, updatedAt));
      },
      async keepAssetFile(picture, now) {
        files.set(picture.hash, picture.data);
        await save((into) => into.keepAssetFile(picture, now));
      },
      async saveRedirect(path, targetId, createdAt) {
        abandoned.push({ path, id: targetId });
        await save((into) => into.saveRedirect(path, targetId, createdAt));
      },
      async addJournalEntry(entry) {
        const target = targets.get(entry.change.targetId);
        if (target?.kind === 'entry') targets.set(target.id, { ...target, isUndo: entry.change.action === 'undo' });
        await save((into) => into.addJournalEntry(entry));
      },
      extendJournalEntry: (entry) => save((into) => into.extendJournalEntry(entry)),
      setUndoneBy: (changeId, undoneBy) => save((into) => into.setUndoneBy(changeId, undoneBy)),
      setUndoes: (changeId, undoes) => save((into) => into.setUndoes(changeId, undoes)),
    },
    record: () => ({
      targets: [...targets.values()],
      files,
      abandoned,
      async replay(into) {
        for (const step of steps) await step(into);
      },
    }),
  };
}

/** Result of writing one target to WordPress, not yet stored in the mirror. */
export interface PushedTarget {
  /** Stores WordPress's result: the link and, if the result differs from what was requested, a change by `external`. */
  settle(tx: MirrorTransaction): Promise<void>;
  /** Restores the former state in WordPress as far as possible. */
  putBack(): Promise<void>;
  /** New addresses, for the following writes. */
  readonly addresses: readonly RemoteAddress[];
  /** Sentences about values that WordPress cannot store or has changed. */
  readonly notes: readonly ServerText[];
  /** True if WordPress stored something different. */
  readonly corrected: boolean;
}
