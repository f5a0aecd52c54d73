import { createJob } from '#server/context/compact-session';
import type { ContextDependencies, ContextRequest } from '#server/context/context-request';
import type { Look } from '#server/context/look';
import { type PreparedSummary, prepareFor } from '#server/context/prepared-summary';
import { type Strategy, aimBelowTrigger } from '#server/context/strategies/strategy';
import { writeCandidates } from '#server/context/write-summary';

/**
 * Writes the summary that the next compaction will need. Null below the soft limit, where settings or strategy know no
 * model-written summaries, and when the model's text was not usable (the ledger needs no preparing).
 */
export async function prepareSummary(
  deps: ContextDependencies,
  request: ContextRequest,
  strategy: Strategy,
  seen: Look,
): Promise<PreparedSummary | null> {
  const look = { ...seen, budget: aimBelowTrigger(strategy, seen.budget, seen.settings) };
  const { backgroundSummaries, autoCompact, softLimitShare } = look.settings;
  const isWanted = backgroundSummaries && autoCompact && strategy.writer === 'narrative' && request.summarizer !== null;
  if (!isWanted || look.measured.currentTokens <= look.budget.usable * softLimitShare) return null;
  const plan = strategy.plan({
    stored: look.stored,
    budget: look.budget,
    target: look.target,
    settings: look.settings,
  });
  if (!plan) return null;
  const past = await deps.store.pastCompactions(request.sessionId);
  const [first] = await take(writeCandidates(createJob(deps, request, { strategy }, look, plan, past)));
  return first && first.modelId !== null ? prepareFor(look, first) : null;
}

/** The first value only; the rest is never made. */
async function take<T>(values: AsyncGenerator<T>): Promise<T[]> {
  const { value, done } = await values.next();
  await values.return(undefined);
  return done ? [] : [value];
}
