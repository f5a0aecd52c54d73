import type { ContextUsage } from '#server/core/events';
import type { ModelMessage } from '#server/core/model-messages';
import { type Budget, createBudget } from '#server/context/budget';
import type { ContextSettings } from '#server/context/context-settings';
import { type Measured, type ModelTarget, fixedTokens, measure } from '#server/context/current-tokens';
import type { ContextStore } from '#server/context/ports';
import { type StoredView, buildView, toModelMessages } from '#server/context/view';

/** One look at a session: what is stored of its view, what the model sees, what it costs, what it may cost. */
export interface Look {
  readonly stored: StoredView;
  readonly messages: ModelMessage[];
  readonly measured: Measured;
  readonly budget: Budget;
  readonly target: ModelTarget;
}

/** Reads the session's view and measures it for a model. */
export async function lookAt(
  store: Pick<ContextStore, 'loadView'>,
  settings: ContextSettings,
  sessionId: string,
  target: ModelTarget,
): Promise<Look> {
  const stored = await store.loadView(sessionId);
  const view = buildView(stored, target.modelId);
  return {
    stored,
    messages: toModelMessages(view),
    measured: measure(stored, view, target),
    budget: createBudget(target, settings.outputReserve, fixedTokens(target)),
    target,
  };
}

/** Whether the next request is under the usable limit. */
export function fits(look: Look): boolean {
  return look.measured.currentTokens <= look.budget.usable;
}

/** The figures of a look, as REST and the stream report them. */
export function usageOf({ measured, budget, target, messages }: Look): ContextUsage {
  const { currentTokens, source, breakdown } = measured;
  return {
    modelId: target.modelId,
    contextWindow: budget.contextWindow,
    outputReserve: budget.outputReserve,
    usableTokens: budget.usable,
    currentTokens,
    percentUsed: Math.round((currentTokens / budget.usable) * 1_000) / 10,
    availableTokens: Math.max(0, budget.usable - currentTokens),
    isOverflow: currentTokens > budget.usable,
    source,
    breakdown,
    messageCount: messages.length,
  };
}
