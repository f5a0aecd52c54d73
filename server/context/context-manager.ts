import { BackgroundSummaries } from '#server/context/background-summaries';
import { type CompactionOrder, type CompactionOutcome, compactSession } from '#server/context/compact-session';
import {
  type ContextSnapshot,
  fits,
  itemizeRequest,
  couldFit,
  measureContext,
  overflowError,
  usageOf,
} from '#server/context/context-snapshot';
import type { ContextRequest, EngineProcess, EngineState } from '#server/context/ports';
import { cautiousTokens, type Measured, viewKeyOf } from '#server/context/current-tokens';
import { lastResort, limitOf, strategies, type Strategy } from '#server/context/strategies';
import { excerptSession, NOTHING_PRUNED, prunableTokens, pruneSession, refusedAim } from '#server/context/prune';
import { verbatimMessages } from '#server/context/view';
import { CallBudget, isCancellation } from '#server/context/ask-summarizer';
import { BoundedMap } from '#server/core/bounded-map';
import type { CompactionTrigger } from '#server/core/conversation/compactions';
import type { CompactionReason, ContextUsage, PruneData } from '#server/core/conversation/events';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { isRequest } from '#server/core/conversation/part-text';

/** The messages of a step, and what was done to make them fit. */
export interface PreparedContext {
  readonly messages: ModelMessage[];
  readonly usage: ContextUsage;
  /** Limit for request and output together while the step streams, in tokens. */
  readonly realTimeLimit: number;
  /** Measurement of the request, to be compared with the usage that the provider reports. */
  readonly measured: Measured;
  /** Identifies the view that is sent. It is stored with the usage that the provider reports. */
  readonly viewKey: string;
  readonly tokens: Readonly<Record<'before' | 'afterPrune' | 'afterCompact' | 'final', number>>;
  readonly prunedOutputs: number;
  readonly compaction: CompactionOutcome | null;
}

/** A session that is being made to fit. */
interface Progress {
  readonly snapshot: ContextSnapshot;
  /** Number of outputs, inputs and images that were cleared or cut. */
  readonly outputs: number;
  readonly compaction: CompactionOutcome | null;
}

/** A condition of a measured session. */
type Check = (snapshot: ContextSnapshot) => boolean;

/** Number of sessions for which a cancelled compaction is remembered. A choice, not measured. */
const MAX_REMEMBERED_CANCELLATIONS = 1_000;

/**
 * Share of the tokens of a request that figures contain at least: those of a turn count only the tools that its sender may
 * use. A choice, not measured.
 */
const FIGURES_SHARE = 0.5;

/** Keeps a session within a model's context window: measure, prune, compact, convert. It never deletes stored data. */
export class ContextManager {
  readonly #process: EngineState;
  /** Compactions that this process runs or is about to run, with their sessions. */
  readonly #running = new Map<AbortController, string>();
  readonly #background: BackgroundSummaries;
  /** For each session, the newest request for which the user cancelled a compaction that was not required yet. */
  readonly #declined = new BoundedMap<string>(MAX_REMEMBERED_CANCELLATIONS);

  constructor(process: EngineProcess) {
    this.#process = { ...process, quoting: new Set() };
    this.#background = new BackgroundSummaries(this.#process);
  }

  /** The view of a session and its cost, without changing anything. */
  async inspect(request: ContextRequest) {
    const snapshot = await this.#measure(request);
    return { usage: usageOf(snapshot), messages: snapshot.messages, prunableTokens: await prunableTokens(snapshot) };
  }

  /**
   * The messages of `inspect`, part by part with their cost. `expand` loads the content of files that the view only
   * names.
   */
  async itemize(
    request: ContextRequest,
    expand: (messages: readonly ModelMessage[]) => Promise<readonly ModelMessage[]>,
  ) {
    const snapshot = await this.#measure(request);
    return { usage: usageOf(snapshot), request: itemizeRequest(snapshot, await expand(snapshot.messages)) };
  }

  /**
   * Prepares the messages of the next step so that they fit the usable tokens: unchanged below the trigger of the
   * strategy, otherwise pruned, then compacted, then with the largest tool outputs cut, and finally reduced to the
   * newest step. Waits for a running compaction of the session, also one of another process.
   * @param force prunes and compacts although the request seems to fit, because the provider refused it or a step was
   * cut
   * @throws ContextOverflowError when the request cannot be made to fit
   */
  async prepare(request: ContextRequest, force?: CompactionReason): Promise<PreparedContext> {
    await request.session.settled(request.signal);
    const strategy = this.#strategy(request);
    const before = await this.#measure(request);
    const isDue: Check = (snapshot) => force !== undefined || isAboveTrigger(snapshot, strategy);
    const reason = force ?? reasonOf(before);
    const limit = force === 'provider-overflow' ? refusedAim(before) : before.budget.usable;

    const pruned = await this.#prune(request, reason, before, isDue);
    // Not if compaction is switched off, nor, while it is not required yet, in a turn whose user cancelled it.
    const isDeclined: Check = (snapshot) =>
      fits(snapshot) && this.#declined.get(request.session.id) === newestRequest(snapshot);
    const mayCompact: Check = (snapshot) =>
      force !== undefined || (snapshot.settings.autoCompact && !isDeclined(snapshot));
    const order = { strategy, reason, wasPruned: pruned.outputs > 0, ignoreBreaker: reason === 'provider-overflow' };
    let made: Progress = pruned;
    if (isDue(made.snapshot) && mayCompact(made.snapshot)) {
      const budget = this.#newBudget();
      made = await this.#compact(request, { ...order, isDue, budget }, made);
      // More was said after the prepared summary was written than fits together with it, so that part is compacted as
      // well.
      const isAbove: Check = (snapshot) =>
        isAboveTrigger(snapshot, strategy) || snapshot.measured.currentTokens > limit;
      if (made.compaction?.wasPrepared && isAbove(made.snapshot)) {
        made = await this.#compact(request, { ...order, isDue: isAbove, budget }, made);
      }
    }
    const compacted = made;

    made = await this.#cut(request, reason, made, limit);
    // If that is not enough but the newest step alone would fit, everything older is removed.
    const isOver: Check = (snapshot) => !fits(snapshot);
    if (isOver(made.snapshot) && mayCompact(made.snapshot) && couldFit(made.snapshot)) {
      const last = { strategy: lastResort, ignoreBreaker: true, isDue: isOver, budget: this.#newBudget() };
      made = await this.#compact(request, { ...order, ...last }, made);
      made = await this.#cut(request, reason, made, limit);
    }
    const final = made.snapshot;
    if (!fits(final)) throw overflowError(final);
    return {
      messages: final.messages,
      usage: usageOf(final),
      realTimeLimit: final.budget.realTimeLimit,
      measured: final.measured,
      viewKey: viewKeyOf(final.stored),
      tokens: {
        before: before.measured.currentTokens,
        afterPrune: pruned.snapshot.measured.currentTokens,
        afterCompact: compacted.snapshot.measured.currentTokens,
        final: final.measured.currentTokens,
      },
      prunedOutputs: made.outputs,
      compaction: made.compaction,
    };
  }

  /**
   * Clears old tool outputs if that is worth the loss of the prompt cache. At the end of a turn it does nothing in a
   * nearly empty window.
   */
  async prune(request: ContextRequest, trigger: CompactionTrigger): Promise<PruneData & { usage: ContextUsage }> {
    const before = await this.#measure(request);
    const { measured, budget, settings } = before;
    const isNearlyEmpty = measured.currentTokens < budget.usable * settings.nearlyEmptyShare;
    if (trigger === 'turn-end' && isNearlyEmpty) return { ...NOTHING_PRUNED, usage: usageOf(before) };
    const hasSummary = this.#background.isReady(request.session.id);
    const pruned = await pruneSession(request, trigger, before, hasSummary);
    const after = pruned.outputsPruned > 0 ? await this.#measure(request) : before;
    return { ...pruned, usage: usageOf(after) };
  }

  /**
   * Compacts immediately. Null: there is nothing to compact.
   * @throws ConflictError while another compaction runs; AbortError when cancelled
   */
  async compact(request: ContextRequest, instructions?: string): Promise<CompactionOutcome | null> {
    const { outcome } = await this.#run(request, {
      reason: 'manual',
      strategy: this.#strategy(request),
      instructions,
      ignoreBreaker: true,
      wasPruned: false,
      budget: this.#newBudget(),
    });
    return outcome;
  }

  /** Runs work that leads to a compaction. Its signal aborts when the compaction is cancelled before it starts. */
  async cancellable<T>(sessionId: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const controller = new AbortController();
    this.#running.set(controller, sessionId);
    try {
      return await work(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal);
    } finally {
      this.#running.delete(controller);
    }
  }

  /** Stops the model call of a running compaction. Returns false if this process runs none. */
  cancelCompaction(sessionId: string): boolean {
    const running = [...this.#running].filter(([, of]) => of === sessionId);
    const reason = new DOMException('The compaction was cancelled.', 'AbortError');
    for (const [controller] of running) controller.abort(reason);
    return running.length > 0;
  }

  /**
   * False if these figures of a session, measured just now, show that `prepareSummary` would do nothing: the soft limit
   * is at least `aheadShare` of the trigger.
   */
  mayNeedSummary({ currentTokens, usableTokens: usable, contextWindow }: ContextUsage): boolean {
    const settings = this.#process.settings.current();
    const trigger = strategies[settings.strategy].trigger({ usable, contextWindow }, settings);
    return currentTokens > Math.min(trigger, usable) * settings.aheadShare * FIGURES_SHARE;
  }

  /** Writes the next summary in advance when the session exceeds the soft limit and no compaction runs. */
  async prepareSummary(request: ContextRequest): Promise<void> {
    await request.session.settled(request.signal);
    // No await from here to the start of writing, so that a compaction and a background summary cannot start at the
    // same time.
    const isRunning = [...this.#running.values()].includes(request.session.id);
    if (!isRunning) await this.#background.write(request, this.#strategy(request));
  }

  /** Drops summaries that were prepared. */
  close(): Promise<void> {
    return this.#background.close();
  }

  #measure(request: ContextRequest): Promise<ContextSnapshot> {
    return measureContext(request, this.#process.settings.current());
  }

  /** The strategy of the request, else of its settings, else of the process. */
  #strategy(request: ContextRequest): Strategy {
    const { strategy = request.settings?.strategy ?? this.#process.settings.current().strategy } = request;
    return typeof strategy === 'string' ? strategies[strategy] : strategy;
  }

  /** Limits of the next compaction. */
  #newBudget(): CallBudget {
    return new CallBudget(this.#process.settings.current().summaryTimeout);
  }

  /** Prunes as often as it is due and helps. */
  async #prune(request: ContextRequest, reason: CompactionReason, before: ContextSnapshot, isDue: Check) {
    let snapshot = before;
    let outputs = 0;
    const hasSummary = this.#background.isReady(request.session.id);
    while (isDue(snapshot)) {
      const { outputsPruned } = await pruneSession(request, reason, snapshot, hasSummary);
      if (outputsPruned === 0) break;
      outputs += outputsPruned;
      snapshot = await this.#measure(request);
    }
    return { snapshot, outputs, compaction: null };
  }

  /** Cuts the largest outputs if the request exceeds `limit`. */
  async #cut(request: ContextRequest, reason: CompactionReason, made: Progress, limit: number): Promise<Progress> {
    if (made.snapshot.measured.currentTokens <= limit) return made;
    const { outputsPruned } = await excerptSession(request, reason, made.snapshot, limit);
    if (outputsPruned === 0) return made;
    const snapshot = await this.#measure(request);
    return { ...made, snapshot, outputs: made.outputs + outputsPruned };
  }

  /**
   * Compacts. A failed attempt leaves the view unchanged. Whether the turn can continue depends on what fits, not on
   * the failure.
   */
  async #compact(request: ContextRequest, order: CompactionOrder, made: Progress): Promise<Progress> {
    const { snapshot } = made;
    let compaction: CompactionOutcome | null = null;
    try {
      const { outcome, seen } = await this.#run(request, order, snapshot);
      if (!outcome) return { ...made, snapshot: seen };
      compaction = outcome;
    } catch (error) {
      request.signal?.throwIfAborted();
      if (isCancellation(error)) this.#declined.set(request.session.id, newestRequest(snapshot));
      if (!fits(snapshot)) {
        const ledgerOnly = { ...order, strategy: strategies.ledger };
        const ran = await this.#run({ ...request, summarizer: null }, ledgerOnly, snapshot).catch(() => null);
        compaction = ran?.outcome ?? null;
      }
    }
    return { ...made, snapshot: await this.#measure(request), compaction: compaction ?? made.compaction };
  }

  /** Runs one compaction that can be cancelled. */
  #run(request: ContextRequest, order: CompactionOrder, known?: ContextSnapshot) {
    const sessionId = request.session.id;
    const run = async (signal: AbortSignal) => {
      const end = await compactSession(this.#process, this.#background, { ...request, signal }, order, known);
      if (end.outcome) await this.#background.settle(sessionId, end.outcome.wasPrepared);
      return end;
    };
    return this.cancellable(sessionId, run, request.signal);
  }
}

/**
 * True if the strategy compacts now: a threshold is compared with the expected count of the provider, a limit with a
 * cautious one.
 */
function isAboveTrigger({ measured, settings, budget }: ContextSnapshot, strategy: Strategy): boolean {
  const trigger = strategy.trigger(budget, settings);
  return measured.currentTokens > trigger || cautiousTokens(measured, settings) > limitOf(trigger, budget);
}

/** Identifies the turn by its newest request, as far as the view contains it. */
const newestRequest = ({ stored }: ContextSnapshot) => verbatimMessages(stored).findLast(isRequest)?.id ?? '';

/** Why a session is compacted. */
function reasonOf(snapshot: ContextSnapshot): CompactionReason {
  if (fits(snapshot)) return 'threshold';
  return snapshot.stored.messages.at(-1)?.role === 'tool' ? 'tool-response' : 'overflow';
}
