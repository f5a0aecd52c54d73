import type { CompactionReason } from '#server/core/events';
import type { ContextDependencies, ContextRequest } from '#server/context/context-request';
import { scale } from '#server/context/current-tokens';
import { type Look, lookAt } from '#server/context/look';
import { MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import { type CompactionPlan, messageTokens, planCompaction } from '#server/context/plan-compaction';
import type { SavedCompaction } from '#server/context/ports';
import { type WrittenSummary, writeSummary } from '#server/context/write-summary';

export interface CompactionOrder {
  readonly reason: CompactionReason;
  /** What the user asks the summary to pay attention to. */
  readonly instructions?: string | undefined;
  /** Wait for a compaction that already runs, instead of refusing. */
  readonly wait: boolean;
  /** Outputs were cleared just before, for the listener's report. */
  readonly wasPruned: boolean;
}

/** A committed compaction with its figures, in the model's tokens. */
export interface CompactionOutcome extends SavedCompaction {
  readonly round: number;
  readonly strategy: WrittenSummary['strategy'];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesCompacted: number;
  readonly durationMs: number;
}

/**
 * Plans a compaction, has its summary written and commits it, all under the session's lease. Null when there is
 * nothing to compact. A failure changes nothing and is told to the listener.
 * @throws ConflictError while another compaction runs and the order does not wait
 */
export async function compactSession(
  deps: ContextDependencies,
  request: ContextRequest,
  order: CompactionOrder,
): Promise<CompactionOutcome | null> {
  const lease = await deps.store.holdLease(request.sessionId, order.wait);
  // Not `await using`: the bundler drops the disposal (docs/decisions/007).
  try {
    return await compactHeld(deps, request, order);
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

async function compactHeld(
  deps: ContextDependencies,
  request: ContextRequest,
  order: CompactionOrder,
): Promise<CompactionOutcome | null> {
  const look = await lookAt(deps.store, deps.settings, request.sessionId, request.target);
  const plan = planCompaction(look.stored.messages, look.budget, request.target, deps.settings.minTurnsToKeep);
  if (!plan) return null;

  const modelLimit = request.target.contextWindow;
  const { currentTokens: tokensBefore } = look.measured;
  request.listener?.onCompaction?.({ phase: 'start', tokensBefore, modelLimit, reason: order.reason });
  try {
    const outcome = await carryOut(deps, request, order, look, plan);
    if (!outcome) return null;
    const { id: compactionId, ...figures } = outcome;
    const data = { ...figures, compactionId, wasPruned: order.wasPruned, wasSummarized: true };
    request.listener?.onCompaction?.({ phase: 'complete', ...data });
    return outcome;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    request.listener?.onCompaction?.({ phase: 'failed', message });
    throw error;
  }
}

async function carryOut(
  { store, ledger, now }: ContextDependencies,
  { sessionId, target, summarizer, signal }: ContextRequest,
  { reason, instructions }: CompactionOrder,
  look: Look,
  plan: CompactionPlan,
): Promise<CompactionOutcome | null> {
  const startedAt = now();
  const round = (await store.countRounds(sessionId)) + 1;
  const facts = {
    round,
    messages: await store.loadBefore(sessionId, plan.firstKept.seq),
    ledger: await ledger(sessionId),
    tokens: plan.summaryTokens,
  };
  const source = { facts, head: plan.head, previousSummary: summaryText(look), instructions };
  const summary = await writeSummary(source, summarizer, signal);

  const tokensAfter =
    look.budget.fixed + scale(summary.tokens + MESSAGE_OVERHEAD, target) + messageTokens(plan.kept, target);
  // Asked for by hand: a short conversation may be smaller than any summary of it.
  if (reason === 'manual' && tokensAfter >= look.measured.currentTokens) return null;
  const figures = {
    round,
    strategy: summary.strategy,
    tokensBefore: look.measured.currentTokens,
    tokensAfter,
    durationMs: now() - startedAt,
  };
  const saved = await store.saveCompaction(sessionId, {
    ...figures,
    trigger: reason,
    compactedMessageIds: plan.replaced.map((message) => message.id),
    firstKeptMessageId: plan.firstKept.id,
    summary: summary.text,
    summaryTokens: summary.tokens,
    modelId: summary.modelId,
    usage: summary.usage,
  });
  return { ...figures, ...saved, messagesCompacted: plan.replaced.length };
}

function summaryText(look: Look): string | null {
  const marker = look.stored.summary?.parts.find((part) => part.type === 'compaction-marker');
  return marker?.content.summary ?? null;
}
