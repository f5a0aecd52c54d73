import { isPaused } from '#server/context/breaker';
import { type ContextSnapshot, measureContext } from '#server/context/context-snapshot';
import { budgetAhead, type CompactionPlan, planAt, softLimit, type Strategy } from '#server/context/strategies';
import type { CompactionFailure, ContextDependencies, ContextRequest } from '#server/context/ports';
import { verbatimMessages } from '#server/context/view';
import {
  askModel,
  billOf,
  CallBudget,
  isCancellation,
  SummaryCost,
  type SummaryOrder,
  type Told,
} from '#server/context/write-summary';
import { BoundedMap } from '#server/core/bounded-map';
import { orAborted } from '#server/core/async';
import type { SummaryOutcome } from '#server/core/compactions';

/** Sessions whose next summary is kept; beyond, the oldest is written again when it is needed. */
const MOST_WAITING = 100;

const CAUSES = {
  changed: 'What it covers has changed, or was compacted by another process.',
  compacted: 'Another compaction was asked for: with instructions, or of another strategy.',
  crowded: 'Too many sessions have a summary prepared.',
  closed: 'The server stopped before it was needed.',
} as const;

const DROPPED = 'The summary that was prepared in the background was not used.';
const UNUSABLE = 'The text that was prepared in the background was not usable.';

type Scope = ReturnType<typeof scopeOf>;

/** Narrative written while the user read. What code keeps is put around it when needed, as things stand then. */
interface PreparedSummary extends Told {
  readonly scope: Scope;
  /** Its cost: recorded as a failure should it be dropped. */
  readonly bill: Bill;
}
type Bill = Omit<CompactionFailure, 'trigger' | 'error'> & { readonly sessionId: string; readonly modelId: string };

interface Writing {
  readonly stop: AbortController;
  readonly budget: CallBudget;
  /** Null while no model is asked yet. */
  scope: Scope | null;
  /** Never rejects. */
  done: Promise<void>;
}

/** Summaries written while nobody waits, one for a session; what one that is not used has cost is told as a failure. */
export class BackgroundSummaries {
  readonly #deps: ContextDependencies;
  readonly #waiting = new BoundedMap<PreparedSummary>(MOST_WAITING);
  readonly #writing = new Map<string, Writing>();

  constructor(dependencies: ContextDependencies) {
    this.#deps = dependencies;
  }

  /** Writes the session's next summary, if it is above the soft limit and none that holds is there or being written. */
  async write(request: ContextRequest, strategy: Strategy): Promise<void> {
    const { sessionId } = request;
    if (this.#writing.has(sessionId)) return;
    const stop = new AbortController();
    const signal = request.signal ? AbortSignal.any([request.signal, stop.signal]) : stop.signal;
    const budget = new CallBudget(this.#deps.settings().summaryTimeout);
    const writing: Writing = { stop, budget, scope: null, done: Promise.resolve() };
    this.#writing.set(sessionId, writing);
    const written = this.#write({ ...request, signal }, strategy, writing).finally(() =>
      this.#writing.delete(sessionId),
    );
    writing.done = written.catch(() => undefined);
    // A compaction that stopped it wants no more of it.
    await written.catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
  }

  isReady(sessionId: string): boolean {
    return this.#waiting.get(sessionId) !== undefined;
  }

  /**
   * The summary for a compaction of the session as it stands now: the one that waits, or is being written, once it is
   * there, with its time and calls. One that would be of no use (for a compaction with instructions, any) is stopped
   * first, so that no two models are asked at once. It goes on waiting until `settle`.
   * @returns `failed`: it was waited for, and asking its model again would wait once more; null: there is none
   */
  async take(
    sessionId: string,
    { strategy, instructions, budget }: Omit<SummaryOrder, 'reason'>,
    snapshot: ContextSnapshot,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly plan: CompactionPlan; readonly summary: PreparedSummary } | 'failed' | null> {
    const isUsual = (scope: Scope) => scope.strategy === strategy.name && instructions === undefined;
    const writing = this.#writing.get(sessionId);
    if (writing) {
      const { scope, stop } = writing;
      const isOfUse = scope !== null && isUsual(scope) && planNow(scope, snapshot) !== null;
      if (!isOfUse) stop.abort(new Error('A compaction came before it.'));
      try {
        await orAborted(writing.done, signal);
      } catch (error) {
        // Who cancels the compaction means the model that it waits for.
        if (isCancellation(error)) stop.abort(error);
        throw error;
      }
      if (isOfUse) budget.join(writing.budget);
    }
    const summary = this.#waiting.get(sessionId);
    if (!summary) return writing && !writing.stop.signal.aborted ? 'failed' : null;
    if (!isUsual(summary.scope)) return null;
    const plan = planNow(summary.scope, snapshot);
    if (!plan) await this.#drop(sessionId, CAUSES.changed);
    return plan && { plan, summary };
  }

  /** Lets go of the one that waits after a compaction, which bears its cost where it was made of it. */
  async settle(sessionId: string, wasUsed: boolean): Promise<void> {
    if (!wasUsed) return this.#drop(sessionId, CAUSES.compacted);
    const used = this.#waiting.delete(sessionId);
    if (used) this.#tell('used', used.bill);
  }

  async close(): Promise<void> {
    for (const sessionId of this.#waiting.keys()) await this.#drop(sessionId, CAUSES.closed);
  }

  async #write(request: ContextRequest, strategy: Strategy, writing: Writing): Promise<void> {
    const { store, now } = this.#deps;
    const { sessionId, summarizer } = request;
    const seen = await measureContext(this.#deps, request);
    const snapshot = { ...seen, budget: budgetAhead(strategy, seen, seen.measured.currentTokens) };
    const waiting = this.#waiting.get(sessionId);
    if (waiting?.scope.strategy === strategy.name && planNow(waiting.scope, snapshot)) return;
    const { settings, measured, budget } = snapshot;
    const isAbove = measured.currentTokens > softLimit(strategy, budget, settings);
    const isWanted = settings.backgroundSummaries && settings.autoCompact && strategy.writer === 'narrative';
    const plan = isWanted && isAbove ? strategy.plan(snapshot) : null;
    if (!plan || !summarizer || !((await summarizer.mayAsk?.()) ?? true)) return;
    const past = await store.pastCompactions(sessionId);
    const { modelId } = summarizer;
    if (isPaused(past.pause, modelId, now(), past.count + 1)) return;
    const scope = scopeOf(strategy, snapshot, plan);
    writing.scope = scope;

    const spent = new SummaryCost(now());
    const reason = 'background' as const;
    const job = { deps: this.#deps, request, strategy, reason, snapshot, plan, past, budget: writing.budget, spent };
    const bill = () => ({ ...billOf(job), sessionId, modelId });
    try {
      const told = await askModel(job);
      request.signal?.throwIfAborted();
      if (!told) return await this.#record(bill(), spent.tell(UNUSABLE));
      const { narrative, changed } = told;
      const former = this.#waiting.set(sessionId, { narrative, changed, modelId, scope, bill: bill() });
      if (former) await this.#giveUp(former, former.bill.sessionId === sessionId ? CAUSES.changed : CAUSES.crowded);
    } catch (error) {
      // Who stopped it before the model had answered knows why.
      if (spent.total !== null) await this.#record(bill(), spent.tell(UNUSABLE));
      throw error;
    }
  }

  async #drop(sessionId: string, cause: string): Promise<void> {
    const waiting = this.#waiting.delete(sessionId);
    if (waiting) await this.#giveUp(waiting, cause);
  }

  async #giveUp({ bill }: PreparedSummary, cause: string): Promise<void> {
    this.#tell('dropped', bill, cause);
    await this.#record(bill, `${DROPPED} ${cause}`);
  }

  #tell(outcome: SummaryOutcome['outcome'], { sessionId, modelId }: Bill, reason?: string): void {
    this.#deps.onSummary?.({ outcome, sessionId, modelId, trigger: 'background', reason });
  }

  /** Records a failure; does nothing where the session is gone meanwhile. */
  async #record({ sessionId, ...bill }: Bill, error: string): Promise<void> {
    await this.#deps.store.saveFailure(sessionId, { ...bill, trigger: 'background', error }).catch(() => undefined);
  }
}

/** The plan of a background summary, by ids alone, up to the first behind its cut: many sessions may have one waiting. */
function scopeOf({ name: strategy }: Strategy, { stored }: ContextSnapshot, plan: CompactionPlan) {
  const verbatim = verbatimMessages(stored);
  return {
    strategy,
    previousSummaryId: stored.summary?.id ?? null,
    covered: verbatim.slice(0, verbatim.length - plan.tail.length + 1).map(({ id }) => id),
    keptBefore: new Set(plan.keptBefore.map(({ id }) => id)),
    summaryTokens: plan.summaryTokens,
  };
}

/** The plan as the session stands now, all said since in its tail. Null: what it covers was changed or compacted. */
function planNow(scope: Scope, { stored }: ContextSnapshot): CompactionPlan | null {
  const { previousSummaryId, covered, keptBefore, summaryTokens } = scope;
  const verbatim = verbatimMessages(stored);
  const [first, ...rest] = verbatim.slice(covered.length - 1);
  const isSame = covered.every((id, index) => verbatim[index]?.id === id);
  if (!first || !isSame || (stored.summary?.id ?? null) !== previousSummaryId) return null;
  const stays = verbatim.filter(({ id }) => keptBefore.has(id));
  return { ...planAt(verbatim, [first, ...rest], stays), summaryTokens };
}
