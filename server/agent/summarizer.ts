import { type LanguageModel, generateText } from 'ai';
import { pruningAgentInstructions, pruningAgentRequest } from '#prompts/pruning-agent';
import { summarizationInstructions, summarizationRequest } from '#prompts/summarization';
import { createBudget } from '#server/context/room/budget';
import type { ContextSettings } from '#server/context/context-settings';
import type { Summarizer, SummarizerFault, SummaryAnswer } from '#server/context/ports';
import { countRecurringTokens, countTokens } from '#server/context/tokens';
import { vocabularyOf } from '#server/context/counting/vocabulary';
import { type ProviderErrorKind, classifyProviderError } from '#server/agent/provider-errors';
import { toUsage } from '#server/agent/step-usage';
import type { ResolvedModel } from '#server/models/model-registry';

interface Call {
  readonly instructions: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Summaries written by a model: no tools, one call each, no retries (the engine decides, and has its fallbacks).
 * @param tokenFactor what a token of our count is in this model's
 * @param instructions of what it summarizes; default: a session that works on a website
 */
export function createSummarizer(
  { id, model, limits }: ResolvedModel,
  settings: ContextSettings,
  tokenFactor: number,
  instructions: string = summarizationInstructions,
): Summarizer {
  const vocabulary = vocabularyOf(id);
  const fixed =
    countRecurringTokens(instructions, vocabulary) + countRecurringTokens(summarizationRequest('', ''), vocabulary);
  const { usable } = createBudget(limits, settings, fixed);
  const call = (request: Call) => ask(model, settings, request);
  return {
    modelId: id,
    // A whole transcript is only estimated: other text than what the factor was learned on may be dearer.
    inputTokens: Math.floor(usable / (tokenFactor * (1 + settings.estimateMargin))) - fixed,
    count: (text) => countTokens(text, vocabulary),
    summarize: ({ transcript, instructions: focus, ...rest }) =>
      call({ instructions, prompt: summarizationRequest(transcript, focus), ...rest }),
    prune: ({ transcript, tokens, roomTokens, ...rest }) => {
      const prompt = pruningAgentRequest(transcript, tokens, roomTokens);
      return call({ instructions: pruningAgentInstructions, prompt, ...rest });
    },
    explain: explainFault,
  };
}

/** The same request would fail in the same way. */
const LASTING: ReadonlySet<ProviderErrorKind> = new Set(['auth', 'context-overflow', 'invalid-request']);

function explainFault(error: unknown): SummarizerFault {
  const { kind, message, retryAfterMs } = classifyProviderError(error);
  return { reason: message, mayPass: !LASTING.has(kind), retryAfterMs };
}

async function ask(
  model: LanguageModel,
  { summaryTemperature: temperature, summaryCallTimeout }: ContextSettings,
  { instructions, prompt, maxOutputTokens, signal }: Call,
): Promise<SummaryAnswer> {
  // What takes longer is given up for a summary without a model.
  const timeout = AbortSignal.timeout(summaryCallTimeout);
  const { text, finishReason, usage } = await generateText({
    model,
    instructions,
    prompt,
    temperature,
    maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  return { text, finishReason, usage: toUsage(usage) };
}
