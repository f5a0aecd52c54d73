import type { ContextSnapshot } from '#server/context/context-snapshot';
import type { CompactionPlan } from '#server/context/plan-compaction';
import type { Strategy } from '#server/context/strategies';
import { verbatimMessages } from '#server/context/view';
import type { Candidate } from '#server/context/write-summary';
import type { Usage } from '#server/core/messages';

/** The plan of a background summary, by ids alone: many sessions may have one waiting. */
export interface PreparedPlan {
  readonly strategy: string;
  /** The summary it continues; it is of no use once another compaction came between. */
  readonly previousSummaryId: string | null;
  readonly firstKeptId: string;
  readonly keptBefore: readonly string[];
  readonly replaced: readonly string[];
  readonly keptAfter: readonly string[];
  readonly summaryTokens: number;
  readonly cutsTurn: boolean;
}

/** A summary written while the user reads, waiting to be needed. */
export interface PreparedSummary extends PreparedPlan {
  readonly text: string;
  readonly narrative: string | null;
  readonly tokens: number;
  readonly modelId: string;
  readonly usage: Usage | null;
}

/** Reduces a plan to its ids. */
export function prepared(strategy: Strategy, snapshot: ContextSnapshot, plan: CompactionPlan): PreparedPlan {
  const ids = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id);
  return {
    strategy: strategy.name,
    previousSummaryId: snapshot.stored.summary?.id ?? null,
    firstKeptId: plan.tail[0].id,
    keptBefore: ids(plan.keptBefore),
    replaced: ids(plan.replaced),
    keptAfter: ids(plan.keptAfter),
    summaryTokens: plan.summaryTokens,
    cutsTurn: plan.cutsTurn,
  };
}

/**
 * The plan for the session as it stands now, with everything said since in its tail, however much that is. Null when
 * something that it covers has changed, or another compaction came between.
 */
export function planNow(
  { previousSummaryId, firstKeptId, keptBefore, replaced, keptAfter, summaryTokens, cutsTurn }: PreparedPlan,
  { stored }: ContextSnapshot,
): CompactionPlan | null {
  if ((stored.summary?.id ?? null) !== previousSummaryId) return null;
  const cut = stored.messages.findIndex(({ id }) => id === firstKeptId);
  const [first, ...rest] = cut === -1 ? [] : stored.messages.slice(cut);
  if (!first) return null;
  const before = verbatimMessages({ ...stored, messages: stored.messages.slice(0, cut) });
  const head = new Map(before.map((message) => [message.id, message]));
  const covered = [...keptBefore, ...replaced, ...keptAfter];
  if (covered.length !== head.size || !covered.every((id) => head.has(id))) return null;
  const find = (ids: readonly string[]) => ids.flatMap((id) => head.get(id) ?? []);
  return {
    keptBefore: find(keptBefore),
    replaced: find(replaced),
    keptAfter: find(keptAfter),
    tail: [first, ...rest],
    summaryTokens,
    cutsTurn,
  };
}

/** The prepared summary for the session as it stands now; null as for `planNow`. */
export function candidateNow(summary: PreparedSummary, snapshot: ContextSnapshot): Candidate | null {
  const { text, narrative, tokens, strategy, modelId, usage } = summary;
  const plan = planNow(summary, snapshot);
  return plan && { plan, text, narrative, tokens, strategy, modelId, usage };
}

export interface Bill {
  readonly sessionId: string;
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly modelId: string;
  readonly contextWindow: number;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

/** A summary that was paid for, and what is recorded of it should it be dropped. */
export interface Waiting {
  readonly summary: PreparedSummary;
  readonly bill: Bill;
}

/** Result of looking for a prepared summary. */
export type PreparedLookup =
  | { readonly kind: 'ready'; readonly candidate: Candidate; readonly waiting: Waiting }
  /** It has to have its own written. */
  | { readonly kind: 'none' }
  /** It has waited for one, and its model failed: asking again would wait once more. */
  | { readonly kind: 'failed' };
