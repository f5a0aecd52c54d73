import { instructions as baseInstructions } from '#prompts/instructions';
import { UnknownModelError } from '#server/core/errors';
import type { Session } from '#server/core/messages';
import type { ContextRequest } from '#server/context/context-request';
import type { ContextListener, Summarizer } from '#server/context/ports';
import { countTokens } from '#server/context/tokens';
import { createSummarizer } from '#server/agent/summarizer';
import { toolSchemaText } from '#server/agent/tool-set';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { ModelRegistry } from '#server/models/model-registry';
import { tools } from '#server/tools/index';

const toolTokens = countTokens(toolSchemaText(tools));

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
  models: ModelRegistry,
  session: Session,
  modelId: string | null | undefined,
  extras: { listener?: ContextListener; signal?: AbortSignal } = {},
): ContextRequest {
  const asked = modelId ?? session.modelId ?? models.defaultModelId;
  const { contextWindow, maxOutputTokens, tokenFactor } = models.limits(asked);
  return {
    sessionId: session.id,
    target: {
      modelId: asked,
      contextWindow,
      maxOutputTokens,
      tokenFactor,
      fixed: { instructions: countTokens(sessionInstructions(session)), tools: toolTokens },
    },
    summarizer: findSummarizer(models, asked),
    ...extras,
  };
}

/** The configured summary model, else the session's own; none where that is the offline assistant or not served. */
function findSummarizer(models: ModelRegistry, modelId: string): Summarizer | null {
  const id = models.compactionModelId ?? modelId;
  if (id === OFFLINE_MODEL_ID) return null;
  try {
    return createSummarizer(models.resolve(id));
  } catch (error) {
    if (error instanceof UnknownModelError) return null;
    throw error;
  }
}
