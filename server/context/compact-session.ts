import { isPaused, judgePast } from '#server/context/breaker';
import type { ContextBudget } from '#server/context/budget';
import type { BackgroundSummaries } from '#server/context/background-summaries';
import { fits, type ContextSnapshot, measureContext } from '#server/context/context-snapshot';
import { calmTokens } from '#server/context/current-tokens';
import { budgetFor } from '#server/context/strategies';
import { keptBy } from '#server/context/compaction-plan';
import type { CompactionLease, ContextRequest, EngineState } from '#server/context/ports';
import { countTokens } from '#server/context/tokens';
import { verbatimMessages } from '#server/context/view';
import { type Candidate, completeSummary, writeCandidates } from '#server/context/write-summary';
import { costOf, SummaryCost, type SummaryJob, type SummaryOrder, reportAttempt } from '#server/context/ask-summarizer';
import type { ServerText } from '#server/core/coded-message';
import { textOfError } from '#server/core/errors';
import { messageOfText, uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { yieldToEventLoop } from '#server/core/async';
import { NO_GAIN, workingContext } from '#server/core/conversation/compactions';
import type { CompactionData, CompactionReason } from '#server/core/conversation/events';
import type { Usage } from '#server/core/conversation/messages';
import { isRequest } from '#server/core/conversation/part-text';

/** Why and how a session is compacted. */
export interface CompactionOrder extends SummaryOrder {
  readonly reason: CompactionReason;
  /** Checks whether the session, measured under the lease, still needs the compaction. Default: it does. */
  readonly isDue?: ((snapshot: ContextSnapshot) => boolean) | undefined;
  /** Compact even if earlier compactions gained almost nothing. */
  readonly ignoreBreaker: boolean;
  readonly wasPruned: boolean;
}

/** A committed compaction with its figures, in the model's tokens. */
interface CommittedCompaction {
  readonly id: string;
  readonly round: number;
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesCompacted: number;
  readonly durationMs: number;
  readonly removedTools: readonly string[];
}

/** The outcome of a compaction that was carried out. */
export interface CompactionOutcome extends CommittedCompaction {
  /** Made from a background summary, which does not contain the messages since. */
  readonly wasPrepared: boolean;
}

/**
 * Plans a compaction, has its summary written and commits it under the session's lease. A failure changes nothing; it
 * is recorded and reported to the listener. The outcome is null if there was nothing to compact or the breaker is open.
 * @param known the measured session; measured again if a compaction, prune or undo happened since
 * @throws ConflictError while another compaction runs, unless the request is too large: then it waits
 */
export async function compactSession(
  process: EngineState,
  background: BackgroundSummaries,
  request: ContextRequest,
  order: CompactionOrder,
  known?: ContextSnapshot,
): Promise<{ readonly outcome: CompactionOutcome | null; readonly seen: ContextSnapshot }> {
  const { session, listener } = request;
  const { reason } = order;
  // Waits for another compaction only if the request does not fit.
  const isTooLarge = reason === 'provider-overflow' || (known !== undefined && !fits(known));
  const lease = await session.holdLease(isTooLarge, request.signal);
  let end: CompactionData | null = null;
  // Not `await using`: the bundler drops the disposal (docs/decisions/007-no-using-declarations).
  try {
    const signals = [request.signal, lease.cancelled].filter((signal) => signal !== undefined);
    const isCurrent = known?.version === (await session.viewVersion());
    const seen = isCurrent ? known : await measureContext(request, process.settings.current());
    const job = await plannedJob(process, { ...request, signal: AbortSignal.any(signals) }, order, seen);
    if (!job) return { outcome: null, seen };
    const { tokensBefore, contextWindow: modelLimit } = costOf(job);
    listener?.onCompaction?.({ phase: 'start', tokensBefore, modelLimit, reason });
    const fail = async (why: ServerText, error: ServerText) => {
      await session.saveFailure({ ...costOf(job), trigger: reason, error });
      end = { phase: 'failed', message: why.text, reason: messageOfText(why) };
    };
    try {
      const taken = await background.take(session.id, order, job.snapshot, job.request.signal);
      const prepared = taken === 'failed' ? null : taken;
      const chosen = prepared
        ? // The record comes first: messages since it was written stay word for word as far as they fit beside the record.
          await completeSummary(job, job.plan, prepared)
        : await firstThatGains(taken === 'failed' ? withoutModel(job) : job);
      if (!chosen) {
        await fail(
          serverText(NO_GAIN, { attempts: null }),
          serverText(NO_GAIN, { attempts: job.spent.refusedAttempts() }),
        );
        return { outcome: null, seen };
      }
      job.request.signal?.throwIfAborted();
      const usage = prepared ? prepared.bill.usage : job.spent.total;
      const outcome = { ...(await commit(job, chosen, lease, usage)), wasPrepared: prepared !== null };
      const { id: compactionId, removedTools: _, wasPrepared: __, ...figures } = outcome;
      const { wasPruned } = order;
      end = { phase: 'complete', ...figures, compactionId, wasPruned, wasSummarized: chosen.modelId !== null };
      return { outcome, seen };
    } catch (error) {
      const why = textOfError(error);
      await fail(why, job.spent.failure(why));
      throw error;
    }
  } finally {
    try {
      await lease[Symbol.asyncDispose]();
    } finally {
      // Reported after the lease is released, so that a listener finds the session free.
      if (end) listener?.onCompaction?.(end);
    }
  }
}

/** A compaction with the minimum share of the view that it has to gain. */
interface PlannedJob extends SummaryJob {
  readonly least: number;
}

/**
 * The compaction to make. Null: it is no longer due, there is nothing to replace, or earlier ones gained too little.
 */
async function plannedJob(
  process: EngineState,
  request: ContextRequest,
  order: CompactionOrder,
  seen: ContextSnapshot,
): Promise<PlannedJob | null> {
  const { reason, strategy, ignoreBreaker } = order;
  const { settings, stored, measured, target } = seen;
  // Another compaction may have run while this one waited.
  if (order.isDue && !order.isDue(seen)) return null;
  const past = await request.session.pastCompactions();
  const refused = reason === 'provider-overflow' ? measured.currentTokens : undefined;
  const snapshot = { ...seen, budget: budgetFor(strategy, seen.budget, settings, refused) };
  const plan = strategy.plan(snapshot);
  if (!plan) return null;
  const requestedAt = verbatimMessages(stored).findLast(isRequest)?.createdAt ?? 0;
  const { contextWindow } = target;
  // An estimate, because it is compared with estimates; a reported count may differ greatly from both.
  const now = { estimatedTotal: measured.estimatedTotal, contextWindow, fits: fits(snapshot), requestedAt };
  const judged = ignoreBreaker ? null : judgePast(past.newest, now, settings);
  if (judged?.isFutile) return null;
  const spent = new SummaryCost(process.now());
  const job = { ...order, process, request, snapshot, plan, past, spent, least: judged?.leastGain ?? 0 };
  return judged?.isModelInVain || isModelPaused(job) ? withoutModel(job) : job;
}

/** The same compaction with a summary without a model. */
const withoutModel = (job: PlannedJob): PlannedJob => ({ ...job, request: { ...job.request, summarizer: null } });

/** Returns whether the model failed shortly before. A manual compaction asks it nevertheless. */
function isModelPaused({ process, request, reason, strategy, past }: SummaryJob): boolean {
  const { session, summarizer } = request;
  const asksModel = strategy.writer === 'narrative' || strategy.writer === 'pruning-agent';
  if (!summarizer || !asksModel || reason === 'manual') return false;
  const { modelId } = summarizer;
  if (!isPaused(past.pause, modelId, process.now(), past.count + 1)) return false;
  process.watch.summary({ outcome: 'paused', sessionId: session.id, modelId, trigger: reason });
  return true;
}

/**
 * Tokens of a request that leaves a quarter of the token budget free; may exceed the target when the newest step is
 * large.
 */
const roomyTokens = ({ target, fixed, room }: ContextBudget) => Math.max(target, fixed + room * 0.75);

/**
 * Selects the first candidate that leaves a quarter of the token budget free, else the first that would not trigger the
 * strategy again immediately, else the smallest. Null if none is smaller than the current view by the required gain.
 */
async function firstThatGains(job: PlannedJob): Promise<Candidate | null> {
  const { budget, settings, measured } = job.snapshot;
  const calm = calmTokens(job.strategy.trigger(budget, settings), settings);
  const most = measured.estimatedTotal * (1 - job.least);
  // A summary with the record is preferred to a note.
  const roomy = roomyTokens(budget);
  const gaining: Candidate[] = [];
  let written: Candidate | null = null;
  let chosen: Candidate | undefined;
  for await (const candidate of writeCandidates(job)) {
    const { after, modelId } = candidate;
    if (modelId !== null) written = candidate;
    if (after >= measured.estimatedTotal || after > most) continue;
    gaining.push(candidate);
    // A text that a model has written is not discarded for a few tokens.
    if (after > (candidate === written ? Math.max(calm, roomy) : roomy)) continue;
    chosen = candidate;
    break;
  }
  chosen ??= gaining.find(({ after }) => after <= calm) ?? gaining.toSorted((a, b) => a.after - b.after)[0];
  if (!chosen || !written || written === chosen) return chosen ?? null;
  // The text is valid but not used now; the next summarizer receives it as the previous narrative.
  const reason = uncodedText('With its text the request would not have become small enough.');
  await reportAttempt(job, { reason, mayPass: true, wasWritten: true });
  return { ...chosen, narrative: written.narrative };
}

/** Stores a compaction with its summary and its preferences. */
async function commit(
  job: SummaryJob,
  { plan, strategy, text, narrative, wishes, modelId, after }: Candidate,
  lease: CompactionLease,
  usage: Usage | null,
): Promise<CommittedCompaction> {
  const { reason, snapshot, past, spent } = job;
  const { session } = job.request;
  const { tokensBefore, contextWindow, durationMs } = costOf(job);
  const attempts = spent.refusedAttempts();
  await yieldToEventLoop();
  const context = workingContext(keptBy(plan), plan.replaced);
  const figures = { round: past.count + 1, strategy, tokensBefore, tokensAfter: after, durationMs };
  if (wishes.length > 0) await session.addPreferences(wishes);
  const { id } = await session.saveCompaction(lease, {
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
    error: attempts && serverText('compaction-attempts', { attempts }),
    contextWindow,
    usage,
  });
  return { ...figures, id, messagesCompacted: plan.replaced.length, removedTools: context.removedTools };
}

/** Ids of messages, in order. */
const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);
