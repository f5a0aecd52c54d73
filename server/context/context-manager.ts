import type { CompactionTrigger } from '#server/core/compactions';
import { ContextOverflowError } from '#server/core/errors';
import type { CompactionReason, ContextUsage, PruneData } from '#server/core/events';
import type { ModelMessage } from '#server/core/model-messages';
import { pruneLimits } from '#server/context/budget';
import { type CompactionOutcome, compactSession } from '#server/context/compact-session';
import type { ContextDependencies, ContextRequest } from '#server/context/context-request';
import { scale } from '#server/context/current-tokens';
import { type Look, fits, lookAt, usageOf } from '#server/context/look';
import { type PruneRules, planPrune } from '#server/context/plan-prune';

/** What a step sends, and what was done to get there. */
export interface PreparedContext {
  readonly messages: ModelMessage[];
  readonly usage: ContextUsage;
  readonly tokens: {
    readonly before: number;
    readonly afterPrune: number;
    readonly afterCompact: number;
    readonly final: number;
  };
  readonly prunedOutputs: number;
  readonly compaction: CompactionOutcome | null;
}

const NOTHING_PRUNED: PruneData = { outputsPruned: 0, tokensSaved: 0, prunedTools: [] };

/**
 * Keeps a session inside a model's window: check, prune, compact, convert. The plans are pure and in the files
 * beside this one; here they are carried out through the effects it was given. Nothing stored is ever deleted.
 */
export class ContextManager {
  readonly #deps: ContextDependencies;

  constructor(dependencies: ContextDependencies) {
    this.#deps = dependencies;
  }

  /** The session's context for a model, as it stands. Changes nothing. */
  async inspect(
    request: ContextRequest,
  ): Promise<{ usage: ContextUsage; messages: ModelMessage[]; prunableTokens: number }> {
    const look = await this.#look(request);
    const prunable = planPrune(look.stored.messages, { ...this.#pruneRules(look), minimum: 0 });
    return { usage: usageOf(look), messages: look.messages, prunableTokens: scale(prunable.tokensSaved, look.target) };
  }

  /**
   * The messages of the next step, under the usable limit: as they are when they fit, else pruned, else compacted,
   * at the very last with every tool output cleared.
   * @param force prune and compact although it seems to fit (the provider said it does not)
   * @throws ContextOverflowError when even that does not fit; everything stored stays as it is
   */
  async prepare(request: ContextRequest, force?: CompactionReason): Promise<PreparedContext> {
    const reason = force ?? 'overflow';
    const before = await this.#look(request);
    const need = (look: Look) => force !== undefined || !fits(look);

    const pruned = need(before) ? await this.#prune(request, reason, this.#pruneRules(before), before) : NOTHING_PRUNED;
    const afterPrune = pruned.outputsPruned > 0 ? await this.#look(request) : before;

    const order = { reason, wait: true, wasPruned: pruned.outputsPruned > 0 };
    const compaction = need(afterPrune) ? await compactSession(this.#deps, request, order) : null;
    // Also when this one had nothing to do: another may have run while it waited.
    const afterCompact = need(afterPrune) ? await this.#look(request) : afterPrune;

    const cleared = fits(afterCompact) ? NOTHING_PRUNED : await this.#prune(request, reason, CLEAR_ALL, afterCompact);
    const final = cleared.outputsPruned > 0 ? await this.#look(request) : afterCompact;
    if (!fits(final)) throw overflowError(final);
    return {
      messages: final.messages,
      usage: usageOf(final),
      tokens: {
        before: before.measured.currentTokens,
        afterPrune: afterPrune.measured.currentTokens,
        afterCompact: afterCompact.measured.currentTokens,
        final: final.measured.currentTokens,
      },
      prunedOutputs: pruned.outputsPruned + cleared.outputsPruned,
      compaction,
    };
  }

  /** Clears old tool outputs where that saves enough to be worth the lost prompt cache. */
  async prune(request: ContextRequest, reason: CompactionTrigger): Promise<PruneData> {
    const look = await this.#look(request);
    return this.#prune(request, reason, this.#pruneRules(look), look);
  }

  /**
   * Compacts now, whether needed or not. Null when there is nothing to compact.
   * @throws ConflictError while another compaction of the session runs
   */
  async compact(request: ContextRequest, instructions?: string): Promise<CompactionOutcome | null> {
    return compactSession(this.#deps, request, { reason: 'manual', instructions, wait: false, wasPruned: false });
  }

  #look(request: ContextRequest): Promise<Look> {
    return lookAt(this.#deps.store, this.#deps.settings, request.sessionId, request.target);
  }

  #pruneRules(look: Look): PruneRules {
    const { settings } = this.#deps;
    const configured = { protect: settings.pruneProtect, minimum: settings.pruneMinimum };
    return {
      ...pruneLimits(look.budget, configured),
      protectedTurns: settings.minTurnsToKeep,
      exemptTools: settings.exemptTools,
    };
  }

  async #prune(request: ContextRequest, reason: CompactionTrigger, rules: PruneRules, look: Look): Promise<PruneData> {
    const plan = planPrune(look.stored.messages, rules);
    if (plan.parts.length === 0) return NOTHING_PRUNED;
    const tokensBefore = look.measured.currentTokens;
    const tokensSaved = scale(plan.tokensSaved, look.target);
    const { modelId } = look.target;
    const tokensAfter = Math.max(0, tokensBefore - tokensSaved);
    await this.#deps.store.savePrune(request.sessionId, {
      trigger: reason,
      tokensBefore,
      tokensAfter,
      parts: plan.parts,
      modelId,
    });
    const data = { outputsPruned: plan.parts.length, tokensSaved, prunedTools: plan.tools };
    request.listener?.onPrune?.(data);
    return data;
  }
}

/** The last resort: even the newest outputs are cleared, the calls stay and name how to read them again. */
const CLEAR_ALL: PruneRules = { protect: 0, minimum: 0, protectedTurns: 0, exemptTools: new Set() };

function overflowError({ measured, budget, messages }: Look): ContextOverflowError {
  const { currentTokens, breakdown } = measured;
  return new ContextOverflowError(
    `The request needs ${currentTokens.toLocaleString('en-US')} tokens but only ` +
      `${budget.usable.toLocaleString('en-US')} are usable, even after pruning and compaction. ` +
      'Shorten the newest message or choose a model with a larger window.',
    { details: { currentTokens, usableTokens: budget.usable, messages: messages.length, breakdown: { ...breakdown } } },
  );
}
