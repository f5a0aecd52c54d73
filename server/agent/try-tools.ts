import type { LanguageModelV4 } from '@ai-sdk/provider';
import { jsonSchema, streamText, type ToolSet } from 'ai';
import { classifyProviderError } from '#server/agent/provider-errors';
import { NO_TOOLS } from '#server/core/provider-words';
import type { ProviderProblem } from '#server/core/providers';

interface ToolFailure {
  readonly problem: ProviderProblem;
  /** For a person; says what to do. */
  readonly message: string;
}

/** Enough for the thoughts of a model that thinks before it calls. */
const TRY_TOKENS = 4_000;

const tools: ToolSet = {
  ready: {
    description: 'Says that tools can be used.',
    inputSchema: jsonSchema({ type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }),
  },
};

/** Asks a model to use a tool; null where it does. Never throws. */
export async function tryTools(
  modelId: string,
  model: LanguageModelV4,
  timeoutMs: number,
): Promise<ToolFailure | null> {
  let failed: { readonly error: unknown } | null = null;
  const ended = new AbortController();
  try {
    const { stream } = streamText({
      model,
      prompt: 'Call the tool "ready" with the word "yes". Say nothing else.',
      tools,
      maxRetries: 0,
      maxOutputTokens: TRY_TOKENS,
      abortSignal: AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)]),
      onError: () => undefined,
    });
    for await (const part of stream) {
      if (part.type === 'tool-call') return null;
      if (part.type === 'error') failed ??= { error: part.error };
      if (part.type === 'abort') return silent(modelId, timeoutMs);
    }
  } catch (error) {
    failed ??= { error };
  } finally {
    // What else the model says is not waited for, nor paid.
    ended.abort();
  }
  return failed ? failureOf(failed.error, modelId) : { problem: 'tools', message: didNotCall(modelId) };
}

const didNotCall = (modelId: string) =>
  `${modelId} answers, but did not use the tool that it was asked to use: it could talk about the site and change nothing. Choose another model.`;

function silent(modelId: string, timeoutMs: number): ToolFailure {
  const message = `${modelId} did not answer within ${timeoutMs / 1_000} seconds. If it is being loaded, wait and try again; otherwise choose another model.`;
  return { problem: 'model', message };
}

function failureOf(error: unknown, modelId: string): ToolFailure {
  const { kind, message } = classifyProviderError(error);
  if (kind === 'auth') return { problem: 'key', message };
  if (kind === 'credit') return { problem: 'credit', message };
  // What the provider said stands behind our own words.
  if (kind === 'no-tools') return { problem: 'tools', message: message.replace(NO_TOOLS, `${modelId}: ${NO_TOOLS}`) };
  if (kind === 'unavailable') return { problem: 'unreachable', message };
  return { problem: 'model', message: `${modelId} could not answer. ${message}` };
}
