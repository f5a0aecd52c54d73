import type { Usage } from '#server/core/messages';
import type { Look } from '#server/context/look';
import type { CompactionPlan } from '#server/context/compaction/plan-compaction';
import type { Strategy } from '#server/context/strategies/strategy';
import { verbatimMessages } from '#server/context/view/view';
import type { Candidate } from '#server/context/summary/write-summary';

/** What a summary of the background covers, by ids alone: many sessions may have one waiting. */
export interface PreparedPlan {
  readonly strategy: string;
  /** The summary it continues; it is of no use once another compaction came between. */
  readonly previousSummaryId: string | null;
  readonly firstKeptId: string;
  readonly keptBefore: readonly string[];
  readonly replaced: readonly string[];
  readonly keptAfter: readonly string[];
  readonly summaryTokens: number;
}

/** A summary written while the user reads, waiting to be needed. */
export interface PreparedSummary extends PreparedPlan {
  readonly text: string;
  readonly tokens: number;
  readonly modelId: string;
  readonly usage: Usage | null;
}

/** What is remembered of a plan. */
export function prepared(strategy: Strategy, look: Look, plan: CompactionPlan): PreparedPlan {
  const ids = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id);
  return {
    strategy: strategy.name,
    previousSummaryId: look.stored.summary?.id ?? null,
    firstKeptId: plan.tail[0].id,
    keptBefore: ids(plan.keptBefore),
    replaced: ids(plan.replaced),
    keptAfter: ids(plan.keptAfter),
    summaryTokens: plan.summaryTokens,
  };
}

/**
 * The plan for the session as it stands now, with everything said since in its tail, however much that is. Null when
 * something that it covers has changed, or another compaction came between.
 */
export function planNow(
  { previousSummaryId, firstKeptId, keptBefore, replaced, keptAfter, summaryTokens }: PreparedPlan,
  { stored }: Look,
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
  };
}

/** The prepared summary for the session as it stands now; null as for `planNow`. */
export function candidateNow(summary: PreparedSummary, look: Look): Candidate | null {
  const { text, tokens, strategy, modelId, usage } = summary;
  const plan = planNow(summary, look);
  return plan && { plan, text, tokens, strategy, modelId, usage };
}
