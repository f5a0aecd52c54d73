import { isPaused } from '#server/context/breaker';
import { type ContextSnapshot, measureContext } from '#server/context/context-snapshot';
import { type CompactionPlan, headOf, planAt } from '#server/context/plan-compaction';
import type { CompactionFailure, ContextDependencies, ContextRequest } from '#server/context/ports';
import { isCancellation } from '#server/context/running-compactions';
import { budgetAhead, softLimit, type Strategy } from '#server/context/strategies';
import { verbatimMessages } from '#server/context/view';
import { askModel, billOf, CallBudget, Spending, type SummaryJob, type Told } from '#server/context/write-summary';
import { BoundedMap } from '#server/core/bounded-map';
import { orAborted } from '#server/core/or-aborted';
import type { SummaryOutcome } from '#server/core/compactions';
import type { Message } from '#server/core/messages';

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

/** The plan of a background summary, by ids alone: many sessions may have one waiting. */
interface PreparedPlan extends Pick<CompactionPlan, 'summaryTokens'> {
  readonly strategy: string;
  readonly previousSummaryId: string | null;
  readonly firstKeptId: string;
  /** Every message in front of the cut, and those of them that stay before the summary. */
  readonly head: ReadonlySet<string>;
  readonly keptBefore: ReadonlySet<string>;
}

/** Narrative written while the user read. What code keeps is put around it when needed, as things stand then. */
interface PreparedSummary extends PreparedPlan {
  readonly narrative: string;
  readonly known: Told['known'];
  readonly modelId: string;
  /** Its cost: recorded as a failure should it be dropped. */
  readonly bill: Bill;
}
type Bill = Omit<CompactionFailure, 'trigger' | 'error'> & { readonly sessionId: string; readonly modelId: string };

type PreparedLookup =
  | { readonly kind: 'ready'; readonly plan: CompactionPlan; readonly summary: PreparedSummary }
  /** The compaction has to have its own written. */
  | { readonly kind: 'none' }
  /** It has waited for one, and its model failed: asking again would wait once more. */
  | { readonly kind: 'failed' };

interface Writing {
  readonly stop: AbortController;
  readonly budget: CallBudget;
  /** Its planned scope; null while no model is asked yet. */
  plan: PreparedPlan | null;
  /** Never rejects. */
  done: Promise<void>;
}

/**
 * Summaries that are written while nobody waits for them: one at a time for each session, kept in this process until a
 * compaction needs it. What was paid for one that is not used is recorded as a failed compaction.
 */
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
    const writing: Writing = { stop, budget, plan: null, done: Promise.resolve() };
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
   */
  async take(
    sessionId: string,
    { strategy, instructions, budget }: Pick<SummaryJob, 'strategy' | 'instructions' | 'budget'>,
    snapshot: ContextSnapshot,
    signal: AbortSignal | undefined,
  ): Promise<PreparedLookup> {
    const isUsual = (of: PreparedPlan) => of.strategy === strategy.name && instructions === undefined;
    const writing = this.#writing.get(sessionId);
    if (writing) {
      const isOfUse = writing.plan !== null && isUsual(writing.plan) && planNow(writing.plan, snapshot) !== null;
      if (!isOfUse) writing.stop.abort(new Error('A compaction came before it.'));
      try {
        await orAborted(writing.done, signal);
      } catch (error) {
        // Who cancels the compaction means the model that it waits for.
        if (isCancellation(error)) writing.stop.abort(error);
        throw error;
      }
      if (isOfUse) budget.join(writing.budget);
    }
    const summary = this.#waiting.get(sessionId);
    if (!summary) return { kind: writing && !writing.stop.signal.aborted ? 'failed' : 'none' };
    if (!isUsual(summary)) return { kind: 'none' };
    const plan = planNow(summary, snapshot);
    if (plan) return { kind: 'ready', plan, summary };
    await this.#drop(sessionId, CAUSES.changed);
    return { kind: 'none' };
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
    const { budget } = writing;
    const seen = await measureContext(this.#deps, request);
    const snapshot = { ...seen, budget: budgetAhead(strategy, seen, seen.measured.currentTokens) };
    const waiting = this.#waiting.get(sessionId);
    if (waiting?.strategy === strategy.name && planNow(waiting, snapshot)) return;
    const plan = isWanted(snapshot, strategy) ? strategy.plan(snapshot) : null;
    if (!plan || !summarizer || !((await summarizer.mayAsk?.()) ?? true)) return;
    const past = await store.pastCompactions(sessionId);
    if (isPaused(past.pause, summarizer.modelId, now(), past.count + 1)) return;
    const covered = prepared(strategy, snapshot, plan);
    writing.plan = covered;

    const { modelId } = summarizer;
    const spent = new Spending(now());
    const reason = 'background';
    const job: SummaryJob = { deps: this.#deps, request, strategy, reason, snapshot, plan, past, budget, spent };
    const bill = () => ({ ...billOf(job), sessionId, modelId });
    try {
      const told = await askModel(job);
      request.signal?.throwIfAborted();
      if (!told) return await this.#record(bill(), spent.tell(UNUSABLE));
      const summary = { ...covered, narrative: told.text, modelId, known: told.known, bill: bill() };
      const given = this.#waiting.set(sessionId, summary);
      if (given) await this.#giveUp(given, given.bill.sessionId === sessionId ? CAUSES.changed : CAUSES.crowded);
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

  /** Nothing where the session is gone meanwhile. */
  async #record({ sessionId, ...bill }: Bill, error: string): Promise<void> {
    await this.#deps.store.saveFailure(sessionId, { ...bill, trigger: 'background', error }).catch(() => undefined);
  }
}

function isWanted({ settings, measured, budget }: ContextSnapshot, strategy: Strategy): boolean {
  const { backgroundSummaries, autoCompact } = settings;
  const isAbove = measured.currentTokens > softLimit(strategy, budget, settings);
  return backgroundSummaries && autoCompact && strategy.writer === 'narrative' && isAbove;
}

function prepared(strategy: Strategy, { stored }: ContextSnapshot, plan: CompactionPlan): PreparedPlan {
  const idsOf = (messages: readonly Message[]) => new Set(messages.map(({ id }) => id));
  return {
    strategy: strategy.name,
    previousSummaryId: stored.summary?.id ?? null,
    firstKeptId: plan.tail[0].id,
    head: idsOf(headOf(plan)),
    keptBefore: idsOf(plan.keptBefore),
    summaryTokens: plan.summaryTokens,
  };
}

/** The plan as the session stands now, all said since in its tail. Null: what it covers was changed or compacted. */
function planNow(covered: PreparedPlan, { stored }: ContextSnapshot): CompactionPlan | null {
  const { previousSummaryId, firstKeptId, head, keptBefore, summaryTokens } = covered;
  const verbatim = verbatimMessages(stored);
  const [first, ...rest] = verbatim.slice(head.size);
  const isSame = first?.id === firstKeptId && verbatim.slice(0, head.size).every(({ id }) => head.has(id));
  if (!isSame || (stored.summary?.id ?? null) !== previousSummaryId) return null;
  const stays = verbatim.filter(({ id }) => keptBefore.has(id));
  return { ...planAt(verbatim, [first, ...rest], stays), summaryTokens };
}
