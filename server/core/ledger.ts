/** A piece of a thing that has an id of its own: a section of a page. */
export interface LedgerPart {
  readonly id: string;
  readonly type: string;
}

/**
 * One thing that was done in a session, as code recorded it. The engine keeps these exact lines through every
 * compaction; no model ever paraphrases them.
 */
export interface LedgerEntry {
  /** What was changed: `page`, `post`, `navigation`, `settings`, ... */
  readonly kind: string;
  readonly id: string;
  readonly slug: string | null;
  readonly title: string;
  /** `create`, `update`, `publish`, `delete`, ... */
  readonly action: string;
  /** A short sentence: `Added a faq section to "Pricing"`. */
  readonly summary: string;
  /** A later change took it back. */
  readonly undone: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What the thing is by now (`draft`, `published`, `changed`, `deleted`); left out where nobody knows. */
  readonly state?: string | undefined;
  /** What the thing consists of by now, in order; left out where nobody knows. */
  readonly parts?: readonly LedgerPart[] | undefined;
}
