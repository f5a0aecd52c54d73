import { isPaused } from '#server/context/breaker';
import { type ContextSnapshot, measureContext } from '#server/context/context-snapshot';
import { budgetAhead, softLimit, type Strategy } from '#server/context/strategies';
import type { CompactionPlan } from '#server/context/compaction-plan';
import type { CompactionCost, ContextRequest, EngineState, EngineSession } from '#server/context/ports';
import { verbatimMessages } from '#server/context/view';
import {
  askModel,
  costOf,
  CallBudget,
  isCancellation,
  SummaryCost,
  type SummaryOrder,
  type WrittenNarrative,
} from '#server/context/ask-summarizer';
import { BoundedMap } from '#server/core/bounded-map';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { orAborted } from '#server/core/async';
import type { SummaryOutcome } from '#server/core/conversation/compactions';

/**
 * Number of sessions whose prepared summary is stored. Beyond it the oldest is dropped, and its session's summary is
 * written when it is needed. A choice, not measured.
 */
const MAX_PREPARED_SUMMARIES = 100;

/** Why a prepared summary is dropped. */
const CAUSES = {
  changed: serverText('prepared-summary-changed'),
  compacted: serverText('prepared-summary-other'),
  crowded: serverText('prepared-summary-crowded'),
  closed: serverText('prepared-summary-closed'),
} as const;

const UNUSABLE = serverText('prepared-summary-unusable');

/** What a prepared summary covers. */
interface Scope {
  readonly strategy: string;
  readonly previousSummaryId: string | null;
  /** Ids of the messages that it replaces, and of the first one after them. */
  readonly covered: readonly string[];
}

/**
 * A narrative written in the background. The facts that code keeps are added when it is used, in their state at that
 * time.
 */
interface PreparedSummary extends WrittenNarrative {
  readonly scope: Scope;
  /** Its cost, recorded as a failure if the summary is dropped. */
  readonly bill: Bill;
}

/** The cost of a prepared summary, as it is recorded. */
interface Bill extends CompactionCost {
  readonly session: EngineSession;
  readonly modelId: string;
}

/** A summary that is being written. */
interface Writing {
  readonly stop: AbortController;
  readonly budget: CallBudget;
  /** Null until a model is asked. */
  scope: Scope | null;
  /** Never rejects. */
  done: Promise<void>;
}

/** Summaries written in the background, one per session. The cost of an unused one is recorded as a failure. */
export class BackgroundSummaries {
  readonly #process: EngineState;
  /** Finished summaries, by session. */
  readonly #prepared = new BoundedMap<PreparedSummary>(MAX_PREPARED_SUMMARIES);
  /** Summaries that are being written, by session. */
  readonly #writing = new Map<string, Writing>();

  constructor(process: EngineState) {
    this.#process = process;
  }

  /**
   * Writes the session's next summary if the session is above the soft limit and has no valid prepared summary,
   * finished or being written.
   */
  async write(request: ContextRequest, strategy: Strategy): Promise<void> {
    const sessionId = request.session.id;
    if (this.#writing.has(sessionId)) return;
    const stop = new AbortController();
    const signal = request.signal ? AbortSignal.any([request.signal, stop.signal]) : stop.signal;
    const budget = new CallBudget(this.#process.settings.current().summaryTimeout);
    const writing: Writing = { stop, budget, scope: null, done: Promise.resolve() };
    this.#writing.set(sessionId, writing);
    const written = this.#write({ ...request, signal }, strategy, writing).finally(() =>
      this.#writing.delete(sessionId),
    );
    writing.done = written.catch(() => undefined);
    // A compaction stopped it, so the error is expected.
    await written.catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
  }

  /** True if a finished summary is stored for the session. */
  isReady(sessionId: string): boolean {
    return this.#prepared.get(sessionId) !== undefined;
  }

  /**
   * Returns the summary for a compaction of the current session: a finished one, or one being written, after waiting
   * for it and adding its time and calls to the budget. A summary that cannot be used (any, for a compaction with
   * instructions) is stopped first, so that two models are never asked simultaneously. The summary remains stored until
   * `settle`.
   * @returns `failed`: it was waited for, and asking the model again would mean a second wait; null: no summary
   */
  async take(
    sessionId: string,
    { strategy, instructions, budget }: Omit<SummaryOrder, 'reason'>,
    snapshot: ContextSnapshot,
    signal: AbortSignal | undefined,
  ): Promise<PreparedSummary | 'failed' | null> {
    const isUsual = (scope: Scope) => scope.strategy === strategy.name && instructions === undefined;
    const writing = this.#writing.get(sessionId);
    if (writing) {
      const { scope, stop } = writing;
      const isUsable = scope !== null && isUsual(scope) && isCurrent(scope, snapshot);
      if (!isUsable) stop.abort(new Error('A compaction came before it.'));
      try {
        await orAborted(writing.done, signal);
      } catch (error) {
        // Cancelling the compaction also cancels the model call that it waits for.
        if (isCancellation(error)) stop.abort(error);
        throw error;
      }
      if (isUsable) budget.join(writing.budget);
    }
    const summary = this.#prepared.get(sessionId);
    if (!summary) return writing && !writing.stop.signal.aborted ? 'failed' : null;
    if (!isUsual(summary.scope)) return null;
    if (isCurrent(summary.scope, snapshot)) return summary;
    await this.#drop(sessionId, CAUSES.changed);
    return null;
  }

  /** Removes the prepared summary after a compaction. If the compaction used the summary, it bears the cost. */
  async settle(sessionId: string, wasUsed: boolean): Promise<void> {
    if (!wasUsed) return this.#drop(sessionId, CAUSES.compacted);
    const used = this.#prepared.delete(sessionId);
    if (used) this.#report('used', used.bill);
  }

  /** Drops all prepared summaries and records their cost. */
  async close(): Promise<void> {
    for (const sessionId of this.#prepared.keys()) await this.#drop(sessionId, CAUSES.closed);
  }

  /** Writes a summary and stores it, unless none is needed. */
  async #write(request: ContextRequest, strategy: Strategy, writing: Writing): Promise<void> {
    const { now } = this.#process;
    const { session, summarizer } = request;
    const measuredNow = await measureContext(request, this.#process.settings.current());
    const snapshot = {
      ...measuredNow,
      budget: budgetAhead(strategy, measuredNow, measuredNow.measured.currentTokens),
    };
    const prepared = this.#prepared.get(session.id);
    if (prepared?.scope.strategy === strategy.name && isCurrent(prepared.scope, snapshot)) return;
    const { settings, measured, budget } = snapshot;
    const isAbove = measured.currentTokens > softLimit(strategy, budget, settings);
    const isWanted = settings.backgroundSummaries && settings.autoCompact && strategy.writer === 'narrative';
    const plan = isWanted && isAbove ? strategy.plan(snapshot) : null;
    if (!plan || !summarizer || !((await summarizer.mayAsk?.()) ?? true)) return;
    const past = await session.pastCompactions();
    const { modelId } = summarizer;
    if (isPaused(past.pause, modelId, now(), past.count + 1)) return;
    const scope = scopeOf(strategy, snapshot, plan);
    writing.scope = scope;

    const spent = new SummaryCost(now());
    const reason = 'background' as const;
    const job = {
      process: this.#process,
      request,
      strategy,
      reason,
      snapshot,
      plan,
      past,
      budget: writing.budget,
      spent,
    };
    const bill = () => ({ ...costOf(job), session, modelId });
    try {
      const written = await askModel(job);
      request.signal?.throwIfAborted();
      if (!written) return await this.#record(bill(), spent.failure(UNUSABLE));
      const { narrative, until, changed } = written;
      const former = this.#prepared.set(session.id, { narrative, until, changed, modelId, scope, bill: bill() });
      if (former) await this.#giveUp(former, former.bill.session.id === session.id ? CAUSES.changed : CAUSES.crowded);
    } catch (error) {
      // A summary stopped before the model answered has no cost to record.
      if (spent.total !== null) await this.#record(bill(), spent.failure(UNUSABLE));
      throw error;
    }
  }

  /** Drops the prepared summary of a session, if there is one. */
  async #drop(sessionId: string, cause: ServerText): Promise<void> {
    const dropped = this.#prepared.delete(sessionId);
    if (dropped) await this.#giveUp(dropped, cause);
  }

  /** Reports a dropped summary and records its cost. */
  async #giveUp({ bill }: PreparedSummary, cause: ServerText): Promise<void> {
    this.#report('dropped', bill, cause.text);
    await this.#record(bill, serverText('prepared-summary-dropped', { reason: cause }));
  }

  /** Reports what became of a prepared summary. */
  #report(outcome: SummaryOutcome['outcome'], { session, modelId }: Bill, reason?: string): void {
    this.#process.watch.summary({ outcome, sessionId: session.id, modelId, trigger: 'background', reason });
  }

  /** Records a failure; ignores errors, for example when the session was deleted in between. */
  async #record({ session, ...bill }: Bill, error: ServerText): Promise<void> {
    await session.saveFailure({ ...bill, trigger: 'background', error }).catch(() => undefined);
  }
}

/** What a background summary covers, reduced to ids, because many sessions may have a prepared summary. */
function scopeOf({ name: strategy }: Strategy, { stored }: ContextSnapshot, plan: CompactionPlan): Scope {
  const verbatim = verbatimMessages(stored);
  const covered = verbatim.slice(0, verbatim.length - plan.tail.length + 1).map(({ id }) => id);
  return { strategy, previousSummaryId: stored.summary?.id ?? null, covered };
}

/** Returns whether the covered messages were neither changed nor compacted. */
function isCurrent({ previousSummaryId, covered }: Scope, { stored }: ContextSnapshot): boolean {
  const verbatim = verbatimMessages(stored);
  return (stored.summary?.id ?? null) === previousSummaryId && covered.every((id, at) => verbatim[at]?.id === id);
}
