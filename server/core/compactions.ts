import { z } from 'zod';
import type { CompactionReason } from '#server/core/events';
import type { Usage } from '#server/core/messages';

/** The strategy name of rows that record a prune instead of a summary. */
export const PRUNE_STRATEGY = 'prune';

/** Why a compaction was given up though nothing went wrong; counts as an attempt that gained nothing. */
export const NO_GAIN = 'No summary would be smaller than what it replaces.';

/** What made a compaction or prune run; prunes also run when a turn has ended. */
export type CompactionTrigger = CompactionReason | 'turn-end';

/** A compaction that is about to be stored. */
export interface NewCompaction {
  /** 1 for the session's first compaction. */
  readonly round: number;
  readonly strategy: string;
  readonly trigger: CompactionTrigger;
  /** Tokens of the view before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly compactedMessageIds: readonly string[];
  /** The first message that stays in the view as it is; null when all were compacted. */
  readonly firstKeptMessageId: string | null;
  /** Messages before it that the view keeps, in front of the summary and behind it. */
  readonly keptBeforeSummary?: readonly string[];
  readonly keptAfterSummary?: readonly string[];
  /** The tools that the session works with after this compaction. */
  readonly workingContext?: WorkingContext;
  readonly summary: string;
  readonly summaryTokens: number;
  /** The model that wrote the summary; null without one. */
  readonly modelId: string | null;
  /** Tokens of the window that the view is made for. */
  readonly contextWindow?: number;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

/** The tools that a session's verbatim messages refer to; stored with every compaction. */
export interface WorkingContext {
  /** Names of tools that the verbatim messages refer to, sorted. */
  readonly tools: readonly string[];
  /** Tools that only compacted messages referred to. */
  readonly removedTools: readonly string[];
}

/** A prune that is about to be stored. */
export interface NewPrune {
  readonly trigger: CompactionTrigger;
  /** Tokens of the view before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Parts that are cleared already are left alone; an excerpt can be cleared, or cut to less, by a later prune. */
  readonly parts: readonly PrunedPart[];
  readonly modelId: string | null;
}

/** A part of which less is shown from now on. */
export interface PrunedPart {
  readonly partId: string;
  readonly tokensAfter: number;
  /** Characters of an output that stay in the view; of a call, the longest text of its input that stays whole. */
  readonly excerptChars?: number;
}

/** A compaction that failed. */
export interface FailedCompaction extends Pick<
  NewCompaction,
  'strategy' | 'trigger' | 'tokensBefore' | 'modelId' | 'contextWindow' | 'durationMs'
> {
  readonly error: string;
  /** Usage of the model calls made for it. */
  readonly usage?: Usage | null;
}

export const summarizerPauseSchema = z.object({
  modelId: z.string(),
  /** Failed attempts in a row. */
  failures: z.number(),
  /** It is not asked before; epoch milliseconds. */
  until: z.number(),
});

/** A pause between attempts of a model that failed to write summaries for a session. */
export type SummarizerPause = Readonly<z.infer<typeof summarizerPauseSchema>>;

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
