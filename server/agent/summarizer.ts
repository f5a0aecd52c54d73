import { generateText } from 'ai';
import { summarizationInstructions, summarizationRequest } from '#prompts/summarization';
import { createBudget } from '#server/context/budget';
import type { Summarizer } from '#server/context/ports';
import { countTokens } from '#server/context/tokens';
import { toUsage } from '#server/agent/step-usage';
import type { ResolvedModel } from '#server/models/model-registry';

/** Low, so that facts are copied and not varied (design section 8). */
const TEMPERATURE = 0.3;
/** A summary that takes longer is given up for the ledger summary: milliseconds. */
const TIMEOUT_MS = 120_000;
/** Set aside for the summary itself: tokens. */
const OUTPUT_RESERVE = 2_000;

/** Summaries written by a model: no tools, one call, no retries (the engine has a fallback). */
export function createSummarizer({ id, model, limits }: ResolvedModel): Summarizer {
  const fixed = countTokens(summarizationInstructions) + countTokens(summarizationRequest('', ''));
  const { usable } = createBudget(limits, OUTPUT_RESERVE, fixed);
  return {
    modelId: id,
    inputTokens: Math.floor(usable / limits.tokenFactor) - fixed,
    async summarize({ transcript, instructions, maxOutputTokens, signal }) {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const result = await generateText({
        model,
        instructions: summarizationInstructions,
        prompt: summarizationRequest(transcript, instructions),
        temperature: TEMPERATURE,
        maxOutputTokens,
        maxRetries: 0,
        abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      return { text: result.text, finishReason: result.finishReason, usage: toUsage(result.usage) };
    },
  };
}
