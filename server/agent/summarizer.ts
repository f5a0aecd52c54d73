import { type LanguageModel, generateText } from 'ai';
import { pruningAgentInstructions, pruningAgentRequest } from '#prompts/pruning-agent';
import { summarizationInstructions, summarizationRequest } from '#prompts/summarization';
import { createBudget } from '#server/context/room/budget';
import type { ContextSettings } from '#server/context/context-settings';
import type { Summarizer, SummaryAnswer } from '#server/context/ports';
import { countRecurringTokens, countTokens } from '#server/context/tokens';
import { vocabularyOf } from '#server/context/counting/vocabulary';
import { toUsage } from '#server/agent/step-usage';
import type { ResolvedModel } from '#server/models/model-registry';

interface Call {
  readonly instructions: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Summaries written by a model: no tools, one call each, no retries (the engine has its fallbacks).
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
  };
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
