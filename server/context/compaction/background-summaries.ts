import type { Usage } from '#server/core/messages';
import { BoundedMap } from '#server/core/bounded-map';
import { createJob } from '#server/context/compaction/compact-session';
import type { ContextDependencies, ContextRequest } from '#server/context/context-request';
import { type Look, lookAt } from '#server/context/look';
import {
  type PreparedPlan,
  type PreparedSummary,
  candidateNow,
  planNow,
  prepared,
} from '#server/context/compaction/prepared-summary';
import { isCancellation } from '#server/context/compaction/running-compactions';
import { Spending } from '#server/context/summary/spending';
import { type Strategy, aimBelowTrigger, softLimit } from '#server/context/strategies/strategy';
import { type Candidate, writeOwn } from '#server/context/summary/write-summary';

/** Sessions whose next summary is kept; beyond, the oldest is written again when it is needed. */
const MOST_WAITING = 100;

const DROPPED = 'The summary that was prepared in the background could not be used.';
const UNUSABLE = 'The text that was prepared in the background was not usable.';

/** A summary that was paid for, and what is recorded of it should it be dropped. */
interface Waiting {
  readonly summary: PreparedSummary;
  readonly bill: Bill;
}

interface Bill {
  readonly sessionId: string;
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly modelId: string | null;
  readonly contextWindow: number;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

/** A summary that is being written. */
interface Writing {
  readonly strategy: Strategy;
  readonly stop: AbortController;
  /** What it will cover, as soon as that is known; null: none is written after all. */
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
    const written = this.#write({ ...request, signal }, strategy, plan.resolve).finally(() => {
      plan.resolve(null);
      this.#writing.delete(sessionId);
    });
    const done = written.catch(() => undefined);
    this.#writing.set(sessionId, { strategy, stop, plan: plan.promise, done });
    // A compaction that stopped it wants no more of it.
    await written.catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
  }

  /**
   * The summary for a compaction of the session as it stands now: the one that waits, or the one that is being written,
   * once it is there. One that is being written and would be of no use is stopped first, so that no two models are
   * asked at once. Null: the compaction has to have its own written.
   * @param instructions what the user asks for in particular; none of ours knows of it
   */
  async take(
    sessionId: string,
    strategy: Strategy,
    instructions: string | undefined,
    look: Look,
    signal: AbortSignal | undefined,
  ): Promise<Candidate | null> {
    const isUsual = (of: string) => of === strategy.name && instructions === undefined;
    const writing = this.#writing.get(sessionId);
    if (writing) {
      try {
        const plan = isUsual(writing.strategy.name) ? await orAborted(writing.plan, signal) : null;
        // Its length is not known yet: only what is of no use at any length is stopped.
        if (!plan || !planNow(plan, 0, strategy, look)) writing.stop.abort(new Error('A compaction came before it.'));
        await orAborted(writing.done, signal);
      } catch (error) {
        // Who cancels the compaction means the model that it waits for.
        if (isCancellation(error)) writing.stop.abort(error);
        throw error;
      }
    }
    const waiting = this.#waiting.get(sessionId);
    if (!waiting || !isUsual(waiting.summary.strategy)) return null;
    const candidate = candidateNow(waiting.summary, strategy, look);
    if (!candidate) await this.drop(sessionId);
    // From here on it is the compaction's, its bill too.
    else this.#waiting.delete(sessionId);
    return candidate;
  }

  /** Gives up the one that is being written, and the one that waits. */
  async forget(sessionId: string): Promise<void> {
    this.#writing.get(sessionId)?.stop.abort(new Error('What it tells of has changed.'));
    await this.drop(sessionId);
  }

  /** Gives up the one that waits, if any. */
  async drop(sessionId: string): Promise<void> {
    await this.#recordDropped(this.#waiting.delete(sessionId));
  }

  /** Gives up all that wait. */
  async close(): Promise<void> {
    for (const sessionId of this.#waiting.keys()) await this.drop(sessionId);
  }

  async #write(request: ContextRequest, strategy: Strategy, onPlan: (plan: PreparedPlan) => void): Promise<void> {
    const { sessionId, summarizer } = request;
    const seen = await lookAt(this.#deps, request);
    const look = { ...seen, budget: aimBelowTrigger(strategy, seen.budget, seen.settings) };
    const waiting = this.#waiting.get(sessionId);
    if (waiting?.summary.strategy === strategy.name && candidateNow(waiting.summary, strategy, look)) return;
    const plan = isWanted(look, strategy) ? strategy.plan(look) : null;
    if (!plan || !summarizer) return;
    const covered = prepared(strategy, look, plan);
    onPlan(covered);

    const spent = new Spending();
    const startedAt = this.#deps.now();
    const bill = (): Bill => ({
      sessionId,
      strategy: strategy.name,
      tokensBefore: look.measured.estimatedTotal,
      modelId: summarizer.modelId,
      contextWindow: look.target.contextWindow,
      durationMs: this.#deps.now() - startedAt,
      usage: spent.total(),
    });
    try {
      const past = await this.#deps.store.pastCompactions(sessionId);
      const own = await writeOwn(createJob(this.#deps, request, { strategy }, look, plan, past, spent));
      request.signal?.throwIfAborted();
      if (!own?.modelId) return await this.#record(bill(), UNUSABLE);
      const { text, tokens, modelId, usage } = own;
      const given = this.#waiting.set(sessionId, {
        summary: { ...covered, text, tokens, modelId, usage },
        bill: bill(),
      });
      await this.#recordDropped(given);
    } catch (error) {
      await this.#record(bill(), UNUSABLE);
      throw error;
    }
  }

  async #recordDropped(waiting: Waiting | undefined): Promise<void> {
    if (waiting) await this.#record(waiting.bill, DROPPED);
  }

  /** The bill of a session that is gone meanwhile goes with it. */
  async #record({ sessionId, ...bill }: Bill, error: string): Promise<void> {
    if (bill.usage === null) return;
    await this.#deps.store.saveFailure(sessionId, { ...bill, trigger: 'background', error }).catch(() => undefined);
  }
}

/** Above the soft limit, for a strategy whose summary a model writes from a plan that code makes. */
function isWanted({ settings, measured, budget }: Look, strategy: Strategy): boolean {
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
