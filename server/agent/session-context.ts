import { setTimeout as delay } from 'node:timers/promises';
import { generateText } from 'ai';
import {
  instructions as baseInstructions,
  pruningAgentInstructions,
  pruningAgentRequest,
  summarizationInstructions,
  summarizationRequest,
} from '#prompts/prompts';
import { classifyProviderError, type ProviderErrorKind } from '#server/agent/provider-errors';
import { toUsage } from '#server/agent/sdk-messages';
import { toolboxOfScopes, toolSchemaText } from '#server/agent/toolboxes';
import { type ModelTarget, type ModelWindow, createBudget, maxOutputTokens as outputCap } from '#server/context/budget';
import type { Calibrations } from '#server/context/current-tokens';
import { roomForRequest } from '#server/context/context-snapshot';
import type { ContextRequest, Summarizer, SummarizerFault, SummaryAnswer, SummaryRequest } from '#server/context/ports';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { SAME_MODEL } from '#server/context/settings/setting-definitions';
import { countRecurringTokens, countTokens, vocabularyOf } from '#server/context/tokens';
import { BudgetReachedError, UnknownModelError } from '#server/core/errors';
import type { Session } from '#server/core/sessions';
import { allows, type Scope } from '#server/core/access-rights';
import type { Bill } from '#server/core/spending';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { ModelRegistry, OpenedModel, ResolvedModel } from '#server/models/model-registry';
import type { Toolbox } from '#server/tools/tool';

/** The sources of a session's context beside the session itself. */
export interface ContextSources {
  readonly models: ModelRegistry;
  readonly settings: () => ContextSettings;
  /** Learned from reported usage; see server/context/current-tokens. */
  readonly calibrations: Pick<Calibrations, 'factor'>;
  /** The tools of a conversation as they are now, for a model of so many usable tokens (default: the last one's). */
  readonly toolboxOf: (sessionId: string, usable?: number) => Toolbox;
  /** Loads a tool that is not offered until it is; names those that made room. @throws ToolError where it cannot be */
  readonly loadTool: (sessionId: string, name: string) => Promise<readonly string[]>;
  /** Notes that tools were called: where not all can be offered, they stay longest. */
  readonly noteUse: (sessionId: string, names: readonly string[]) => Promise<void>;
  /** Reads again which tools the conversation has loaded. */
  readonly refreshTools: (sessionId: string) => Promise<void>;
  /** The site's standing instructions as models read them, and the way to read them anew. */
  readonly standing: {
    readonly current: (siteId: string) => string;
    readonly refresh: (siteId: string) => Promise<void>;
  };
}

/** Instructions of every step of a session: ours, then the site's own, then what the session brought along. */
export function sessionInstructions(standing: string, session: Pick<Session, 'instructions'>): string {
  return [baseInstructions, standing, session.instructions].filter(Boolean).join('\n\n');
}

const NO_SITE =
  'You have no tools for the site here and know nothing of it: who speaks to you may not read it. Say so where you are asked to look at it or to change it.';

/**
 * The same, of a session whose site's instructions are those that were read last. Who may not read the site is not told
 * them either.
 * @param scopes see toolboxFor
 */
export function instructionsOf(
  { standing }: Pick<ContextSources, 'standing'>,
  session: Session,
  scopes: readonly Scope[] = ['admin'],
): string {
  return sessionInstructions(allows(scopes, 'content:read') ? standing.current(session.siteId) : NO_SITE, session);
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

/** Tokens that a request of a model may fill. @param modelId null: the default model @throws UnknownModelError */
export function usableOf({ models, settings }: Pick<ContextSources, 'models' | 'settings'>, modelId: string | null) {
  return createBudget(models.limits(models.canonicalId(modelId)), settings(), 0).usable;
}

/**
 * The model that a session works with, with what is sent with every request of it.
 * @param modelId another model than the session's
 * @param scopes see toolboxFor
 * @throws UnknownModelError
 */
export function contextTarget(
  sources: ContextSources,
  session: Session,
  modelId: string | null | undefined,
  scopes?: readonly Scope[],
): ModelTarget {
  const { models } = sources;
  const asked = models.canonicalId(modelId ?? session.modelId);
  const toolbox = toolboxFor(sources, session.id, models.limits(asked), scopes);
  const texts = { instructions: instructionsOf(sources, session, scopes), tools: toolSchemaText(toolbox) };
  return modelTarget(sources, asked, texts);
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
  const target = contextTarget(sources, session, modelId, scopes);
  const summarizer = findSummarizer(sources, extras.strategy, target.modelId, billOf(session, 'summary'));
  return { sessionId: session.id, target, summarizer, ...extras };
}

/** The account of whoever has a session, for a call that is made in it. */
export function billOf({ id, ownerId }: Pick<Session, 'id' | 'ownerId'>, kind: Bill['kind']): Bill {
  return { userId: ownerId, sessionId: id, kind };
}

/** Says which budget is used up for calls of this model; null where they may be made. */
export async function budgetRefusal(model: Pick<ResolvedModel, 'requireBudget'>, bill: Bill): Promise<string | null> {
  try {
    await model.requireBudget(bill);
    return null;
  } catch (error) {
    if (error instanceof BudgetReachedError) return error.message;
    throw error;
  }
}

/** Most tokens of waiting messages joined into one, by our count; 0 where no model serves the session: one message. */
export function roomForWaiting(sources: ContextSources, session: Session, modelId: string | null): number {
  try {
    return roomForRequest(contextTarget(sources, session, modelId), sources.settings());
  } catch (error) {
    if (error instanceof UnknownModelError) return 0;
    throw error;
  }
}

/**
 * Asks the providers for the windows of their models again, and waits for a while: a local server that has refused a
 * request may have loaded a shorter one.
 */
export async function rereadLimits(
  { models, settings }: Pick<ContextSources, 'models' | 'settings'>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const { modelRefreshMaxWait } = settings();
  const limit = delay(modelRefreshMaxWait, undefined, { signal: AbortSignal.any([signal, over.signal]) });
  await Promise.race([models.refresh(true), limit.catch(() => undefined)]);
  over.abort();
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
  const { contextWindow, maxOutputTokens, tokenFactor, warning, ...limits } = models.limits(modelId);
  // Another model looks at pictures, when this one asks it to: it is sent none itself.
  const acceptsImages = limits.acceptsImages && (models.pictureModelId ?? modelId) === modelId;
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
 * none where that is the basic assistant or not served.
 * @param bill the account that it writes on
 * @param instructions what a writer of narratives is told; default: of a session that works on a website
 */
export function findSummarizer(
  { models, settings: current, calibrations }: Pick<ContextSources, 'models' | 'settings' | 'calibrations'>,
  strategy: ContextRequest['strategy'],
  modelId: string,
  bill: Bill,
  instructions?: string,
): Summarizer | null {
  const settings = current();
  const isAgent = (strategy ?? settings.strategy) === 'pruning-agent' && settings.pruningAgentModel !== SAME_MODEL;
  const id = isAgent ? settings.pruningAgentModel : (models.compactionModelId ?? modelId);
  if (id === OFFLINE_MODEL_ID) return null;
  try {
    const resolved = models.resolve(id);
    const factor = calibrations.factor(resolved.id, resolved.limits.tokenFactor);
    const summarizer = createSummarizer({ ...resolved, model: resolved.open(bill) }, settings, factor, instructions);
    return { ...summarizer, mayAsk: async () => (await budgetRefusal(resolved, bill)) === null };
  } catch (error) {
    if (error instanceof UnknownModelError) return null;
    throw error;
  }
}

/** Tokens for what a model thinks before it writes; small windows have less. */
const THINKING_TOKENS = 8_000;

/**
 * Summaries written by a model: no tools, one call each, no retries (the engine decides, and has its fallbacks). No
 * temperature is sent: some models refuse it.
 * @param tokenFactor what a token of our count is in this model's
 * @param instructions of what it summarizes; default: a session that works on a website
 */
export function createSummarizer(
  { id, model, limits }: OpenedModel,
  settings: ContextSettings,
  tokenFactor: number,
  instructions: string = summarizationInstructions,
): Summarizer {
  const vocabulary = vocabularyOf(id);
  const fixed = countRecurringTokens(instructions, vocabulary) + REQUEST_TOKENS;
  const outputReserve = THINKING_TOKENS + settings.narrativeMaxTokens;
  const { usable } = createBudget(limits, { ...settings, outputReserve }, fixed);
  // A whole transcript is only estimated: other text than what the factor was learned on may be dearer, and what was
  // learned of requests full of tools makes it no cheaper than the model's own.
  const factor = Math.max(tokenFactor, limits.tokenFactor) * (1 + settings.estimateMargin);
  const call = async (
    told: string,
    prompt: string,
    { maxTokens, problem, signal }: Pick<SummaryRequest, 'maxTokens' | 'problem' | 'signal'>,
  ): Promise<SummaryAnswer> => {
    // What takes longer is given up for a summary without a model.
    const timeout = AbortSignal.timeout(settings.summaryCallTimeout);
    const thinking = problem === undefined ? THINKING_TOKENS : THINKING_TOKENS * 2;
    const sent = countTokens(prompt, vocabulary) + countRecurringTokens(told, vocabulary);
    const { text, finishReason, usage } = await generateText({
      model,
      instructions: told,
      prompt,
      maxOutputTokens: Math.min(
        Math.ceil(maxTokens * factor) + thinking,
        outputCap(limits, limits.contextWindow - Math.ceil(sent * factor)),
      ),
      maxRetries: 0,
      abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { text, finishReason, usage: toUsage(usage) };
  };
  return {
    modelId: id,
    inputTokens: Math.floor(usable / factor) - fixed,
    count: (text) => countTokens(text, vocabulary),
    summarize: ({ transcript, instructions: focus, ...rest }) => {
      const prompt = summarizationRequest(transcript, { words: wordsOf(rest.maxTokens), focus, problem: rest.problem });
      return call(instructions, prompt, rest);
    },
    prune: ({ transcript, tokens, roomTokens, ...rest }) => {
      const wishes = { words: wordsOf(rest.maxTokens), problem: rest.problem };
      const prompt = pruningAgentRequest(transcript, wishes, { tokens, roomTokens });
      return call(pruningAgentInstructions, prompt, rest);
    },
    explain: explainFault,
  };
}

/** The sentences of a request around its transcript: the user's focus and what was wrong before included. */
const REQUEST_TOKENS = 300;

/** Words that stay well below so many tokens: of English a third below, of most other languages still below. */
function wordsOf(tokens: number): number {
  return Math.floor(tokens / 2);
}

/** Errors with which the same request would fail again. */
const LASTING: ReadonlySet<ProviderErrorKind> = new Set(['auth', 'credit', 'context-overflow', 'invalid-request']);

function explainFault(error: unknown): SummarizerFault {
  const { kind, message, retryAfterMs } = classifyProviderError(error);
  return { reason: message, mayPass: !LASTING.has(kind), retryAfterMs };
}
