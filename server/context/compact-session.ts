import { callsMade, isFutile, isModelInVain, isPaused, leastGain, nextPause } from '#server/context/breaker';
import {
  type ContextDependencies,
  type ContextRequest,
  fits,
  type ContextSnapshot,
  measureContext,
} from '#server/context/context-snapshot';
import { calmTokens, estimateTokens, type ModelTarget } from '#server/context/current-tokens';
import { type CompactionPlan, isRequest, keptBy, rawTokens, workingContext } from '#server/context/plan-compaction';
import { composeNarrativeSummary, type SummaryFacts, wishesIn } from '#server/context/compose-summary';
import { touchedThings } from '#server/context/how-things-stand';
import { cutToLeast } from '#server/context/plan-excerpts';
import { readTurns } from '#server/context/record';
import type { CompactionLease, PastCompactions, SavedCompaction } from '#server/context/ports';
import { narrativeOf } from '#server/context/narrative';
import { changedSince, type PreparedLookup } from '#server/context/prepared-summary';
import { budgetFor, type Strategy } from '#server/context/strategies';
import { countTokens, vocabularyOf } from '#server/context/tokens';
import { buildViewAround, verbatimMessages } from '#server/context/view';
import { viewShares } from '#server/context/budget';
import {
  type CallBudget,
  type Candidate,
  Spending,
  type SummaryJob,
  writeCandidates,
} from '#server/context/write-summary';
import { messageOf } from '#server/core/errors';
import { letOthersThrough } from '#server/core/breathe';
import { type CompactionTrigger, NO_GAIN } from '#server/core/compactions';
import type { CompactionData, CompactionReason } from '#server/core/events';

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
  /** A summary written in the background for the session as it is under the lease, if there is one. */
  readonly takePrepared: (snapshot: ContextSnapshot, signal: AbortSignal | undefined) => Promise<PreparedLookup>;
}

/** A committed compaction with its figures, in the model's tokens. */
export interface CompactionOutcome extends SavedCompaction {
  readonly round: number;
  readonly strategy: Strategy['name'];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesCompacted: number;
  readonly durationMs: number;
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
 * @param known the session as it was just measured; it is measured again where a compaction, prune or undo came between
 * @throws ConflictError while another compaction runs and the order does not wait
 */
export async function compactSession(
  deps: ContextDependencies,
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
    const past = await deps.store.pastCompactions(request.sessionId);
    const isCurrent = known?.version === (await deps.store.viewVersion(request.sessionId));
    const seen = isCurrent ? known : await measureContext(deps, request);
    const outcome = await compactHeld(deps, cancellable, order, lease, past, seen, (end) => {
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
  request: ContextRequest,
  order: CompactionOrder,
  lease: CompactionLease,
  past: PastCompactions,
  seen: ContextSnapshot,
  onEnd: (end: CompactionData) => void,
): Promise<CompactionOutcome | null> {
  const { sessionId, target, listener } = request;
  // Somebody else's compaction may have been waited for.
  if (order.isDue && !order.isDue(seen)) return null;
  const refused = order.reason === 'provider-overflow' ? seen.measured.currentTokens : undefined;
  const snapshot = { ...seen, budget: budgetFor(order.strategy, seen.budget, seen.settings, refused) };
  const plan = order.strategy.plan(snapshot);
  if (!plan) return null;
  // An estimate, like all that it is compared with; a report may be far from both.
  const { estimatedTotal: tokensBefore } = snapshot.measured;
  const { contextWindow } = target;
  const now = { estimatedTotal: tokensBefore, contextWindow };
  if (isFutile(past.newest, now, snapshot.settings) && !order.ignoreBreaker) return null;
  const requestedAt = verbatimMessages(snapshot.stored).findLast(isRequest)?.createdAt ?? 0;
  const isInVain = !order.ignoreBreaker && isModelInVain(past.newest, { ...now, requestedAt }, snapshot.settings);
  const asking = isInVain || isLeftAlone(deps, request, order, past) ? { ...request, summarizer: null } : request;
  const least = order.ignoreBreaker ? 0 : leastGain(past.newest, { ...now, fits: fits(snapshot) }, snapshot.settings);

  const startedAt = deps.now();
  const spent = new Spending();
  listener?.onCompaction?.({ phase: 'start', tokensBefore, modelLimit: contextWindow, reason: order.reason });
  const fail = async (message: string) => {
    await deps.store.saveFailure(sessionId, {
      strategy: order.strategy.name,
      trigger: order.reason,
      tokensBefore,
      modelId: asking.summarizer?.modelId ?? null,
      contextWindow,
      durationMs: deps.now() - startedAt,
      error: spent.tell(message) ?? message,
      usage: spent.total(),
    });
    onEnd({ phase: 'failed', message });
  };
  try {
    const round = past.count + 1;
    const job = createJob(deps, asking, order, snapshot, plan, past, spent);
    const { chosen, wasPrepared } = await chooseCandidate(snapshot, order, job, tokensBefore * (1 - least));
    if (!chosen) {
      await fail(NO_GAIN);
      return null;
    }
    request.signal?.throwIfAborted();
    const saved = await commit(deps, request, order, snapshot, chosen, { lease, round, startedAt, spent });
    const outcome = { ...saved, wasPrepared };
    const { id: compactionId, removedTools: _, ...figures } = saved;
    const data = { ...figures, compactionId, wasPruned: order.wasPruned, wasSummarized: chosen.modelId !== null };
    onEnd({ phase: 'complete', ...data });
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

/** Tokens that the frame of a summary may take beside its text. */
const FRAME_MARGIN = 50;

/** All that writing a summary needs; the originals are read only when a summary quotes them. */
export function createJob(
  deps: ContextDependencies,
  request: ContextRequest,
  {
    strategy,
    instructions,
    budget,
    reason,
  }: Pick<CompactionOrder, 'strategy' | 'instructions' | 'budget'> & { readonly reason: CompactionTrigger },
  snapshot: ContextSnapshot,
  plan: CompactionPlan,
  past: PastCompactions,
  spent: Spending,
): SummaryJob {
  const { store, now, onSummary } = deps;
  const { sessionId, summarizer, signal } = request;
  const marker = snapshot.stored.summary?.parts.find((part) => part.type === 'compaction-marker');
  const round = past.count + 1;
  // What was asked in vain in the background is of the same compaction.
  if (reason !== 'manual') budget.takeCalls(callsMade(past.pause, round));
  return {
    strategy,
    plan,
    input: snapshot,
    previousNarrative: marker ? (marker.content.narrative ?? narrativeOf(marker.content.summary)) : null,
    instructions,
    summarizer,
    signal,
    spent,
    budget,
    isTrial: past.pause !== null,
    onAsked: async (fault) => {
      const modelId = summarizer?.modelId ?? '';
      const outcome = fault ? (fault.wasWritten ? 'dropped' : 'failed') : 'written';
      onSummary?.({ outcome, sessionId, modelId, trigger: reason, reason: fault?.reason });
      if (fault?.wasWritten) return;
      const asked = { modelId, round, calls: budget.calls };
      if (fault) await store.savePause(sessionId, nextPause(past.pause, asked, fault, now()));
      else if (past.pause) await store.savePause(sessionId, null);
    },
    factsFor: (of) => gatherFacts(deps, request, snapshot, of, round),
  };
}

/** Gathers what code knows for the summary of a plan, at this moment. */
async function gatherFacts(
  { store, ledger, siteState }: ContextDependencies,
  { sessionId, signal }: ContextRequest,
  { budget, target, settings }: ContextSnapshot,
  plan: CompactionPlan,
  round: number,
): Promise<SummaryFacts> {
  const { tokenFactor, modelId } = target;
  const vocabulary = vocabularyOf(modelId);
  const kept = keptBy(plan);
  const room = Math.floor((budget.usable - budget.fixed) / tokenFactor) - FRAME_MARGIN;
  const left = room - rawTokens(kept);
  const messages = await store.loadBefore(sessionId, plan.tail[0].seq);
  const journal = await ledger(sessionId);
  return {
    round,
    messages,
    journal,
    turns: await readTurns(messages, journal, plan.tail[0].createdAt),
    things: (await siteState?.(sessionId, touchedThings(journal), signal)) ?? [],
    wishes: await store.keptWishes(sessionId),
    kept,
    cutsTurn: plan.cutsTurn,
    shares: viewShares(Math.floor(budget.room / tokenFactor), settings),
    // Messages that do not fit whole will be cut.
    tokens: Math.min(plan.summaryTokens, left > 0 ? left : room - rawTokens(cutToLeast(kept, vocabulary))),
    messageTokens: Math.floor((budget.usable * settings.messageShare) / tokenFactor),
    count: (text) => countTokens(text, vocabulary),
  };
}

/**
 * The one that was prepared, else the first candidate below the target, else the first that the strategy would not at
 * once act upon again, else the smallest; null when none is smaller than now and at most `most` tokens.
 */
async function chooseCandidate(
  snapshot: ContextSnapshot,
  order: CompactionOrder,
  job: SummaryJob,
  most: number,
): Promise<{ chosen: Candidate | null; wasPrepared: boolean }> {
  const taken = await order.takePrepared(snapshot, job.signal);
  if (taken.kind === 'ready') return { chosen: await putInPlace(taken, job), wasPrepared: true };
  const asking = taken.kind === 'failed' ? { ...job, summarizer: null } : job;
  return { chosen: await firstThatGains(snapshot, order, asking, most), wasPrepared: false };
}

/** A prepared narrative with what code keeps around it, as things stand now. */
async function putInPlace(
  { plan, waiting: { summary } }: Extract<PreparedLookup, { kind: 'ready' }>,
  job: SummaryJob,
): Promise<Candidate> {
  const { narrative, strategy, modelId, usage } = summary;
  const facts = await job.factsFor(plan);
  const text = composeNarrativeSummary(narrative, facts, changedSince(summary.known, facts.journal));
  return {
    plan,
    text,
    narrative,
    wishes: wishesIn(narrative, facts),
    tokens: countTokens(text),
    strategy,
    modelId,
    usage,
  };
}

async function firstThatGains(
  snapshot: ContextSnapshot,
  order: CompactionOrder,
  job: SummaryJob,
  most: number,
): Promise<Candidate | null> {
  const before = snapshot.measured.estimatedTotal;
  const calm = calmTokens(order.strategy.trigger(snapshot.budget, snapshot.settings), snapshot.settings);
  const gaining: { candidate: Candidate; after: number }[] = [];
  let written: Candidate | null = null;
  const choose = async (chosen: Candidate | null) => {
    if (written !== null && written !== chosen) await job.onAsked(NOT_TAKEN);
    return chosen;
  };
  for await (const candidate of writeCandidates(job)) {
    const after = tokensAfter(snapshot.target, candidate);
    if (candidate.modelId !== null) written = candidate;
    if (after >= before || after > most) continue;
    // What a model has written is not thrown away for a few tokens.
    if (after <= (candidate === written ? Math.max(calm, snapshot.budget.target) : snapshot.budget.target)) {
      return choose(candidate);
    }
    gaining.push({ candidate, after });
  }
  const smallest = gaining.toSorted((a, b) => a.after - b.after).at(0);
  return choose((gaining.find(({ after }) => after <= calm) ?? smallest)?.candidate ?? null);
}

/** Its summary could be used, but is not. */
const NOT_TAKEN = {
  reason: 'A summary with its text would be larger than the one without.',
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
  { store, now }: ContextDependencies,
  { sessionId }: ContextRequest,
  { reason }: CompactionOrder,
  snapshot: ContextSnapshot,
  chosen: Candidate,
  { lease, round, startedAt, spent }: { lease: CompactionLease; round: number; startedAt: number; spent: Spending },
): Promise<Omit<CompactionOutcome, 'wasPrepared'>> {
  const { plan, strategy } = chosen;
  await letOthersThrough();
  const context = workingContext(keptBy(plan), plan.replaced);
  const { contextWindow } = snapshot.target;
  const figures = {
    round,
    strategy,
    tokensBefore: snapshot.measured.estimatedTotal,
    tokensAfter: tokensAfter(snapshot.target, chosen),
    durationMs: now() - startedAt,
  };
  if (chosen.wishes.length > 0) await store.keepWishes(sessionId, chosen.wishes);
  const saved = await store.saveCompaction(sessionId, lease, {
    ...figures,
    trigger: reason,
    previousSummaryId: snapshot.stored.summary?.id ?? null,
    compactedMessageIds: idsOf(plan.replaced),
    keptBeforeSummary: idsOf(plan.keptBefore),
    keptAfterSummary: idsOf(plan.keptAfter),
    firstKeptMessageId: plan.tail[0].id,
    workingContext: context,
    summary: chosen.text,
    narrative: chosen.narrative,
    summaryTokens: chosen.tokens,
    modelId: chosen.modelId,
    error: spent.tell(),
    contextWindow,
    usage: chosen.usage,
  });
  return { ...figures, ...saved, messagesCompacted: plan.replaced.length, removedTools: context.removedTools };
}

function idsOf(messages: readonly { id: string }[]): string[] {
  return messages.map((message) => message.id);
}
