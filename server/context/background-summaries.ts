import { isPaused } from '#server/context/breaker';
import {
  type ContextDependencies,
  type ContextRequest,
  type ContextSnapshot,
  measureContext,
} from '#server/context/context-snapshot';
import { knownJournal } from '#server/context/how-things-stand';
import type { CompactionPlan } from '#server/context/plan-compaction';
import type { CompactionFailure } from '#server/context/ports';
import { isCancellation } from '#server/context/running-compactions';
import { budgetAhead, softLimit, type Strategy } from '#server/context/strategies';
import { verbatimMessages } from '#server/context/view';
import { askModel, CallBudget, Spending, type SummaryJob } from '#server/context/write-summary';
import { BoundedMap } from '#server/core/bounded-map';
import { orAborted } from '#server/core/or-aborted';
import type { SummaryOutcome } from '#server/core/compactions';

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

/** The plan of a background summary, by ids alone: many sessions may have one waiting. */
interface PreparedPlan extends Pick<CompactionPlan, 'summaryTokens' | 'cutsTurn'> {
  readonly strategy: string;
  /** The summary it continues; it is of no use once another compaction came between. */
  readonly previousSummaryId: string | null;
  readonly firstKeptId: string;
  /** Every message in front of the cut, by id. */
  readonly places: ReadonlyMap<string, Place>;
}
type Place = 'keptBefore' | 'replaced' | 'keptAfter';

/**
 * What a model told while the user read, waiting to be needed. What code keeps is put around it then, as things stand
 * then.
 */
interface PreparedSummary extends PreparedPlan {
  readonly narrative: string;
  /** The journal as it was when the model was asked. */
  readonly known: ReadonlySet<string>;
  readonly modelId: string;
  /** What it cost: recorded as a failure should it be dropped. */
  readonly bill: Bill;
}
type Bill = Omit<CompactionFailure, 'trigger' | 'error'> & { readonly sessionId: string; readonly modelId: string };

/** Result of looking for a prepared summary. */
type PreparedLookup =
  | { readonly kind: 'ready'; readonly plan: CompactionPlan; readonly summary: PreparedSummary }
  /** The compaction has to have its own written. */
  | { readonly kind: 'none' }
  /** It has waited for one, and its model failed: asking again would wait once more. */
  | { readonly kind: 'failed' };

/** A summary that is being written. */
interface Writing {
  readonly stop: AbortController;
  readonly budget: CallBudget;
  /** What it will cover; null while no model is asked yet. */
  plan: PreparedPlan | null;
  /** Never rejects. */
  done: Promise<void>;
}

/**
 * Summaries that are written while nobody waits for them: one at a time for each session, kept in this process until a
 * compaction needs it. What a model was paid for one that is not used is recorded as a failed compaction.
 */
export class BackgroundSummaries {
  readonly #deps: ContextDependencies;
  readonly #waiting = new BoundedMap<PreparedSummary>(MOST_WAITING);
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
    const budget = new CallBudget(this.#deps.settings().summaryTimeout);
    const writing: Writing = { stop, budget, plan: null, done: Promise.resolve() };
    this.#writing.set(sessionId, writing);
    const written = this.#write({ ...request, signal }, strategy, writing).finally(() => {
      this.#writing.delete(sessionId);
    });
    writing.done = written.catch(() => undefined);
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
   * asked at once; none of ours knows of what the user asks for in particular. Time and calls of one that is waited for
   * are the compaction's own. It goes on waiting until `settle`.
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
    await this.#drop(sessionId, 'changed');
    return { kind: 'none' };
  }

  /**
   * Lets go of the one that waits, if any, after a compaction: one that was made of it has its cost on its own bill;
   * with another one it has nothing left to stand on.
   */
  async settle(sessionId: string, wasUsed: boolean): Promise<void> {
    if (!wasUsed) return this.#drop(sessionId, 'compacted');
    const used = this.#waiting.delete(sessionId);
    if (used) this.#tell('used', used.bill);
  }

  /** Gives up all that wait. */
  async close(): Promise<void> {
    for (const sessionId of this.#waiting.keys()) await this.#drop(sessionId, 'closed');
  }

  async #write(request: ContextRequest, strategy: Strategy, writing: Writing): Promise<void> {
    const { store, now, ledger } = this.#deps;
    const { sessionId, summarizer } = request;
    const { budget } = writing;
    const seen = await measureContext(this.#deps, request);
    const ahead = budgetAhead(strategy, seen.budget, seen.settings, seen.measured.currentTokens);
    const snapshot = { ...seen, budget: ahead };
    const waiting = this.#waiting.get(sessionId);
    if (waiting?.strategy === strategy.name && planNow(waiting, snapshot)) return;
    const plan = isWanted(snapshot, strategy) ? strategy.plan(snapshot) : null;
    if (!plan || !summarizer) return;
    const past = await store.pastCompactions(sessionId);
    if (isPaused(past.pause, summarizer.modelId, now(), past.count + 1)) return;
    const covered = prepared(strategy, snapshot, plan);
    writing.plan = covered;

    const spent = new Spending();
    const startedAt = now();
    const bill = (): Bill => ({
      sessionId,
      strategy: strategy.name,
      tokensBefore: snapshot.measured.estimatedTotal,
      modelId: summarizer.modelId,
      contextWindow: snapshot.target.contextWindow,
      durationMs: now() - startedAt,
      usage: spent.total,
    });
    try {
      const known = knownJournal(await ledger(sessionId));
      const reason = 'background';
      const told = await askModel({ deps: this.#deps, request, strategy, reason, snapshot, plan, past, budget, spent });
      request.signal?.throwIfAborted();
      if (!told) return await this.#record(bill(), spent.tell(UNUSABLE) ?? UNUSABLE);
      const given = this.#waiting.set(sessionId, {
        ...covered,
        narrative: told.text,
        modelId: summarizer.modelId,
        known,
        bill: bill(),
      });
      if (given) await this.#giveUp(given, given.bill.sessionId === sessionId ? 'changed' : 'crowded');
    } catch (error) {
      // Who stopped it before the model had answered knows why.
      if (spent.total !== null) await this.#record(bill(), spent.tell(UNUSABLE) ?? UNUSABLE);
      throw error;
    }
  }

  async #drop(sessionId: string, cause: Cause): Promise<void> {
    const waiting = this.#waiting.delete(sessionId);
    if (waiting) await this.#giveUp(waiting, cause);
  }

  async #giveUp({ bill }: PreparedSummary, cause: Cause): Promise<void> {
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
  const isAbove = measured.currentTokens > softLimit(strategy, budget, settings);
  return backgroundSummaries && autoCompact && strategy.writer === 'narrative' && isAbove;
}

/** Reduces a plan to its ids. */
function prepared(strategy: Strategy, { stored }: ContextSnapshot, plan: CompactionPlan): PreparedPlan {
  const placed = (place: Place) => plan[place].map(({ id }) => [id, place] as const);
  return {
    strategy: strategy.name,
    previousSummaryId: stored.summary?.id ?? null,
    firstKeptId: plan.tail[0].id,
    places: new Map([...placed('keptBefore'), ...placed('replaced'), ...placed('keptAfter')]),
    summaryTokens: plan.summaryTokens,
    cutsTurn: plan.cutsTurn,
  };
}

/**
 * The plan for the session as it stands now, with everything said since in its tail, however much that is. Null when
 * something that it covers has changed, or another compaction came between.
 */
function planNow(
  { previousSummaryId, firstKeptId, places, summaryTokens, cutsTurn }: PreparedPlan,
  { stored }: ContextSnapshot,
): CompactionPlan | null {
  if ((stored.summary?.id ?? null) !== previousSummaryId) return null;
  const cut = stored.messages.findIndex(({ id }) => id === firstKeptId);
  const [first, ...rest] = cut === -1 ? [] : stored.messages.slice(cut);
  if (!first) return null;
  const head = verbatimMessages({ ...stored, messages: stored.messages.slice(0, cut) });
  if (head.length !== places.size || !head.every(({ id }) => places.has(id))) return null;
  const at = (place: Place) => head.filter(({ id }) => places.get(id) === place);
  const lists = { keptBefore: at('keptBefore'), replaced: at('replaced'), keptAfter: at('keptAfter') };
  return { ...lists, tail: [first, ...rest], summaryTokens, cutsTurn };
}
