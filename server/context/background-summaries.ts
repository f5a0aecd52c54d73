import { isPaused } from '#server/context/breaker';
import { createJob } from '#server/context/compact-session';
import {
  type ContextDependencies,
  type ContextRequest,
  type ContextSnapshot,
  measureContext,
} from '#server/context/context-snapshot';
import type { SummaryOutcome } from '#server/core/compactions';
import {
  type Bill,
  knownJournal,
  planNow,
  prepared,
  type PreparedPlan,
  type PreparedLookup,
  type Waiting,
} from '#server/context/prepared-summary';
import { isCancellation } from '#server/context/running-compactions';
import { budgetAhead, softLimit, type Strategy } from '#server/context/strategies';
import { CallBudget, Spending, writeOwn } from '#server/context/write-summary';
import { BoundedMap } from '#server/core/bounded-map';

/** Sessions whose next summary is kept; beyond, the oldest is written again when it is needed. */
const MOST_WAITING = 100;

/** Why a summary that was prepared is not used. */
const CAUSES = {
  changed: 'What it covers has changed, or was compacted by another process.',
  compacted: 'Another compaction was asked for: with instructions, or of another strategy.',
  crowded: 'Too many sessions have a summary prepared.',
  closed: 'The server stopped before it was needed.',
} as const;
type Cause = keyof typeof CAUSES;

const DROPPED = 'The summary that was prepared in the background was not used.';
const UNUSABLE = 'The text that was prepared in the background was not usable.';

/** A summary that is being written. */
interface Writing {
  readonly strategy: Strategy;
  readonly stop: AbortController;
  readonly budget: CallBudget;
  /** The plan that it will cover, as soon as that is known; null: none is written after all. */
  readonly plan: Promise<PreparedPlan | null>;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/**
 * Summaries that are written while nobody waits for them: one at a time for each session, kept in this process until a
 * compaction needs it. What a model was paid for one that is not used is recorded as a failed compaction.
 */
export class BackgroundSummaries {
  readonly #deps: ContextDependencies;
  readonly #waiting = new BoundedMap<Waiting>(MOST_WAITING);
  readonly #writing = new Map<string, Writing>();

  constructor(dependencies: ContextDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Writes the session's next summary, if it is above the soft limit and has none that holds. Nothing when one is being
   * written, where settings or strategy know no model-written summaries, or when the text was not usable (the ledger
   * needs no preparing).
   */
  async write(request: ContextRequest, strategy: Strategy): Promise<void> {
    const { sessionId } = request;
    if (this.#writing.has(sessionId)) return;
    const stop = new AbortController();
    const signal = request.signal ? AbortSignal.any([request.signal, stop.signal]) : stop.signal;
    const plan = Promise.withResolvers<PreparedPlan | null>();
    const budget = new CallBudget(this.#deps.settings().summaryTimeout);
    const written = this.#write({ ...request, signal }, strategy, budget, plan.resolve).finally(() => {
      plan.resolve(null);
      this.#writing.delete(sessionId);
    });
    const done = written.catch(() => undefined);
    this.#writing.set(sessionId, { strategy, stop, budget, plan: plan.promise, done });
    // A compaction that stopped it wants no more of it.
    await written.catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
  }

  /** Returns whether one is written and not used yet. */
  isReady(sessionId: string): boolean {
    return this.#waiting.get(sessionId) !== undefined;
  }

  /**
   * The summary for a compaction of the session as it stands now: the one that waits, or the one that is being written,
   * once it is there. One that is being written and would be of no use is stopped first, so that no two models are
   * asked at once.
   * @param instructions what the user asks for in particular; none of ours knows of it
   * @param budget of the compaction: time and calls of one that it waits for are its own
   */
  async take(
    sessionId: string,
    strategy: Strategy,
    instructions: string | undefined,
    snapshot: ContextSnapshot,
    signal: AbortSignal | undefined,
    budget: CallBudget,
  ): Promise<PreparedLookup> {
    const isUsual = (of: string) => of === strategy.name && instructions === undefined;
    const writing = this.#writing.get(sessionId);
    let hasWaited = false;
    if (writing) {
      try {
        const plan = isUsual(writing.strategy.name) ? await orAborted(writing.plan, signal) : null;
        hasWaited = plan !== null && planNow(plan, snapshot) !== null;
        if (!hasWaited) writing.stop.abort(new Error('A compaction came before it.'));
        await orAborted(writing.done, signal);
        if (hasWaited) budget.join(writing.budget);
      } catch (error) {
        // Who cancels the compaction means the model that it waits for.
        if (isCancellation(error)) writing.stop.abort(error);
        throw error;
      }
    }
    const waiting = this.#waiting.get(sessionId);
    if (!waiting) return { kind: hasWaited && !writing?.stop.signal.aborted ? 'failed' : 'none' };
    if (!isUsual(waiting.summary.strategy)) return { kind: 'none' };
    const plan = planNow(waiting.summary, snapshot);
    if (!plan) {
      await this.#drop(sessionId, 'changed');
      return { kind: 'none' };
    }
    // From here on it is the compaction's.
    this.#waiting.delete(sessionId);
    return { kind: 'ready', plan, waiting };
  }

  /** Notes that the compaction which took one has been carried out; what it cost is on that one's bill. */
  used({ bill }: Waiting): void {
    this.#tell('used', bill);
  }

  /** Keeps one that was taken by a compaction which then failed: the next one may need it. */
  async giveBack(waiting: Waiting): Promise<void> {
    const { sessionId } = waiting.bill;
    const given = this.#waiting.get(sessionId) ? waiting : this.#waiting.set(sessionId, waiting);
    if (given) await this.#giveUp(given, given === waiting ? 'compacted' : 'crowded');
  }

  /** Gives up the one that waits, if any: a compaction that was not made of it took its place. */
  async outdate(sessionId: string): Promise<void> {
    await this.#drop(sessionId, 'compacted');
  }

  /** Gives up all that wait. */
  async close(): Promise<void> {
    for (const sessionId of this.#waiting.keys()) await this.#drop(sessionId, 'closed');
  }

  async #write(
    request: ContextRequest,
    strategy: Strategy,
    budget: CallBudget,
    onPlan: (plan: PreparedPlan) => void,
  ): Promise<void> {
    const { sessionId, summarizer } = request;
    const seen = await measureContext(this.#deps, request);
    const snapshot = {
      ...seen,
      budget: budgetAhead(strategy, seen.budget, seen.settings, seen.measured.currentTokens),
    };
    const waiting = this.#waiting.get(sessionId);
    if (waiting?.summary.strategy === strategy.name && planNow(waiting.summary, snapshot)) return;
    const plan = isWanted(snapshot, strategy) ? strategy.plan(snapshot) : null;
    if (!plan || !summarizer) return;
    const past = await this.#deps.store.pastCompactions(sessionId);
    if (isPaused(past.pause, summarizer.modelId, this.#deps.now(), past.count + 1)) return;
    const covered = prepared(strategy, snapshot, plan);
    onPlan(covered);

    const spent = new Spending();
    const startedAt = this.#deps.now();
    const bill = (): Bill => ({
      sessionId,
      strategy: strategy.name,
      tokensBefore: snapshot.measured.estimatedTotal,
      modelId: summarizer.modelId,
      contextWindow: snapshot.target.contextWindow,
      durationMs: this.#deps.now() - startedAt,
      usage: spent.total(),
    });
    try {
      const order = { strategy, reason: 'background', budget } as const;
      const known = knownJournal(await this.#deps.ledger(sessionId));
      const own = await writeOwn(createJob(this.#deps, request, order, snapshot, plan, past, spent));
      request.signal?.throwIfAborted();
      if (!own?.modelId || own.narrative === null) return await this.#record(bill(), spent.tell(UNUSABLE) ?? UNUSABLE);
      const { narrative, modelId, usage } = own;
      const given = this.#waiting.set(sessionId, {
        summary: { ...covered, narrative, modelId, usage, known },
        bill: bill(),
      });
      if (given) await this.#giveUp(given, given.bill.sessionId === sessionId ? 'changed' : 'crowded');
    } catch (error) {
      // Who stopped it before the model had answered knows why.
      if (bill().usage !== null) await this.#record(bill(), spent.tell(UNUSABLE) ?? UNUSABLE);
      throw error;
    }
  }

  async #drop(sessionId: string, cause: Cause): Promise<void> {
    const waiting = this.#waiting.delete(sessionId);
    if (waiting) await this.#giveUp(waiting, cause);
  }

  async #giveUp({ bill }: Waiting, cause: Cause): Promise<void> {
    this.#tell('dropped', bill, CAUSES[cause]);
    await this.#record(bill, `${DROPPED} ${CAUSES[cause]}`);
  }

  #tell(outcome: SummaryOutcome['outcome'], { sessionId, modelId }: Bill, reason?: string): void {
    this.#deps.onSummary?.({ outcome, sessionId, modelId, trigger: 'background', reason });
  }

  /** The bill of a session that is gone meanwhile goes with it. */
  async #record({ sessionId, ...bill }: Bill, error: string): Promise<void> {
    await this.#deps.store.saveFailure(sessionId, { ...bill, trigger: 'background', error }).catch(() => undefined);
  }
}

/** Above the soft limit, for a strategy whose summary a model writes from a plan that code makes. */
function isWanted({ settings, measured, budget }: ContextSnapshot, strategy: Strategy): boolean {
  const { backgroundSummaries, autoCompact } = settings;
  return (
    backgroundSummaries &&
    autoCompact &&
    strategy.writer === 'narrative' &&
    measured.currentTokens > softLimit(strategy, budget, settings)
  );
}

/** The value, unless the signal ends first. @throws the signal's reason */
async function orAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([value, aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
