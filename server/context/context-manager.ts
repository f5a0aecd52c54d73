import type { CompactionTrigger } from '#server/core/compactions';
import { ContextOverflowError } from '#server/core/errors';
import type { CompactionReason, ContextUsage, PruneData } from '#server/core/events';
import type { ModelMessage } from '#server/core/model-messages';
import { pruneLimits } from '#server/context/budget';
import { type CompactionOutcome, type CompactionOrder, compactSession } from '#server/context/compact-session';
import type { ContextDependencies, ContextRequest } from '#server/context/context-request';
import { type Measured, calmTokens, cautiousTokens, scale } from '#server/context/current-tokens';
import { type Look, fits, lookAt, usageOf } from '#server/context/look';
import { planExcerpts } from '#server/context/plan-excerpts';
import { type PruneRules, planPrune } from '#server/context/plan-prune';
import type { PruneCommit } from '#server/context/ports';
import { type PreparedSummary, takePrepared } from '#server/context/prepared-summary';
import { prepareSummary } from '#server/context/prepare-summary';
import { strategies } from '#server/context/strategies/index';
import type { Strategy } from '#server/context/strategies/strategy';
import { verbatimMessages } from '#server/context/view';
import { viewKeyOf } from '#server/context/view-key';

/** What a step sends, and what was done to get there. */
export interface PreparedContext {
  readonly messages: ModelMessage[];
  readonly usage: ContextUsage;
  /** Request and output together must stay below this while the step streams; tokens. */
  readonly realTimeLimit: number;
  /** How the request was measured, to compare with what the provider reports for it. */
  readonly measured: Measured;
  /** Names what is sent, to be stored with what the provider reports for it. */
  readonly viewKey: string;
  readonly tokens: {
    readonly before: number;
    readonly afterPrune: number;
    readonly afterCompact: number;
    readonly final: number;
  };
  readonly prunedOutputs: number;
  readonly compaction: CompactionOutcome | null;
}

/** Of what lies between a compaction's target and usable, the share that excerpts leave free. */
const READING_SHARE = 0.25;

const NOTHING_PRUNED: PruneData = { outputsPruned: 0, tokensSaved: 0, prunedTools: [] };

/**
 * Keeps a session inside a model's window: check, prune, compact, convert. The plans are pure and in the files
 * beside this one; here they are carried out through the effects it was given. Nothing stored is ever deleted.
 */
export class ContextManager {
  readonly #deps: ContextDependencies;
  /** What runs in this process or waits to, by session. */
  readonly #running = new Map<string, ReadonlySet<AbortController>>();
  readonly #prepared = new Map<string, PreparedSummary>();
  readonly #preparing = new Set<string>();

  constructor(dependencies: ContextDependencies) {
    this.#deps = dependencies;
  }

  /** The session's context for a model, as it stands. Changes nothing. */
  async inspect(
    request: ContextRequest,
  ): Promise<{ usage: ContextUsage; messages: ModelMessage[]; prunableTokens: number }> {
    const look = await lookAt(this.#deps, request);
    const prunable = planPrune(look.stored.messages, { ...this.#pruneRules(look), minimum: 0 });
    return { usage: usageOf(look), messages: look.messages, prunableTokens: scale(prunable.tokensSaved, look.target) };
  }

  /**
   * The messages of the next step, under the usable limit: as they are below the strategy's trigger, else pruned, else
   * compacted, at the very last with the largest tool outputs cut to what fits.
   * @param force prune and compact although it seems to fit (the provider said it does not, or a step was cut)
   * @throws ContextOverflowError when even that does not fit; everything stored stays as it is
   */
  async prepare(request: ContextRequest, force?: CompactionReason): Promise<PreparedContext> {
    const strategy = this.#strategy(request);
    const before = await lookAt(this.#deps, request);
    const isDue = (look: Look) =>
      force !== undefined || cautiousTokens(look.measured) > strategy.trigger(look.budget, look.settings);
    const reason = force ?? reasonOf(before);

    const pruned = isDue(before) ? await this.#prune(request, reason, before) : NOTHING_PRUNED;
    const afterPrune = pruned.outputsPruned > 0 ? await lookAt(this.#deps, request) : before;

    const mayCompact = force !== undefined || before.settings.autoCompact;
    const compaction =
      isDue(afterPrune) && mayCompact
        ? await this.#compactIfPossible(
            request,
            { strategy, reason, isDue, wasPruned: pruned.outputsPruned > 0 },
            afterPrune,
          )
        : null;
    // Also when this one had nothing to do: another may have run while it waited.
    const afterCompact = isDue(afterPrune) ? await lookAt(this.#deps, request) : afterPrune;

    const cut = fits(afterCompact) ? NOTHING_PRUNED : await this.#excerpt(request, afterCompact);
    const final = cut.outputsPruned > 0 ? await lookAt(this.#deps, request) : afterCompact;
    if (!fits(final)) throw overflowError(final);
    return {
      messages: final.messages,
      usage: usageOf(final),
      realTimeLimit: final.budget.realTimeLimit,
      measured: final.measured,
      viewKey: viewKeyOf(final.stored),
      tokens: {
        before: before.measured.currentTokens,
        afterPrune: afterPrune.measured.currentTokens,
        afterCompact: afterCompact.measured.currentTokens,
        final: final.measured.currentTokens,
      },
      prunedOutputs: pruned.outputsPruned + cut.outputsPruned,
      compaction,
    };
  }

  /** Clears old tool outputs where that saves enough to be worth the lost prompt cache. */
  async prune(request: ContextRequest, trigger: CompactionTrigger): Promise<PruneData> {
    return this.#prune(request, trigger, await lookAt(this.#deps, request));
  }

  /**
   * Compacts now, whether needed or not. Null when there is nothing to compact.
   * @throws ConflictError while another compaction of the session runs; an AbortError when it is cancelled
   */
  async compact(request: ContextRequest, instructions?: string): Promise<CompactionOutcome | null> {
    return this.#run(request, {
      reason: 'manual',
      strategy: this.#strategy(request),
      instructions,
      wait: false,
      ignoreBreaker: true,
      wasPruned: false,
    });
  }

  /** Stops the model of a running compaction. False: none runs here. */
  cancelCompaction(sessionId: string): boolean {
    const running = this.#running.get(sessionId);
    const reason = new DOMException('The compaction was cancelled.', 'AbortError');
    for (const controller of running ?? []) controller.abort(reason);
    return running !== undefined;
  }

  /**
   * Writes the next summary while nobody waits for it, when the session is above the soft limit; `prepare` uses it if
   * what it covers is then unchanged. Never two at once. Failures only mean that there is none.
   */
  async prepareSummary(request: ContextRequest): Promise<void> {
    const { sessionId } = request;
    if (this.#preparing.has(sessionId) || this.#running.has(sessionId)) return;
    this.#preparing.add(sessionId);
    try {
      const look = await lookAt(this.#deps, request);
      const present = this.#prepared.get(sessionId);
      if (present && takePrepared(present, look)) return;
      const prepared = await prepareSummary(this.#deps, request, this.#strategy(request), look);
      if (prepared) this.#prepared.set(sessionId, prepared);
    } finally {
      this.#preparing.delete(sessionId);
    }
  }

  #strategy(request: ContextRequest): Strategy {
    return strategies[request.strategy ?? this.#deps.settings().strategy];
  }

  /** Null also when it fails: whether the turn can go on is decided by what fits, not by what went wrong here. */
  async #compactIfPossible(
    request: ContextRequest,
    due: Pick<CompactionOrder, 'strategy' | 'reason' | 'isDue' | 'wasPruned'>,
    look: Look,
  ): Promise<CompactionOutcome | null> {
    // Only an overflow is worth waiting for somebody else's compaction.
    const order = {
      ...due,
      wait: !fits(look) || due.reason === 'provider-overflow',
      ignoreBreaker: due.reason === 'provider-overflow',
    };
    try {
      return await this.#run(request, order);
    } catch {
      request.signal?.throwIfAborted();
      const ledgerOnly = { ...order, strategy: strategies.ledger };
      return fits(look) ? null : this.#run({ ...request, summarizer: null }, ledgerOnly).catch(() => null);
    }
  }

  async #run(request: ContextRequest, order: Omit<CompactionOrder, 'prepared'>): Promise<CompactionOutcome | null> {
    const { sessionId } = request;
    const controller = new AbortController();
    const signal = request.signal ? AbortSignal.any([request.signal, controller.signal]) : controller.signal;
    this.#running.set(sessionId, new Set([...(this.#running.get(sessionId) ?? []), controller]));
    try {
      const prepared = this.#preparedFor(sessionId, order);
      const outcome = await compactSession(this.#deps, { ...request, signal }, { ...order, prepared });
      if (outcome) this.#prepared.delete(sessionId);
      return outcome;
    } finally {
      const others = [...(this.#running.get(sessionId) ?? [])].filter((other) => other !== controller);
      if (others.length === 0) this.#running.delete(sessionId);
      else this.#running.set(sessionId, new Set(others));
    }
  }

  /** A prepared summary is the strategy's usual one: of no use to who asked for another, or for something particular. */
  #preparedFor(
    sessionId: string,
    { strategy, instructions }: Omit<CompactionOrder, 'prepared'>,
  ): PreparedSummary | null {
    const prepared = this.#prepared.get(sessionId);
    return prepared?.candidate.strategy === strategy.name && instructions === undefined ? prepared : null;
  }

  #pruneRules(look: Look): PruneRules {
    return {
      ...pruneLimits(look.budget, look.settings),
      protectedTurns: look.settings.minTurnsToKeep,
      exemptTools: look.settings.exemptTools,
    };
  }

  #prune(request: ContextRequest, trigger: CompactionTrigger, look: Look): Promise<PruneData> {
    const plan = planPrune(look.stored.messages, this.#pruneRules(look));
    return this.#savePrune(request, trigger, look, plan.parts, plan.tokensSaved, plan.tools);
  }

  /** The last resort: the largest outputs are cut to what fits; each names how to read the rest. */
  async #excerpt(request: ContextRequest, look: Look): Promise<PruneData> {
    const { measured, budget, target } = look;
    // What was reported of this view no longer holds once it is cut; the estimate may be above it.
    const estimated = Object.values(measured.breakdown).reduce((sum, tokens) => sum + tokens, 0);
    const tokens = Math.max(measured.currentTokens, estimated);
    const messages = verbatimMessages(look.stored);
    // Room is left for reading on: the first page of the rest must not push the excerpts out again.
    const roomy = budget.usable - (budget.usable - budget.target) * READING_SHARE;
    for (const limit of [Math.min(roomy, calmTokens(budget.usable)), budget.usable]) {
      const excess = Math.ceil((tokens - limit) / target.tokenFactor);
      const excerpts = planExcerpts(messages, excess);
      if (excerpts.length > 0) return this.#savePrune(request, 'tool-response', look, excerpts, excess, []);
    }
    return NOTHING_PRUNED;
  }

  async #savePrune(
    request: ContextRequest,
    trigger: CompactionTrigger,
    look: Look,
    parts: PruneCommit['parts'],
    rawSaved: number,
    prunedTools: readonly string[],
  ): Promise<PruneData> {
    if (parts.length === 0) return NOTHING_PRUNED;
    const tokensBefore = look.measured.currentTokens;
    const tokensSaved = scale(rawSaved, look.target);
    const tokensAfter = Math.max(0, tokensBefore - tokensSaved);
    const { modelId } = look.target;
    await this.#deps.store.savePrune(request.sessionId, { trigger, tokensBefore, tokensAfter, parts, modelId });
    const data = { outputsPruned: parts.length, tokensSaved, prunedTools };
    request.listener?.onPrune?.(data);
    return data;
  }
}

/** Why a request is too large: tool results that just came in, plain growth, or a strategy that acts early. */
function reasonOf(look: Look): CompactionReason {
  if (fits(look)) return 'threshold';
  return look.stored.messages.at(-1)?.role === 'tool' ? 'tool-response' : 'overflow';
}

function overflowError({ measured, budget, messages, settings }: Look): ContextOverflowError {
  const { currentTokens, breakdown } = measured;
  const advice = settings.autoCompact
    ? 'Shorten the newest message or choose a model with a larger window.'
    : 'Automatic compaction is switched off: compact the conversation, or choose a model with a larger window.';
  return new ContextOverflowError(
    `The request needs ${currentTokens.toLocaleString('en-US')} tokens but only ` +
      `${budget.usable.toLocaleString('en-US')} are usable, even after pruning and compaction. ${advice}`,
    { details: { currentTokens, usableTokens: budget.usable, messages: messages.length, breakdown: { ...breakdown } } },
  );
}
