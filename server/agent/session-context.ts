import { instructions as baseInstructions } from '#prompts/instructions';
import { UnknownModelError } from '#server/core/errors';
import type { Session } from '#server/core/messages';
import type { Scope } from '#server/core/principal';
import { createBudget, type ModelWindow } from '#server/context/room/budget';
import type { ContextRequest } from '#server/context/context-request';
import type { ModelTarget } from '#server/context/counting/current-tokens';
import type { Calibrations } from '#server/context/counting/calibrations';
import { type ContextSettings, SAME_MODEL } from '#server/context/context-settings';
import type { Summarizer } from '#server/context/ports';
import { countRecurringTokens } from '#server/context/tokens';
import { vocabularyOf } from '#server/context/counting/vocabulary';
import { createSummarizer } from '#server/agent/summarizer';
import { toolSchemaText } from '#server/agent/tool-set';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { ModelRegistry } from '#server/models/model-registry';
import { toolboxOfScopes } from '#server/agent/toolbox-of-scopes';
import type { Toolbox } from '#server/tools/tool';

/** What a session's context is made of beside the session itself. */
export interface ContextSources {
  readonly models: ModelRegistry;
  readonly settings: () => ContextSettings;
  /** Learned from reported usage; see server/context/counting/calibrations. */
  readonly calibrations: Pick<Calibrations, 'factor'>;
  /** The tools of a conversation as they are now, for a model of so many usable tokens (default: the last one's). */
  readonly toolboxOf: (sessionId: string, usable?: number) => Toolbox;
  /** Reads again which tools the conversation has loaded. */
  readonly refreshTools: (sessionId: string) => Promise<void>;
  /** The site's standing instructions as models read them, and the way to read them anew. */
  readonly standing: { readonly current: () => string; readonly refresh: () => Promise<void> };
}

/** What every step of a session is instructed with: ours, then the site's own, then what the session brought along. */
export function sessionInstructions(
  { standing }: Pick<ContextSources, 'standing'>,
  session: Pick<Session, 'instructions'>,
): string {
  return [baseInstructions, standing.current(), session.instructions].filter(Boolean).join('\n\n');
}

/**
 * The tools that a model is offered in a session.
 * @param scopes what whoever it works for may do. Default: everything; figures of a session that no turn works in count
 * all its tools
 */
export function toolboxFor(
  { settings, toolboxOf }: Pick<ContextSources, 'settings' | 'toolboxOf'>,
  sessionId: string,
  model: ModelWindow,
  scopes: readonly Scope[] = ['admin'],
): Toolbox {
  return toolboxOfScopes(toolboxOf(sessionId, createBudget(model, settings(), 0).usable), scopes);
}

/**
 * A session as the engine is asked about it, for one model.
 * @param modelId another model than the session's, for figures or a request of its own
 * @throws UnknownModelError
 */
export function contextRequest(
  sources: ContextSources,
  session: Session,
  modelId: string | null | undefined,
  { scopes, ...extras }: Pick<ContextRequest, 'listener' | 'signal' | 'strategy'> & { scopes?: readonly Scope[] } = {},
): ContextRequest {
  const { models } = sources;
  const asked = models.canonicalId(modelId ?? session.modelId);
  const toolbox = toolboxFor(sources, session.id, models.limits(asked), scopes);
  return {
    sessionId: session.id,
    target: modelTarget(sources, asked, {
      instructions: sessionInstructions(sources, session),
      tools: toolSchemaText(toolbox),
    }),
    summarizer: findSummarizer(sources, extras.strategy, asked),
    ...extras,
  };
}

/**
 * A model as the engine needs it, with what is sent with every request.
 * @param modelId complete
 * @throws UnknownModelError
 */
export function modelTarget(
  { models, calibrations }: Pick<ContextSources, 'models' | 'calibrations'>,
  modelId: string,
  texts: { readonly instructions: string; readonly tools: string },
): ModelTarget {
  const { contextWindow, maxOutputTokens, tokenFactor, warning, acceptsImages } = models.limits(modelId);
  const vocabulary = vocabularyOf(modelId);
  return {
    modelId,
    contextWindow,
    maxOutputTokens,
    warning,
    acceptsImages,
    tokenFactor: calibrations.factor(modelId, tokenFactor),
    fixed: {
      instructions: countRecurringTokens(texts.instructions, vocabulary),
      tools: countRecurringTokens(texts.tools, vocabulary),
    },
  };
}

/**
 * The model that writes for this strategy: the pruning agent's own, the configured summary model, else the session's;
 * none where that is the offline assistant or not served.
 * @param instructions what a writer of narratives is told; default: of a session that works on a website
 */
export function findSummarizer(
  { models, settings: current, calibrations }: Pick<ContextSources, 'models' | 'settings' | 'calibrations'>,
  strategy: ContextRequest['strategy'],
  modelId: string,
  instructions?: string,
): Summarizer | null {
  const settings = current();
  const isAgent = (strategy ?? settings.strategy) === 'pruning-agent' && settings.pruningAgentModel !== SAME_MODEL;
  const id = isAgent ? settings.pruningAgentModel : (models.compactionModelId ?? modelId);
  if (id === OFFLINE_MODEL_ID) return null;
  try {
    const resolved = models.resolve(id);
    const factor = calibrations.factor(resolved.id, resolved.limits.tokenFactor);
    return createSummarizer(resolved, settings, factor, instructions);
  } catch (error) {
    if (error instanceof UnknownModelError) return null;
    throw error;
  }
}
