import { isPaused, judgePast } from '#server/context/breaker';
import type { ContextBudget } from '#server/context/budget';
import type { BackgroundSummaries } from '#server/context/background-summaries';
import { fits, type ContextSnapshot, measureContext } from '#server/context/context-snapshot';
import { calmTokens } from '#server/context/current-tokens';
import { budgetFor, type CompactionPlan, isRequest, keptBy, workingContext } from '#server/context/strategies';
import type { CompactionLease, ContextDependencies, ContextRequest } from '#server/context/ports';
import { countTokens } from '#server/context/tokens';
import { verbatimMessages } from '#server/context/view';
import {
  billOf,
  type Candidate,
  putInPlace,
  SummaryCost,
  type SummaryJob,
  type SummaryOrder,
  tellAsked,
  type Told,
  writeCandidates,
} from '#server/context/write-summary';
import { messageOf } from '#server/core/errors';
import { letOthersThrough } from '#server/core/async';
import { NO_GAIN } from '#server/core/compactions';
import type { CompactionComplete, CompactionData, CompactionReason } from '#server/core/events';
import type { Usage } from '#server/core/messages';

export interface CompactionOrder extends SummaryOrder {
  readonly reason: CompactionReason;
  /** Tells whether the session, measured under the lease, still needs it. Default: it does. */
  readonly isDue?: ((snapshot: ContextSnapshot) => boolean) | undefined;
  /** Compact even where earlier ones gained next to nothing. */
  readonly ignoreBreaker: boolean;
  readonly wasPruned: boolean;
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

/**
 * Plans a compaction, has its summary written and commits it under the session's lease. A failure changes nothing, and
 * is recorded and told to the listener. Its outcome is null when there was nothing to compact or the breaker is open.
 * @param known the session as it was just measured; measured again where a compaction, prune or undo came between
 * @throws ConflictError while another compaction runs, unless the request is too large: then it waits
 */
export async function compactSession(
  deps: ContextDependencies,
  background: Pick<BackgroundSummaries, 'take'>,
  request: ContextRequest,
  order: CompactionOrder,
  known?: ContextSnapshot,
): Promise<{ readonly outcome: CompactionOutcome | null; readonly seen: ContextSnapshot }> {
  const { store } = deps;
  const { sessionId, listener } = request;
  const { reason } = order;
  // Only a request that does not fit is worth waiting for somebody else's compaction.
  const isTooLarge = reason === 'provider-overflow' || (known !== undefined && !fits(known));
  const lease = await store.holdLease(sessionId, isTooLarge, request.signal);
  let end: CompactionData | null = null;
  // Not `await using`: the bundler drops the disposal (docs/decisions/007-no-using-declarations).
  try {
    const signals = [request.signal, lease.cancelled].filter((signal) => signal !== undefined);
    const isCurrent = known?.version === (await store.viewVersion(sessionId));
    const seen = isCurrent ? known : await measureContext(deps, request);
    const job = await plannedJob(deps, { ...request, signal: AbortSignal.any(signals) }, order, seen);
    if (!job) return { outcome: null, seen };
    const { tokensBefore, contextWindow: modelLimit } = billOf(job);
    listener?.onCompaction?.({ phase: 'start', tokensBefore, modelLimit, reason });
    const fail = async (message: string) => {
      await store.saveFailure(sessionId, { ...billOf(job), trigger: reason, error: job.spent.tell(message) });
      end = { phase: 'failed', message };
    };
    try {
      const taken = await background.take(sessionId, order, job.snapshot, job.request.signal);
      const prepared = taken === 'failed' ? null : taken;
      const chosen = prepared
        ? await preparedInPlace(job, prepared.plan, prepared.summary)
        : await firstThatGains(taken === 'failed' ? withoutModel(job) : job);
      if (!chosen) {
        await fail(NO_GAIN);
        return { outcome: null, seen };
      }
      job.request.signal?.throwIfAborted();
      const usage = prepared ? prepared.summary.bill.usage : job.spent.total;
      const outcome = { ...(await commit(job, chosen, lease, usage)), wasPrepared: prepared !== null };
      const { id: compactionId, removedTools: _, wasPrepared: __, ...figures } = outcome;
      const { wasPruned } = order;
      end = { phase: 'complete', ...figures, compactionId, wasPruned, wasSummarized: chosen.modelId !== null };
      return { outcome, seen };
    } catch (error) {
      await fail(messageOf(error));
      throw error;
    }
  } finally {
    try {
      await lease[Symbol.asyncDispose]();
    } finally {
      // Whoever hears of the end finds the session free.
      if (end) listener?.onCompaction?.(end);
    }
  }
}

/** A compaction that has to gain a share of the view. */
interface PlannedJob extends SummaryJob {
  readonly least: number;
}

/** Null: it is not due any more, there is nothing to replace, or earlier ones gained too little. */
async function plannedJob(
  deps: ContextDependencies,
  request: ContextRequest,
  order: CompactionOrder,
  seen: ContextSnapshot,
): Promise<PlannedJob | null> {
  const { reason, strategy, ignoreBreaker } = order;
  const { settings, stored, measured, target } = seen;
  // Somebody else's compaction may have been waited for.
  if (order.isDue && !order.isDue(seen)) return null;
  const past = await deps.store.pastCompactions(request.sessionId);
  const refused = reason === 'provider-overflow' ? measured.currentTokens : undefined;
  const snapshot = { ...seen, budget: budgetFor(strategy, seen.budget, settings, refused) };
  const plan = strategy.plan(snapshot);
  if (!plan) return null;
  const requestedAt = verbatimMessages(stored).findLast(isRequest)?.createdAt ?? 0;
  const { contextWindow } = target;
  // An estimate, like all that it is compared with; a report may be far from both.
  const now = { estimatedTotal: measured.estimatedTotal, contextWindow, fits: fits(snapshot), requestedAt };
  const judged = ignoreBreaker ? null : judgePast(past.newest, now, settings);
  if (judged?.isFutile) return null;
  const spent = new SummaryCost(deps.now());
  const job = { ...order, deps, request, snapshot, plan, past, spent, least: judged?.leastGain ?? 0 };
  return judged?.isModelInVain || isLeftAlone(job) ? withoutModel(job) : job;
}

const withoutModel = (job: PlannedJob): PlannedJob => ({ ...job, request: { ...job.request, summarizer: null } });

/** Returns whether the model failed shortly before. A compaction by hand asks it all the same. */
function isLeftAlone({ deps, request, reason, strategy, past }: SummaryJob): boolean {
  const { sessionId, summarizer } = request;
  const asksModel = strategy.writer === 'narrative' || strategy.writer === 'pruning-agent';
  if (!summarizer || !asksModel || reason === 'manual') return false;
  const { modelId } = summarizer;
  if (!isPaused(past.pause, modelId, deps.now(), past.count + 1)) return false;
  deps.onSummary?.({ outcome: 'paused', sessionId, modelId, trigger: reason });
  return true;
}

/** Tokens of a request after which a quarter of the room is free; above the target, where the newest step is large. */
const roomyTokens = ({ target, fixed, room }: ContextBudget) => Math.max(target, fixed + room * 0.75);

/**
 * A prepared summary behind its own cut; where too much was said since, behind that of now, with the record of what
 * came in between and excerpts of the answers.
 */
async function preparedInPlace(job: SummaryJob, plan: CompactionPlan, summary: Told): Promise<Candidate> {
  const own = await putInPlace(job, plan, summary);
  const cut = plan.tail[0].seq;
  if (own.after <= roomyTokens(job.snapshot.budget) || cut >= job.plan.tail[0].seq) return own;
  const unread = job.plan.replaced.filter(({ seq }) => seq >= cut);
  const later = await putInPlace(job, job.plan, summary, unread);
  return later.after < own.after ? later : own;
}

/**
 * The first candidate that leaves a quarter of the room free, else the first that the strategy would not at once act
 * upon again, else the smallest; null when none is smaller than now by what it has to gain.
 */
async function firstThatGains(job: PlannedJob): Promise<Candidate | null> {
  const { budget, settings, measured } = job.snapshot;
  const calm = calmTokens(job.strategy.trigger(budget, settings), settings);
  const most = measured.estimatedTotal * (1 - job.least);
  // The record is not given up for a note.
  const roomy = roomyTokens(budget);
  const gaining: Candidate[] = [];
  let written: Candidate | null = null;
  let chosen: Candidate | undefined;
  for await (const candidate of writeCandidates(job)) {
    const { after, modelId } = candidate;
    if (modelId !== null) written = candidate;
    if (after >= measured.estimatedTotal || after > most) continue;
    gaining.push(candidate);
    // What a model has written is not thrown away for a few tokens.
    if (after > (candidate === written ? Math.max(calm, roomy) : roomy)) continue;
    chosen = candidate;
    break;
  }
  chosen ??= gaining.find(({ after }) => after <= calm) ?? gaining.toSorted((a, b) => a.after - b.after)[0];
  if (!chosen || !written || written === chosen) return chosen ?? null;
  // It could be used and is not now; the next summarizer is given it as what was told before.
  const reason = 'With its text the request would not have become small enough.';
  await tellAsked(job, { reason, mayPass: true, wasWritten: true });
  return { ...chosen, narrative: written.narrative };
}

async function commit(
  job: SummaryJob,
  { plan, strategy, text, narrative, wishes, modelId, after }: Candidate,
  lease: CompactionLease,
  usage: Usage | null,
): Promise<Omit<CompactionOutcome, 'wasPrepared'>> {
  const { reason, snapshot, past, spent } = job;
  const { store } = job.deps;
  const { sessionId } = job.request;
  const { tokensBefore, contextWindow, durationMs } = billOf(job);
  await letOthersThrough();
  const context = workingContext(keptBy(plan), plan.replaced);
  const figures = { round: past.count + 1, strategy, tokensBefore, tokensAfter: after, durationMs };
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
    error: spent.tell() || null,
    contextWindow,
    usage,
  });
  return { ...figures, ...saved, messagesCompacted: plan.replaced.length, removedTools: context.removedTools };
}

const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);
