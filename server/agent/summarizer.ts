import { type LanguageModel, generateText } from 'ai';
import { pruningAgentInstructions, pruningAgentRequest } from '#prompts/pruning-agent';
import { summarizationInstructions, summarizationRequest } from '#prompts/summarization';
import { createBudget } from '#server/context/budget';
import type { ContextSettings } from '#server/context/context-settings';
import type { Summarizer, SummaryAnswer } from '#server/context/ports';
import { countTokens } from '#server/context/tokens';
import { toUsage } from '#server/agent/step-usage';
import type { ResolvedModel } from '#server/models/model-registry';

/** A summary that takes longer is given up for one without a model: milliseconds. */
const TIMEOUT_MS = 120_000;

interface Call {
  readonly instructions: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal | undefined;
}

/** A whole transcript is only estimated: other text than what the factor was learned on may be dearer. */
const ESTIMATE_MARGIN = 1.1;

/**
 * Summaries written by a model: no tools, one call each, no retries (the engine has its fallbacks).
 * @param tokenFactor what a token of our count is in this model's
 */
export function createSummarizer(
  { id, model, limits }: ResolvedModel,
  settings: ContextSettings,
  tokenFactor: number,
): Summarizer {
  const fixed = countTokens(summarizationInstructions) + countTokens(summarizationRequest('', ''));
  const { usable } = createBudget(limits, settings, fixed);
  const call = (request: Call) => ask(model, settings.summaryTemperature, request);
  return {
    modelId: id,
    inputTokens: Math.floor(usable / (tokenFactor * ESTIMATE_MARGIN)) - fixed,
    summarize: ({ transcript, instructions, ...rest }) =>
      call({
        instructions: summarizationInstructions,
        prompt: summarizationRequest(transcript, instructions),
        ...rest,
      }),
    prune: ({ transcript, ...rest }) =>
      call({ instructions: pruningAgentInstructions, prompt: pruningAgentRequest(transcript), ...rest }),
  };
}

async function ask(
  model: LanguageModel,
  temperature: number,
  { instructions, prompt, maxOutputTokens, signal }: Call,
): Promise<SummaryAnswer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
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
