import type { EntryStatus, EntryType } from '#server/core/content';

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
