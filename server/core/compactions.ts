import type { CompactionReason } from '#server/core/events';
import type { Usage } from '#server/core/messages';

/** The strategy name of rows that record a prune instead of a summary. */
export const PRUNE_STRATEGY = 'prune';

/** Why a compaction was given up though nothing went wrong; counts as an attempt that gained nothing. */
export const NO_GAIN = 'No summary would be smaller than what it replaces.';

/** What made a compaction or prune run; prunes also run when a turn has ended. */
export type CompactionTrigger = CompactionReason | 'turn-end';

/** What one compaction or prune did to a session's view. Token counts are those of the whole view. */
export interface CompactionRecord {
  readonly id: string;
  readonly sessionId: string;
  /** 1 for the session's first compaction; a prune or a failure carries the round that comes next. */
  readonly round: number;
  /** Name of the strategy, or `prune`. */
  readonly strategy: string;
  readonly trigger: CompactionTrigger;
  readonly status: 'completed' | 'failed' | 'undone';
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesCompacted: number;
  readonly compactedMessageIds: readonly string[];
  /** Parts that a prune cleared. */
  readonly prunedPartIds: readonly string[];
  /** Messages before the cut that the view keeps verbatim, in front of the summary and behind it. */
  readonly keptBeforeSummary: readonly string[];
  readonly keptAfterSummary: readonly string[];
  /** The view goes on from this message; null when nothing older than the summary was kept. */
  readonly firstKeptMessageId: string | null;
  readonly summaryMessageId: string | null;
  /** Who wrote the summary; null without a model. */
  readonly modelId: string | null;
  /** Tokens of the window that the view was made for; null for prunes. */
  readonly contextWindow: number | null;
  readonly durationMs: number;
  readonly usage: Usage | null;
  readonly error: string | null;
  readonly createdAt: number;
}

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

/** The compaction strategies, as settings and requests name them. */
export const strategyNames = [
  'reactive-overflow',
  'proactive-threshold',
  'middle-removal',
  'ledger',
  'pruning-agent',
] as const;
export type StrategyName = (typeof strategyNames)[number];
