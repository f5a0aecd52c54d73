import type { AssetState, ContentTransaction } from '#server/content/embedded/content-store';
import type { EntryState } from '#server/content/embedded/entry-state';
import type { AbandonedPath } from '#server/wordpress/changed-addresses';
import type { MirrorTransaction, RemoteAddress } from '#server/wordpress/mirror';
import type { EntryType } from '#server/core/content';
import type { SiteDocumentKey } from '#server/core/changes';
import type { JsonValue } from '#server/core/json';

/** Effect of a write on one thing, from before its first step to after its last. */
export type TouchedTarget =
  | {
      readonly kind: 'entry';
      readonly id: string;
      readonly type: EntryType;
      readonly before: EntryState | null;
      readonly after: EntryState;
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

/** Bytes that a write keeps, by their hash. */
export type KeptFiles = ReadonlyMap<string, Uint8Array>;

/** A write that was rehearsed: all that it saves, to be done again just so. */
export interface RecordedWrite {
  /** In the order in which they were first touched. */
  readonly targets: readonly TouchedTarget[];
  readonly files: KeptFiles;
  /** Paths at which visitors found something that is elsewhere now. */
  readonly abandoned: readonly AbandonedPath[];
  replay(tx: MirrorTransaction): Promise<void>;
}

/** A transaction that keeps a record of what is saved in it. */
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
      addJournalEntry: (entry) => save((into) => into.addJournalEntry(entry)),
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

/** Result of writing one thing to WordPress, still to be stored in the mirror. */
export interface PushedTarget {
  /** Keeps what WordPress made of it: the link and, where that is not what was asked for, a change by `external`. */
  settle(tx: MirrorTransaction): Promise<void>;
  /** Makes WordPress what it was, as far as it can be. */
  putBack(): Promise<void>;
  /** New addresses, for the writes that follow. */
  readonly addresses: readonly RemoteAddress[];
  /** Plain sentences about values that WordPress cannot keep or has changed. */
  readonly notes: readonly string[];
  /** WordPress made something else of it. */
  readonly corrected: boolean;
}
