import type { LanguageModelV4 } from '@ai-sdk/provider';
import { jsonSchema, streamText, type ToolSet } from 'ai';
import { classifyProviderError } from '#server/conversation/step/provider-errors';
import type { ProviderProblem } from '#server/core/admin/providers';
import { withCallStatus } from '#server/models/wire/call-status';

interface ToolFailure {
  readonly problem: ProviderProblem;
  /** For people; contains what to do. */
  readonly message: string;
}

/** Enough for a model's reasoning before the call. A choice, not measured. */
const TRY_TOKENS = 4_000;

const tools: ToolSet = {
  ready: {
    description: 'Says that tools can be used.',
    inputSchema: jsonSchema({ type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }),
  },
};

interface TryLimits {
  /**
   * Longest silence, milliseconds. Time in which the server loads the model or answers another request does not count.
   */
  readonly silenceMs: number;
  /** Ends the attempt when its result is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks a model to call a tool, in the same form as in a turn; null if it calls it. Never throws. */
export async function tryTools(
  modelId: string,
  model: LanguageModelV4,
  { silenceMs, signal }: TryLimits,
): Promise<ToolFailure | null> {
  let failed: { readonly error: unknown } | null = null;
  const ended = new AbortController();
  const silence = new AbortController();
  const giveUp = () => silence.abort();
  let timer = setTimeout(giveUp, silenceMs);
  const sawLife = (counts: boolean) => {
    clearTimeout(timer);
    if (counts) timer = setTimeout(giveUp, silenceMs);
  };
  try {
    const { stream } = withCallStatus(
      ({ kind }) => sawLife(kind !== 'queued' && kind !== 'loading'),
      () =>
        streamText({
          model,
          instructions: 'You are asked to show that you can use tools.',
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Call the tool "ready" with the word "yes".' }] }],
          tools,
          toolChoice: 'auto',
          maxRetries: 0,
          maxOutputTokens: TRY_TOKENS,
          abortSignal: AbortSignal.any([ended.signal, silence.signal, ...(signal ? [signal] : [])]),
          onError: () => undefined,
        }),
    );
    for await (const part of stream) {
      if (part.type === 'tool-call') return null;
      if (part.type === 'error') failed ??= { error: part.error };
      if (part.type === 'abort') return silent(modelId, silenceMs);
      if (!BEGINNINGS.has(part.type)) sawLife(true);
    }
  } catch (error) {
    failed ??= { error };
  } finally {
    clearTimeout(timer);
    // Stops the rest of the answer, which would only cost time and money.
    ended.abort();
  }
  return failed ? failureOf(failed.error, modelId) : { problem: 'tools', message: didNotCall(modelId) };
}

/** Parts that arrive before the server has answered. */
const BEGINNINGS: ReadonlySet<string> = new Set(['start', 'start-step']);

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
  if (kind === 'no-tools') return { problem: 'tools', message: `${modelId}: ${message}` };
  if (kind === 'unavailable') return { problem: 'unreachable', message };
  return { problem: 'model', message: `${modelId} could not answer. ${message}` };
}
