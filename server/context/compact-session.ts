import { isFutile, isModelInVain, isPaused, leastGain } from '#server/context/breaker';
import type { BackgroundSummaries } from '#server/context/background-summaries';
import {
  type ContextDependencies,
  type ContextRequest,
  fits,
  type ContextSnapshot,
  measureContext,
} from '#server/context/context-snapshot';
import { calmTokens, estimateTokens, type ModelTarget } from '#server/context/current-tokens';
import { type CompactionPlan, isRequest, keptBy, workingContext } from '#server/context/plan-compaction';
import type { CompactionLease, PastCompactions } from '#server/context/ports';
import { budgetFor, type Strategy } from '#server/context/strategies';
import { countTokens } from '#server/context/tokens';
import { buildViewAround, verbatimMessages } from '#server/context/view';
import {
  type CallBudget,
  type Candidate,
  putInPlace,
  Spending,
  type SummaryJob,
  tellAsked,
  writeCandidates,
} from '#server/context/write-summary';
import { messageOf } from '#server/core/errors';
import { letOthersThrough } from '#server/core/breathe';
import { NO_GAIN } from '#server/core/compactions';
import type { CompactionComplete, CompactionData, CompactionReason } from '#server/core/events';
import type { Usage } from '#server/core/messages';

export interface CompactionOrder {
  readonly reason: CompactionReason;
  readonly strategy: Strategy;
  /** Points that the user asks the summary to pay attention to. */
  readonly instructions?: string | undefined;
  /** Tells whether the session, measured under the lease, still needs it. Default: it does. */
  readonly isDue?: ((snapshot: ContextSnapshot) => boolean) | undefined;
  /** Wait for a compaction that already runs, instead of refusing. */
  readonly wait: boolean;
  /** Compact even where earlier ones gained next to nothing. */
  readonly ignoreBreaker: boolean;
  /** Outputs were cleared just before, for the listener's report. */
  readonly wasPruned: boolean;
  /** Time and calls of its model. */
  readonly budget: CallBudget;
}

/** A committed compaction with its figures, in the model's tokens. */
export interface CompactionOutcome extends Omit<
  CompactionComplete,
  'phase' | 'compactionId' | 'wasPruned' | 'wasSummarized'
> {
  readonly id: string;
  readonly removedTools: readonly string[];
  /** Made of a summary from the background: what was said since is not in it. */
  readonly wasPrepared: boolean;
}

/** A compaction that has ended. */
export interface CompactionEnd {
  /** Null when there was nothing to compact or the breaker is open. */
  readonly outcome: CompactionOutcome | null;
  /** The session as it was measured under the lease. */
  readonly seen: ContextSnapshot;
}

/**
 * Plans a compaction, has its summary written and commits it, all under the session's lease. A failure changes nothing,
 * is recorded and told to the listener.
 * @param background has a summary for it that was written ahead, perhaps
 * @param known the session as it was just measured; it is measured again where a compaction, prune or undo came between
 * @throws ConflictError while another compaction runs and the order does not wait
 */
export async function compactSession(
  deps: ContextDependencies,
  background: Pick<BackgroundSummaries, 'take'>,
  request: ContextRequest,
  order: CompactionOrder,
  known?: ContextSnapshot,
): Promise<CompactionEnd> {
  const lease = await deps.store.holdLease(request.sessionId, order.wait, request.signal);
  let tellEnd = () => {};
  // Not `await using`: the bundler drops the disposal (docs/decisions/007).
  try {
    const signals = [request.signal, lease.cancelled].filter((signal) => signal !== undefined);
    const cancellable = { ...request, signal: AbortSignal.any(signals) };
    const isCurrent = known?.version === (await deps.store.viewVersion(request.sessionId));
    const seen = isCurrent ? known : await measureContext(deps, request);
    const outcome = await compactHeld(deps, background, cancellable, order, lease, seen, (end) => {
      tellEnd = () => request.listener?.onCompaction?.(end);
    });
    return { outcome, seen };
  } finally {
    try {
      await lease[Symbol.asyncDispose]();
    } finally {
      // Whoever hears of the end finds the session free.
      tellEnd();
    }
  }
}

async function compactHeld(
  deps: ContextDependencies,
  background: Pick<BackgroundSummaries, 'take'>,
  request: ContextRequest,
  order: CompactionOrder,
  lease: CompactionLease,
  seen: ContextSnapshot,
  onEnd: (end: CompactionData) => void,
): Promise<CompactionOutcome | null> {
  const { store, now } = deps;
  const { sessionId, target, listener } = request;
  const { reason, strategy } = order;
  // Somebody else's compaction may have been waited for.
  if (order.isDue && !order.isDue(seen)) return null;
  const past = await store.pastCompactions(sessionId);
  const refused = reason === 'provider-overflow' ? seen.measured.currentTokens : undefined;
  const snapshot = { ...seen, budget: budgetFor(strategy, seen.budget, seen.settings, refused) };
  const plan = strategy.plan(snapshot);
  if (!plan) return null;
  // An estimate, like all that it is compared with; a report may be far from both.
  const { estimatedTotal: tokensBefore } = snapshot.measured;
  const { contextWindow } = target;
  const state = { estimatedTotal: tokensBefore, contextWindow };
  if (isFutile(past.newest, state, snapshot.settings) && !order.ignoreBreaker) return null;
  const requestedAt = verbatimMessages(snapshot.stored).findLast(isRequest)?.createdAt ?? 0;
  const isInVain = !order.ignoreBreaker && isModelInVain(past.newest, { ...state, requestedAt }, snapshot.settings);
  const asking = isInVain || isLeftAlone(deps, request, order, past) ? { ...request, summarizer: null } : request;
  const least = order.ignoreBreaker ? 0 : leastGain(past.newest, { ...state, fits: fits(snapshot) }, snapshot.settings);

  const startedAt = now();
  const { instructions, budget } = order;
  const spent = new Spending();
  const job = { deps, request: asking, strategy, reason, instructions, snapshot, plan, past, budget, spent };
  listener?.onCompaction?.({ phase: 'start', tokensBefore, modelLimit: contextWindow, reason });
  const fail = async (message: string) => {
    await store.saveFailure(sessionId, {
      strategy: strategy.name,
      trigger: reason,
      tokensBefore,
      modelId: asking.summarizer?.modelId ?? null,
      contextWindow,
      durationMs: now() - startedAt,
      error: spent.tell(message) ?? message,
      usage: spent.total,
    });
    onEnd({ phase: 'failed', message });
  };
  try {
    // The one that was prepared, else the best that is written now.
    const taken = await background.take(sessionId, order, snapshot, request.signal);
    const prepared = taken.kind === 'ready' ? taken.summary : null;
    const alone = { ...job, request: { ...asking, summarizer: null } };
    const chosen =
      taken.kind === 'ready'
        ? await preparedInPlace(job, taken.plan, taken.summary)
        : await firstThatGains(taken.kind === 'failed' ? alone : job, tokensBefore * (1 - least));
    if (!chosen) {
      await fail(NO_GAIN);
      return null;
    }
    request.signal?.throwIfAborted();
    const durationMs = now() - startedAt;
    const usage = prepared ? prepared.bill.usage : spent.total;
    const outcome = { ...(await commit(job, chosen, lease, durationMs, usage)), wasPrepared: prepared !== null };
    const { id: compactionId, removedTools: _, wasPrepared: __, ...figures } = outcome;
    const wasSummarized = chosen.modelId !== null;
    onEnd({ phase: 'complete', ...figures, compactionId, wasPruned: order.wasPruned, wasSummarized });
    return outcome;
  } catch (error) {
    await fail(messageOf(error));
    throw error;
  }
}

/** Returns whether the model failed shortly before. A compaction by hand asks it all the same. */
function isLeftAlone(
  { now, onSummary }: ContextDependencies,
  { sessionId, summarizer }: ContextRequest,
  { reason, strategy }: CompactionOrder,
  past: PastCompactions,
): boolean {
  const asksModel = strategy.writer === 'narrative' || strategy.writer === 'pruning-agent';
  if (!summarizer || !asksModel || reason === 'manual') return false;
  if (!isPaused(past.pause, summarizer.modelId, now(), past.count + 1)) return false;
  onSummary?.({ outcome: 'paused', sessionId, modelId: summarizer.modelId, trigger: reason });
  return true;
}

/**
 * A prepared summary behind its own cut. Where too much was said since, behind the cut of now: the record tells what
 * lies between the two.
 */
async function preparedInPlace(
  job: SummaryJob,
  plan: CompactionPlan,
  summary: Parameters<typeof putInPlace>[2],
): Promise<Candidate> {
  const { budget, target } = job.snapshot;
  const own = await putInPlace(job, plan, summary);
  const tokens = tokensAfter(target, own);
  if (tokens <= budget.target || plan.tail[0].seq >= job.plan.tail[0].seq) return own;
  const later = await putInPlace(job, job.plan, summary);
  return tokensAfter(target, later) < tokens ? later : own;
}

/**
 * The first candidate below the target, else the first that the strategy would not at once act upon again, else the
 * smallest; null when none is smaller than now and at most `most` tokens.
 */
async function firstThatGains(job: SummaryJob, most: number): Promise<Candidate | null> {
  const { budget, settings, measured, target } = job.snapshot;
  const calm = calmTokens(job.strategy.trigger(budget, settings), settings);
  const gaining: { candidate: Candidate; after: number }[] = [];
  let written: Candidate | null = null;
  let chosen: Candidate | undefined;
  for await (const candidate of writeCandidates(job)) {
    const after = tokensAfter(target, candidate);
    if (candidate.modelId !== null) written = candidate;
    if (after >= measured.estimatedTotal || after > most) continue;
    gaining.push({ candidate, after });
    // What a model has written is not thrown away for a few tokens.
    if (after > (candidate === written ? Math.max(calm, budget.target) : budget.target)) continue;
    chosen = candidate;
    break;
  }
  const smallest = gaining.toSorted((a, b) => a.after - b.after)[0];
  chosen ??= (gaining.find(({ after }) => after <= calm) ?? smallest)?.candidate;
  if (!chosen || !written || written === chosen) return chosen ?? null;
  await tellAsked(job, NOT_TAKEN);
  return { ...chosen, narrative: written.narrative };
}

/** Its text could be used and is not now; the next summarizer is given it as what was told before. */
const NOT_TAKEN = {
  reason: 'With its text the request would not have become small enough.',
  mayPass: true,
  hasAnswered: true,
  wasWritten: true,
} as const;

/** Tokens of the view with a candidate in place, measured as the view will be. */
function tokensAfter(target: ModelTarget, { plan, text }: Pick<Candidate, 'plan' | 'text'>): number {
  const verbatim = { leading: plan.keptBefore, kept: plan.keptAfter, messages: plan.tail };
  return estimateTokens(buildViewAround({ id: null, text }, verbatim, target.modelId, target.acceptsImages), target);
}

async function commit(
  { deps: { store }, request: { sessionId }, reason, snapshot, past, spent }: SummaryJob,
  { plan, strategy, text, narrative, wishes, modelId }: Candidate,
  lease: CompactionLease,
  durationMs: number,
  usage: Usage | null,
): Promise<Omit<CompactionOutcome, 'wasPrepared'>> {
  await letOthersThrough();
  const context = workingContext(keptBy(plan), plan.replaced);
  const figures = {
    round: past.count + 1,
    strategy,
    tokensBefore: snapshot.measured.estimatedTotal,
    tokensAfter: tokensAfter(snapshot.target, { plan, text }),
    durationMs,
  };
  if (wishes.length > 0) await store.keepWishes(sessionId, wishes);
  const saved = await store.saveCompaction(sessionId, lease, {
    ...figures,
    trigger: reason,
    previousSummaryId: snapshot.stored.summary?.id ?? null,
    compactedMessageIds: idsOf(plan.replaced),
    keptBeforeSummary: idsOf(plan.keptBefore),
    keptAfterSummary: idsOf(plan.keptAfter),
    firstKeptMessageId: plan.tail[0].id,
    workingContext: context,
    summary: text,
    narrative,
    summaryTokens: countTokens(text),
    modelId,
    error: spent.tell(),
    contextWindow: snapshot.target.contextWindow,
    usage,
  });
  return { ...figures, ...saved, messagesCompacted: plan.replaced.length, removedTools: context.removedTools };
}

function idsOf(messages: readonly { id: string }[]): string[] {
  return messages.map((message) => message.id);
}
