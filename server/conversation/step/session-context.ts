import { setTimeout as delay } from 'node:timers/promises';
import { generateText, type ModelMessage as SdkModelMessage, type SystemModelMessage, type ToolSet } from 'ai';
import {
  instructions as baseInstructions,
  notesRequest,
  pruningAgentInstructions,
  pruningAgentRequest,
  summarizationInstructions,
  summarizationRequest,
} from '#prompts/prompts';
import { classifyProviderError, type ProviderErrorKind } from '#server/conversation/step/provider-errors';
import { neverDownload, toSdkRequest, toUsage } from '#server/conversation/step/sdk-messages';
import { REASONING_TOKENS } from '#server/context/ask-summarizer';
import { type ModelTarget, createBudget, maxOutputTokens as outputCap } from '#server/context/budget';
import type { Calibrations } from '#server/context/calibration';
import type { ContextRequest, Summarizer, SummarizerFault, SummaryAnswer, SummaryAttempt } from '#server/context/ports';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { SAME_MODEL } from '#server/context/settings/setting-definitions';
import { countRecurringTokens, countTokens, vocabularyOf } from '#server/context/tokens';
import { BudgetReachedError, UnknownModelError } from '#server/core/errors';
import { RESULTS_RECEIVED_LABEL } from '#server/core/conversation/labels';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import type { Session } from '#server/core/conversation/sessions';
import type { Bill } from '#server/core/admin/spending';
import type { ServerText } from '#server/core/coded-message';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { ModelRegistry, OpenedModel, ResolvedModel } from '#server/models/model-registry';
import { withinAnswerTime } from '#server/models/wire/call-status';

/** The models, and what was learned about their token counts. */
export interface ModelSources {
  readonly models: ModelRegistry;
  readonly calibrations: Calibrations;
}

/** Instructions of every step of a session: ours, then the site's, then those that came with the session. */
export function sessionInstructions(standing: string, instructions: string | null): string {
  return [baseInstructions, standing, instructions].filter(Boolean).join('\n\n');
}

/** Tokens that a request of a model may fill. @param modelId null: the default model @throws UnknownModelError */
export function usableTokens(models: ModelRegistry, settings: ContextSettings, modelId: string | null): number {
  return createBudget(models.limits(models.canonicalId(modelId)), settings, 0).usable;
}

/** The billing data of the session's owner, for a call that is made in the session. */
export function billOf({ id, ownerId }: Session, kind: Bill['kind']): Bill {
  return { userId: ownerId, sessionId: id, kind };
}

/** Returns which budget is used up for calls of this model; null if calls are allowed. */
export async function budgetRefusal(model: ResolvedModel, bill: Bill): Promise<ServerText | null> {
  try {
    await model.requireBudget(bill);
    return null;
  } catch (error) {
    if (error instanceof BudgetReachedError) return error.text;
    throw error;
  }
}

/**
 * Reloads the context windows from the providers, with a limited wait: a local server that refused a request may have
 * loaded a shorter one.
 */
export async function rereadLimits(
  models: ModelRegistry,
  { modelRefreshMaxWait }: ContextSettings,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const limit = delay(modelRefreshMaxWait, undefined, { signal: AbortSignal.any([signal, over.signal]) });
  await Promise.race([models.refresh(true), limit.catch(() => undefined)]);
  over.abort();
}

/**
 * A model for the engine, with what is sent with every request.
 * @param modelId complete
 * @throws UnknownModelError
 */
export function modelTarget(
  { models, calibrations }: ModelSources,
  modelId: string,
  texts: { readonly instructions: string; readonly tools: string },
): ModelTarget {
  const { contextWindow, maxOutputTokens, tokenFactor, warning, ...limits } = models.limits(modelId);
  // If another model is set for pictures, this one asks it about them and receives no images.
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

interface SummarizerChoice {
  readonly strategy: ContextRequest['strategy'];
  /** The model of the session. */
  readonly modelId: string;
  /** The account that is charged. */
  readonly bill: Bill;
  /** For the writer of narratives. Default: those for a session that works on a website. */
  readonly instructions?: string;
  /** What the session's own requests contain besides messages; undefined: another program makes them. */
  readonly own?: OwnRequests | undefined;
}

/** What every request of a session contains besides its messages, as it is now. */
export interface OwnRequests {
  instructions(): string;
  tools(): ToolSet;
  /** Loads the files that the messages only name. */
  expand(messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]>;
}

/**
 * The model that writes summaries for this strategy: the pruning agent's own, the configured summary model, else the
 * session's; none if that is the basic assistant or not available.
 */
export function findSummarizer(
  { models, calibrations }: ModelSources,
  settings: ContextSettings,
  { strategy, modelId, bill, instructions, own }: SummarizerChoice,
): Summarizer | null {
  const isAgent = (strategy ?? settings.strategy) === 'pruning-agent' && settings.pruningAgentModel !== SAME_MODEL;
  const id = isAgent ? settings.pruningAgentModel : (models.compactionModelId ?? modelId);
  if (id === OFFLINE_MODEL_ID) return null;
  try {
    const resolved = models.resolve(id);
    const factor = calibrations.factor(resolved.id, resolved.limits.tokenFactor);
    const opened = { ...resolved, model: resolved.open(bill) };
    const texts = { instructions, own: resolved.id === modelId ? own : undefined };
    const summarizer = createSummarizer(opened, settings, factor, texts);
    return { ...summarizer, mayAsk: async () => (await budgetRefusal(resolved, bill)) === null };
  } catch (error) {
    if (error instanceof UnknownModelError) return null;
    throw error;
  }
}

/**
 * Summaries written by a model: one call each, no retries (the engine decides, and has its fallbacks). No temperature is
 * sent, because some models refuse it.
 * @param tokenFactor tokens of this model per token of our count
 * @param texts `instructions`: for the kind of session; default: a session that works on a website. `own`: the requests
 * of the session, if it uses this model
 */
export function createSummarizer(
  { id, model, limits }: OpenedModel,
  settings: ContextSettings,
  tokenFactor: number,
  {
    instructions = summarizationInstructions,
    own,
  }: { readonly instructions?: string | undefined; readonly own?: OwnRequests | undefined } = {},
): Summarizer {
  const vocabulary = vocabularyOf(id);
  const fixed = countRecurringTokens(instructions, vocabulary) + REQUEST_TOKENS;
  const outputReserve = REASONING_TOKENS + settings.narrativeMaxTokens;
  const { usable } = createBudget(limits, { ...settings, outputReserve }, fixed);
  // The count of a whole transcript is only an estimate: text other than the calibrated text may cost more tokens, and
  // a factor learned from requests full of tools must not go below the model's default.
  const factor = Math.max(tokenFactor, limits.tokenFactor) * (1 + settings.estimateMargin);
  /** @param sent tokens of the request, in the model's tokens */
  const send = async (
    prompt: SummaryPrompt,
    sent: number,
    { maxTokens, problem, signal }: SummaryAttempt,
  ): Promise<SummaryAnswer> => {
    const thinking = problem === undefined ? REASONING_TOKENS : REASONING_TOKENS * 2;
    // A longer call is abandoned for a summary without a model.
    const { text, finishReason, usage } = await withinAnswerTime(settings.summaryCallTimeout, (timeout) =>
      generateText({
        model,
        ...prompt,
        maxOutputTokens: Math.min(
          Math.ceil(maxTokens * factor) + thinking,
          outputCap(limits, limits.contextWindow - sent),
        ),
        maxRetries: 0,
        abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        experimental_download: neverDownload,
      }),
    );
    return { text, finishReason, usage: toUsage(usage) };
  };
  const call = (told: string, prompt: string, attempt: SummaryAttempt) => {
    const sent = countTokens(prompt, vocabulary) + countRecurringTokens(told, vocabulary);
    return send({ instructions: told, prompt }, Math.ceil(sent * factor), attempt);
  };
  return {
    modelId: id,
    inputTokens: Math.floor(usable / factor) - fixed,
    count: (text) => countTokens(text, vocabulary),
    summarize: ({ transcript, instructions: focus, ...rest }) => {
      const prompt = summarizationRequest(transcript, { words: wordsOf(rest.maxTokens), focus, problem: rest.problem });
      return call(instructions, prompt, rest);
    },
    continueConversation:
      own &&
      (async ({ messages, tokens, ...rest }) => {
        const request = notesRequest(wordsOf(rest.maxTokens));
        const sdk = toSdkRequest(own.instructions(), await own.expand(messages), id);
        const prompt = { ...sdk, messages: withUserText(sdk.messages, request), tools: own.tools() };
        const sent = tokens + Math.ceil(countTokens(request, vocabulary) * factor);
        const answer = await send(prompt, sent, { ...rest, problem: undefined });
        // The calls are discarded, so the answer ended with its text.
        return answer.finishReason === 'tool-calls' ? { ...answer, finishReason: 'stop' } : answer;
      }),
    prune: ({ transcript, tokens, roomTokens, ...rest }) => {
      const wishes = { words: wordsOf(rest.maxTokens), problem: rest.problem };
      const prompt = pruningAgentRequest(transcript, wishes, { tokens, roomTokens });
      return call(pruningAgentInstructions, prompt, rest);
    },
    explain: explainFault,
  };
}

/** What a summarizer is sent: a prompt, or the messages of the conversation with its tools. */
type SummaryPrompt =
  | { readonly instructions: string; readonly prompt: string }
  | {
      readonly instructions: string | SystemModelMessage;
      readonly messages: SdkModelMessage[];
      readonly tools: ToolSet;
    };

const RESULTS_RECEIVED: SdkModelMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: RESULTS_RECEIVED_LABEL }],
};

/**
 * The messages with a text of the user's role at their end. It joins a last message of the user, and a text of the
 * assistant comes before it after tool results, because some chat templates accept only roles that alternate.
 */
function withUserText(messages: readonly SdkModelMessage[], text: string): SdkModelMessage[] {
  const last = messages.at(-1);
  const added = { type: 'text' as const, text };
  if (last?.role !== 'user') {
    const received = last?.role === 'tool' ? [RESULTS_RECEIVED] : [];
    return [...messages, ...received, { role: 'user', content: [added] }];
  }
  const content = typeof last.content === 'string' ? [{ type: 'text' as const, text: last.content }] : last.content;
  return [...messages.slice(0, -1), { ...last, content: [...content, added] }];
}

/**
 * Tokens of the sentences around the transcript, including the user's focus and the problem of the previous attempt.
 */
const REQUEST_TOKENS = 300;

/** Number of words that stays well below `tokens`: a third below for English, still below for most other languages. */
function wordsOf(tokens: number): number {
  return Math.floor(tokens / 2);
}

/** Kinds of errors with which the same request would fail again. */
const LASTING: ReadonlySet<ProviderErrorKind> = new Set(['auth', 'credit', 'context-overflow', 'invalid-request']);

function explainFault(error: unknown): SummarizerFault {
  const { kind, text, retryAfterMs } = classifyProviderError(error);
  return { reason: text, mayPass: !LASTING.has(kind), retryAfterMs };
}
