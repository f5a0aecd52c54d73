import { createBreathing } from '#server/core/breathe';
import type { ContextUsage } from '#server/core/events';
import type { Usage } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import { createBudget } from '#server/context/room/budget';
import { type Measured, fixedTokens, measure } from '#server/context/counting/current-tokens';
import type { ContextDependencies, ContextRequest } from '#server/context/context-request';
import { priceParts } from '#server/context/counting/price-parts';
import type { PlanInput } from '#server/context/strategies/strategy';
import { type ViewMessage, buildView, toModelMessages } from '#server/context/view/view';

/** One look at a session: all that a plan depends on, what the model sees, and what that costs. */
export interface Look extends PlanInput {
  readonly view: readonly ViewMessage[];
  readonly messages: ModelMessage[];
  readonly measured: Measured;
}

/** Reads the session's view and measures it for a model, with others let through between the steps. */
export async function lookAt(
  deps: Pick<ContextDependencies, 'store' | 'settings'>,
  { sessionId, target }: Pick<ContextRequest, 'sessionId' | 'target'>,
): Promise<Look> {
  const settings = deps.settings();
  const loaded = await deps.store.loadView(sessionId);
  const breathe = createBreathing();
  const stored = priceParts(loaded, target);
  await breathe();
  const view = buildView(stored, target.modelId, target.acceptsImages);
  await breathe();
  const measured = measure(stored, view, target, settings);
  await breathe();
  return {
    stored,
    view,
    messages: toModelMessages(view),
    measured,
    budget: createBudget(target, settings, fixedTokens(target)),
    target,
    settings,
  };
}

/** Whether the next request is under the usable limit. */
export function fits(look: Look): boolean {
  return look.measured.currentTokens <= look.budget.usable;
}

/** The figures of a look, as REST and the stream report them. */
export function usageOf({ stored, measured, budget, target, messages }: Look): ContextUsage {
  const { currentTokens, source, breakdown } = measured;
  const reports = stored.messages.flatMap(({ usage }) => usage ?? []);
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
    cachedShare: cachedShare(reports),
    cost: { lastStep: reports.at(-1)?.cost ?? null },
    warning: target.warning,
  };
}

/** By the newest report that tells; our own estimate of a step that was cut, for one, does not. */
function cachedShare(reports: readonly Usage[]): number | null {
  const report = reports.findLast(({ cacheReadTokens }) => cacheReadTokens !== undefined);
  if (report?.cacheReadTokens === undefined || report.inputTokens <= 0) return null;
  return Math.min(1, report.cacheReadTokens / report.inputTokens);
}
