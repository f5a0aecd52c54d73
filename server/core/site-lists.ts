import type { ChangeSet, EntryStatus, EntryType } from '#server/core/content';

export const trashKinds = ['entries', 'media'] as const;
export type TrashKind = (typeof trashKinds)[number];

export interface TrashQuery {
  readonly kind: TrashKind;
  readonly limit: number;
  /** `nextCursor` of the page before; of the same kind. */
  readonly cursor?: string | undefined;
}

/** Something that was deleted and can be brought back. */
export type TrashItem = {
  readonly id: string;
  readonly title: string;
  /** What put it there; null where the journal does not reach back so far. */
  readonly change: ChangeSet | null;
} & (
  | { readonly type: EntryType; readonly slug: string }
  /** Its title is the filename. */
  | { readonly type: 'asset'; readonly thumbnailUrl: string; readonly alt: string }
);

export interface TrashPage {
  readonly items: readonly TrashItem[];
  /** Of all pages together. */
  readonly total: number;
  readonly nextCursor: string | null;
}

/** Which part of what is planned. */
export interface PlannedQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A page or post that is published by itself at a time to come. */
export interface PlannedEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly slug: string;
  /** As it is being edited. */
  readonly path: string;
  /** `changed`: visitors see an older state of it until then. */
  readonly status: EntryStatus;
  /** Epoch milliseconds; in the past where it is late. */
  readonly publishAt: number;
  /** Its draft was changed since it was planned: what was changed stays a draft. */
  readonly isPlanOlder: boolean;
  /** Why it could not be published though its time has come; null: nothing is wrong, or it is not its time yet. */
  readonly problem: string | null;
}

/** The next one first. */
export interface PlannedPage {
  readonly items: readonly PlannedEntry[];
  readonly total: number;
  readonly nextCursor: string | null;
}

/** The newest thing of a session that stands and can be taken back. */
export interface Undoable {
  /** `change`: of the site, by its change id. The others by their compaction id. */
  readonly kind: 'change' | 'compaction' | 'prune';
  readonly id: string;
  /** A short plain sentence: `Added a faq section to "Pricing"`. */
  readonly summary: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}
