import { z } from 'zod';
import { compactionReasons } from '#server/core/events';
import { usageSchema } from '#server/core/messages';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Reason of a compaction that was given up though nothing went wrong; counts as an attempt that gained nothing. */
export const NO_GAIN = 'No summary would be smaller than what it replaces.';

/** Causes of compactions and prunes; prunes also run when a turn has ended. */
const compactionTriggers = [...compactionReasons, 'turn-end'] as const;
export type CompactionTrigger = (typeof compactionTriggers)[number];

/** Effect of one compaction or prune on a session's view. Token counts are those of the whole view. */
export const compactionSchema = z
  .strictObject({
    id: idOf('cmp'),
    sessionId: idOf('ses'),
    /** 1 for the session's first compaction; a prune or a failure carries the round that comes next. */
    round: z.number().int().min(1),
    /** Name of the strategy, or `prune`. */
    strategy: z.string().min(1),
    trigger: z.enum(compactionTriggers),
    status: z.enum(['completed', 'failed', 'undone']),
    tokensBefore: count,
    tokensAfter: count,
    messagesCompacted: count,
    compactedMessageIds: z.array(idOf('msg')),
    /** Parts that a prune cleared. */
    prunedPartIds: z.array(idOf('prt')),
    /** Messages before the cut that the view keeps verbatim, in front of the summary and behind it. */
    keptBeforeSummary: z.array(idOf('msg')),
    keptAfterSummary: z.array(idOf('msg')),
    /** The view goes on from this message; null when nothing older than the summary was kept. */
    firstKeptMessageId: idOf('msg').nullable(),
    summaryMessageId: idOf('msg').nullable(),
    /** Model that wrote the summary; null without one. */
    modelId: z.string().nullable(),
    /** Tokens of the window that the view was made for; null for prunes. */
    contextWindow: count.nullable(),
    durationMs: count,
    usage: usageSchema.nullable(),
    /** Reasons for which it failed, or attempts of its model were refused, a line each. */
    error: z.string().nullable(),
    createdAt: time,
  })
  .register(components, { id: 'Compaction' });
export type CompactionRecord = Shape<typeof compactionSchema>;

/** One change that was made in a session, as the site's journal has it. No model ever paraphrases it. */
export interface LedgerEntry {
  /** Kind of thing that was changed: `page`, `post`, `navigation`, `settings`, ... */
  readonly kind: string;
  readonly id: string;
  readonly slug: string | null;
  readonly title: string;
  /** `create`, `update`, `publish`, `delete`, ... */
  readonly action: string;
  /** The change as a short sentence: `Added a faq section to "Pricing"`. */
  readonly summary: string;
  /** A later change took it back. */
  readonly undone: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Call that made it; left out where none did. */
  readonly toolCallId?: string | undefined;
}

/** A thing of the site by its names in the journal. */
export type ThingRef = Pick<LedgerEntry, 'kind' | 'id' | 'slug' | 'title'>;

/** Current state of a thing on a site. */
export interface Thing extends Pick<LedgerEntry, 'kind' | 'id' | 'title'> {
  /** Address on the site, where it has one. */
  readonly path: string | null;
  /** `draft`, `published`, `changed`, `deleted`; null where nobody knows, or it has none. */
  readonly state: string | null;
  /** Its pieces that have ids of their own, in order. */
  readonly parts?: readonly { readonly id: string; readonly type: string }[] | undefined;
  /** Its content in words, where that has no ids. */
  readonly detail?: string | undefined;
  /** The site did not answer: it stood so when it was read last. */
  readonly isLastKnown?: boolean | undefined;
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

/** Outcome of a summary that a model was to write. */
export interface SummaryOutcome {
  /**
   * `paused`: not asked, as it failed before; `used`: of one that was prepared; `dropped`: written in vain.
   */
  readonly outcome: 'written' | 'failed' | 'paused' | 'used' | 'dropped';
  readonly sessionId: string;
  readonly modelId: string;
  readonly trigger: CompactionTrigger;
  /** The reason for which it failed or was dropped; holds no secrets. */
  readonly reason?: string | undefined;
}
