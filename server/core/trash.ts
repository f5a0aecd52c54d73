import type { ChangeSet, EntryType } from '#server/core/content';

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
