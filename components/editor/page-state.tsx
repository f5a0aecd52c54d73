import type { FieldConflict } from '#components/editor/pending-values';
import type { EntryDocument } from '#server/core/content';
import type { Presence } from '#server/core/presence';
import type { PlacedEntry } from '#server/core/site-lists';

/**
 * `waiting`: something is not sent yet, because it is still being typed or because the server cannot be reached.
 * `failed`: the server refused it for a reason that `problem` says; it is sent again with the next letter.
 */
export type SaveState = 'saved' | 'waiting' | 'saving' | 'failed' | 'conflict';

export interface PageEditorState {
  /** As the server has it; null while loading, or where the path has no entry. */
  readonly entry: PlacedEntry | null;
  /** With what is not saved yet. */
  readonly document: EntryDocument | null;
  readonly save: SaveState;
  /** Epoch milliseconds; null: nothing was saved here yet. */
  readonly savedAt: number | null;
  /** Why the server refused what is not saved. */
  readonly problem: string | null;
  readonly conflict: FieldConflict | null;
  /** Others on this page, and where they write. */
  readonly others: readonly Presence[];
}

/** Before anything is loaded. */
export const NO_PAGE_STATE: PageEditorState = {
  entry: null,
  document: null,
  save: 'saved',
  savedAt: null,
  problem: null,
  conflict: null,
  others: [],
};
