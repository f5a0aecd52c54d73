import { instructions as baseInstructions } from '#prompts/instructions';
import { UnknownModelError } from '#server/core/errors';
import type { Session } from '#server/core/messages';
import type { ContextRequest } from '#server/context/context-request';
import type { Calibrations } from '#server/context/calibrations';
import { type ContextSettings, SAME_MODEL } from '#server/context/context-settings';
import type { StrategyName } from '#server/core/strategies';
import type { Summarizer } from '#server/context/ports';
import { countRecurringTokens } from '#server/context/tokens';
import { vocabularyOf } from '#server/context/vocabulary';
import { createSummarizer } from '#server/agent/summarizer';
import { toolSchemaText } from '#server/agent/tool-set';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { ModelRegistry } from '#server/models/model-registry';
import { tools } from '#server/tools/index';

/** What a session's context is made of beside the session itself. */
export interface ContextSources {
  readonly models: ModelRegistry;
  readonly settings: () => ContextSettings;
  /** Learned from reported usage; see server/context/calibrations. */
  readonly calibrations: Pick<Calibrations, 'factor'>;
}

const toolText = toolSchemaText(tools);

/** What every step of a session is instructed with: ours, then what the session brought along. */
export function sessionInstructions(session: Pick<Session, 'instructions'>): string {
  return session.instructions ? `${baseInstructions}\n\n${session.instructions}` : baseInstructions;
}

/**
 * A session as the engine is asked about it, for one model.
 * @param modelId another model than the session's, for figures or a request of its own
 * @throws UnknownModelError
 */
export function contextRequest(
  { models, settings, calibrations }: ContextSources,
  session: Session,
  modelId: string | null | undefined,
  extras: Pick<ContextRequest, 'listener' | 'signal' | 'strategy'> = {},
): ContextRequest {
  const asked = models.canonicalId(modelId ?? session.modelId);
  const { contextWindow, maxOutputTokens, tokenFactor, warning } = models.limits(asked);
  const vocabulary = vocabularyOf(asked);
  return {
    sessionId: session.id,
    target: {
      modelId: asked,
      contextWindow,
      maxOutputTokens,
      warning,
      tokenFactor: calibrations.factor(asked, tokenFactor),
      fixed: {
        instructions: countRecurringTokens(sessionInstructions(session), vocabulary),
        tools: countRecurringTokens(toolText, vocabulary),
      },
    },
    summarizer: findSummarizer({ models, settings, calibrations }, extras.strategy, asked),
    ...extras,
  };
}

/**
 * The model that writes for this strategy: the pruning agent's own, the configured summary model, else the session's;
 * none where that is the offline assistant or not served.
 */
function findSummarizer(
  { models, settings: current, calibrations }: ContextSources,
  strategy: StrategyName | undefined,
  modelId: string,
): Summarizer | null {
  const settings = current();
  const isAgent = (strategy ?? settings.strategy) === 'pruning-agent' && settings.pruningAgentModel !== SAME_MODEL;
  const id = isAgent ? settings.pruningAgentModel : (models.compactionModelId ?? modelId);
  if (id === OFFLINE_MODEL_ID) return null;
  try {
    const resolved = models.resolve(id);
    return createSummarizer(resolved, settings, calibrations.factor(resolved.id, resolved.limits.tokenFactor));
  } catch (error) {
    if (error instanceof UnknownModelError) return null;
    throw error;
  }
}
