import { type Look } from '#server/context/look';
import type { CompactionPlan } from '#server/context/plan-compaction';
import { rawTokens } from '#server/context/plan-compaction';
import { verbatimMessages } from '#server/context/view';
import type { Candidate } from '#server/context/write-summary';

/** A summary written while the user reads, waiting to be needed. */
export interface PreparedSummary {
  readonly candidate: Candidate;
  /** The summary it continues; it is of no use once another compaction came between. */
  readonly previousSummaryId: string | null;
}

/** Remembers a summary with what it rests on. */
export function prepareFor(look: Look, candidate: Candidate): PreparedSummary {
  return { candidate, previousSummaryId: look.stored.summary?.id ?? null };
}

/**
 * The prepared summary for the session as it stands now, with everything said since in its tail. Null when something
 * it covers has changed, or when with the newer messages it would leave more than the soft limit.
 */
export function takePrepared({ candidate, previousSummaryId }: PreparedSummary, look: Look): Candidate | null {
  if ((look.stored.summary?.id ?? null) !== previousSummaryId) return null;
  const plan = extendPlan(candidate.plan, look);
  if (!plan) return null;
  const verbatim = rawTokens([...plan.keptBefore, ...plan.keptAfter, ...plan.tail]);
  const after = look.budget.fixed + (verbatim + candidate.tokens) * look.target.tokenFactor;
  return after <= look.budget.usable * look.settings.softLimitShare ? { ...candidate, plan } : null;
}

/** The same cut, with the tail as it is now; null when the head is no longer the same. */
function extendPlan(plan: CompactionPlan, { stored }: Look): CompactionPlan | null {
  const cut = stored.messages.findIndex((message) => message.id === plan.tail[0].id);
  const [first, ...rest] = cut === -1 ? [] : stored.messages.slice(cut);
  if (!first) return null;
  const now = new Set(verbatimMessages(stored).map((message) => message.id));
  const covered = [...plan.keptBefore, ...plan.replaced, ...plan.keptAfter];
  const isSame = covered.every((message) => now.has(message.id)) && now.size === covered.length + 1 + rest.length;
  return isSame ? { ...plan, tail: [first, ...rest] } : null;
}
