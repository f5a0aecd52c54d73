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
import type { ContextDependencies, ContextRequest } from '#server/context/ports';
import { cautiousTokens, type Measured, viewKeyOf } from '#server/context/current-tokens';
import { isRequest, lastResort, strategies, type Strategy } from '#server/context/strategies';
import { excerptSession, NOTHING_PRUNED, prunableTokens, pruneSession, refusedAim } from '#server/context/prune';
import { verbatimMessages } from '#server/context/view';
import { CallBudget, isCancellation } from '#server/context/write-summary';
import { BoundedMap } from '#server/core/bounded-map';
import type { CompactionTrigger } from '#server/core/compactions';
import type { CompactionReason, ContextUsage, PruneData } from '#server/core/events';
import type { ModelMessage } from '#server/core/model-messages';

/** The messages of a step, and what was done to make room for them. */
export interface PreparedContext {
  readonly messages: ModelMessage[];
  readonly usage: ContextUsage;
  /** Request and output together must stay below this while the step streams; tokens. */
  readonly realTimeLimit: number;
  /** Measurement of the request, to compare with what the provider reports for it. */
  readonly measured: Measured;
  /** Names what is sent, to be stored with what the provider reports for it. */
  readonly viewKey: string;
  readonly tokens: Readonly<Record<'before' | 'afterPrune' | 'afterCompact' | 'final', number>>;
  readonly prunedOutputs: number;
  readonly compaction: CompactionOutcome | null;
}

interface Progress {
  readonly snapshot: ContextSnapshot;
  /** Number of outputs, inputs and images cleared or cut. */
  readonly outputs: number;
  readonly compaction: CompactionOutcome | null;
}

type Check = (snapshot: ContextSnapshot) => boolean;

/** Sessions of which a cancelled compaction is remembered. */
const MOST_DECLINED = 1_000;

/** Keeps a session inside a model's window: check, prune, compact, convert. Nothing stored is ever deleted. */
export class ContextManager {
  readonly #deps: ContextDependencies;
  /** The compactions that this process runs or waits to run, with their sessions. */
  readonly #running = new Map<AbortController, string>();
  readonly #background: BackgroundSummaries;
  /** The newest request of a session when the user cancelled a compaction that was not needed yet. */
  readonly #declined = new BoundedMap<string>(MOST_DECLINED);

  constructor(dependencies: ContextDependencies) {
    this.#deps = dependencies;
    this.#background = new BackgroundSummaries(dependencies);
  }

  async inspect(request: ContextRequest) {
    const snapshot = await measureContext(this.#deps, request);
    return { usage: usageOf(snapshot), messages: snapshot.messages, prunableTokens: await prunableTokens(snapshot) };
  }

  /** The messages that `inspect` gives, part by part with its cost; `expand` puts files that are only named into them. */
  async itemize(
    request: ContextRequest,
    expand: (messages: readonly ModelMessage[]) => Promise<readonly ModelMessage[]>,
  ) {
    const snapshot = await measureContext(this.#deps, request);
    return { usage: usageOf(snapshot), request: itemizeRequest(snapshot, await expand(snapshot.messages)) };
  }

  /**
   * Prepares the messages of the next step, under the usable limit: unchanged below the strategy's trigger, else
   * pruned, else compacted, then with the largest tool outputs cut, at the very last the newest step alone. Waits for a
   * compaction of the session that runs, also in another process.
   * @param force prune and compact although it seems to fit (the provider said it does not, or a step was cut)
   * @throws ContextOverflowError when even that does not fit
   */
  async prepare(request: ContextRequest, force?: CompactionReason): Promise<PreparedContext> {
    await this.#deps.store.settled(request.sessionId, request.signal);
    const strategy = this.#strategy(request);
    const before = await measureContext(this.#deps, request);
    const isDue: Check = (snapshot) => force !== undefined || isAboveTrigger(snapshot, strategy);
    const reason = force ?? reasonOf(before);
    const limit = force === 'provider-overflow' ? refusedAim(before) : before.budget.usable;

    const pruned = await this.#prune(request, reason, before, isDue);
    // Not where it is switched off, nor, before it is needed, in a turn whose user has cancelled it.
    const isDeclined: Check = (snapshot) =>
      fits(snapshot) && this.#declined.get(request.sessionId) === newestRequest(snapshot);
    const mayCompact: Check = (snapshot) =>
      force !== undefined || (snapshot.settings.autoCompact && !isDeclined(snapshot));
    const order = { strategy, reason, wasPruned: pruned.outputs > 0, ignoreBreaker: reason === 'provider-overflow' };
    let made: Progress = pruned;
    if (isDue(made.snapshot) && mayCompact(made.snapshot)) {
      const budget = this.#newBudget();
      made = await this.#compact(request, { ...order, isDue, budget }, made);
      // More was said since its summary was prepared than fits beside it: that is compacted in turn.
      const isAbove: Check = (snapshot) =>
        isAboveTrigger(snapshot, strategy) || snapshot.measured.currentTokens > limit;
      if (made.compaction?.wasPrepared && isAbove(made.snapshot)) {
        made = await this.#compact(request, { ...order, isDue: isAbove, budget }, made);
      }
    }
    const compacted = made;

    made = await this.#cut(request, reason, made, limit);
    // Where that is not enough and the newest step alone would fit, everything older is taken out.
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

  /** Clears old tool outputs where that is worth the lost prompt cache: not in a nearly empty window at a turn's end. */
  async prune(request: ContextRequest, trigger: CompactionTrigger): Promise<PruneData & { usage: ContextUsage }> {
    const before = await measureContext(this.#deps, request);
    const { measured, budget, settings } = before;
    const isNearlyEmpty = measured.currentTokens < budget.usable * settings.nearlyEmptyShare;
    if (trigger === 'turn-end' && isNearlyEmpty) return { ...NOTHING_PRUNED, usage: usageOf(before) };
    const hasSummary = this.#background.isReady(request.sessionId);
    const pruned = await pruneSession(this.#deps, request, trigger, before, hasSummary);
    const after = pruned.outputsPruned > 0 ? await measureContext(this.#deps, request) : before;
    return { ...pruned, usage: usageOf(after) };
  }

  /** Compacts now; null: there is nothing. @throws ConflictError while another one runs; AbortError when cancelled */
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

  /** Runs what leads to a compaction; its signal ends when that is cancelled before it has begun. */
  async cancellable<T>(sessionId: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const controller = new AbortController();
    this.#running.set(controller, sessionId);
    try {
      return await work(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal);
    } finally {
      this.#running.delete(controller);
    }
  }

  /** Stops the model of a running compaction. False: none runs here. */
  cancelCompaction(sessionId: string): boolean {
    const running = [...this.#running].filter(([, of]) => of === sessionId);
    const reason = new DOMException('The compaction was cancelled.', 'AbortError');
    for (const [controller] of running) controller.abort(reason);
    return running.length > 0;
  }

  /** Writes the next summary ahead, when the session is above the soft limit; not beside a compaction. */
  async prepareSummary(request: ContextRequest): Promise<void> {
    await this.#deps.store.settled(request.sessionId, request.signal);
    // From here to the start of writing nothing is awaited, so that neither begins unseen by the other.
    const isRunning = [...this.#running.values()].includes(request.sessionId);
    if (!isRunning) await this.#background.write(request, this.#strategy(request));
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  #strategy(request: ContextRequest): Strategy {
    const { strategy = this.#deps.settings().strategy } = request;
    return typeof strategy === 'string' ? strategies[strategy] : strategy;
  }

  #newBudget(): CallBudget {
    return new CallBudget(this.#deps.settings().summaryTimeout);
  }

  async #prune(request: ContextRequest, reason: CompactionReason, before: ContextSnapshot, isDue: Check) {
    let snapshot = before;
    let outputs = 0;
    const hasSummary = this.#background.isReady(request.sessionId);
    while (isDue(snapshot)) {
      const { outputsPruned } = await pruneSession(this.#deps, request, reason, snapshot, hasSummary);
      if (outputsPruned === 0) break;
      outputs += outputsPruned;
      snapshot = await measureContext(this.#deps, request);
    }
    return { snapshot, outputs, compaction: null };
  }

  async #cut(request: ContextRequest, reason: CompactionReason, made: Progress, limit: number): Promise<Progress> {
    if (made.snapshot.measured.currentTokens <= limit) return made;
    const { outputsPruned } = await excerptSession(this.#deps, request, reason, made.snapshot, limit);
    if (outputsPruned === 0) return made;
    const snapshot = await measureContext(this.#deps, request);
    return { ...made, snapshot, outputs: made.outputs + outputsPruned };
  }

  /** A failure is no compaction: whether the turn can go on is decided by what fits, not by what went wrong here. */
  async #compact(request: ContextRequest, order: CompactionOrder, made: Progress): Promise<Progress> {
    const { snapshot } = made;
    let compaction: CompactionOutcome | null = null;
    try {
      const { outcome, seen } = await this.#run(request, order, snapshot);
      if (!outcome) return { ...made, snapshot: seen };
      compaction = outcome;
    } catch (error) {
      request.signal?.throwIfAborted();
      if (isCancellation(error)) this.#declined.set(request.sessionId, newestRequest(snapshot));
      if (!fits(snapshot)) {
        const ledgerOnly = { ...order, strategy: strategies.ledger };
        const ran = await this.#run({ ...request, summarizer: null }, ledgerOnly, snapshot).catch(() => null);
        compaction = ran?.outcome ?? null;
      }
    }
    return { ...made, snapshot: await measureContext(this.#deps, request), compaction: compaction ?? made.compaction };
  }

  #run(request: ContextRequest, order: CompactionOrder, known?: ContextSnapshot) {
    const { sessionId } = request;
    const run = async (signal: AbortSignal) => {
      const end = await compactSession(this.#deps, this.#background, { ...request, signal }, order, known);
      if (end.outcome) await this.#background.settle(sessionId, end.outcome.wasPrepared);
      return end;
    };
    return this.cancellable(sessionId, run, request.signal);
  }
}

function isAboveTrigger({ measured, settings, budget }: ContextSnapshot, strategy: Strategy): boolean {
  return cautiousTokens(measured, settings) > strategy.trigger(budget, settings);
}

/** Names the turn, as far as the view tells. */
const newestRequest = ({ stored }: ContextSnapshot) => verbatimMessages(stored).findLast(isRequest)?.id ?? '';

function reasonOf(snapshot: ContextSnapshot): CompactionReason {
  if (fits(snapshot)) return 'threshold';
  return snapshot.stored.messages.at(-1)?.role === 'tool' ? 'tool-response' : 'overflow';
}
