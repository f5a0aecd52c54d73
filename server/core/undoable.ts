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
