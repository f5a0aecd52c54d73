import type { LanguageModelV4 } from '@ai-sdk/provider';
import { jsonSchema, streamText, type ToolSet } from 'ai';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { classifyProviderError } from '#server/conversation/step/provider-errors';
import type { ProviderProblem } from '#server/core/admin/providers';
import { withCallStatus } from '#server/models/wire/call-status';

interface ToolFailure {
  readonly problem: ProviderProblem;
  /** For people; contains what to do. */
  readonly text: ServerText;
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
  return failed
    ? failureOf(failed.error, modelId)
    : { problem: 'tools', text: serverText('provider-test-no-tool-call', { model: modelId }) };
}

/** Parts that arrive before the server has answered. */
const BEGINNINGS: ReadonlySet<string> = new Set(['start', 'start-step']);

function silent(model: string, timeoutMs: number): ToolFailure {
  return { problem: 'model', text: serverText('provider-test-model-silent', { model, count: timeoutMs / 1_000 }) };
}

function failureOf(error: unknown, model: string): ToolFailure {
  const { kind, text } = classifyProviderError(error);
  if (kind === 'auth') return { problem: 'key', text };
  if (kind === 'credit') return { problem: 'credit', text };
  if (kind === 'no-tools')
    return { problem: 'tools', text: serverText('provider-test-of-model', { model, reason: text }) };
  if (kind === 'unavailable') return { problem: 'unreachable', text };
  return { problem: 'model', text: serverText('provider-test-no-answer', { model, reason: text }) };
}
