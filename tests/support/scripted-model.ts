import { setImmediate as nextTick } from 'node:timers/promises';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** One answer of the model: what it streams, or the error that the request itself fails with. */
export type ScriptedStep =
  | readonly LanguageModelV4StreamPart[]
  | Error
  /** Streams through a callback; ends when the promise does, fails when it rejects. */
  | ((write: (part: LanguageModelV4StreamPart) => void, options: LanguageModelV4CallOptions) => Promise<void>);

export interface ScriptedModel {
  readonly model: LanguageModelV4;
  /** Every request so far. */
  readonly requests: readonly LanguageModelV4CallOptions[];
}

/** The end of a step, with the usage a provider would report. */
export function finish(
  reason: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' = 'stop',
  usage: { input: number; output: number } | null = { input: 100, output: 10 },
): LanguageModelV4StreamPart {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: usage?.input, noCache: usage?.input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: usage?.output, text: usage?.output, reasoning: undefined },
    },
  };
}

/** A block of text, one chunk each. */
export function textBlock(id: string, ...chunks: string[]): LanguageModelV4StreamPart[] {
  return [
    { type: 'text-start', id },
    ...chunks.map((delta) => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id },
  ];
}

/** A tool call; `input` as the model wrote it, JSON or not. */
export function toolCall(toolCallId: string, toolName: string, input: string): LanguageModelV4StreamPart[] {
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input },
  ];
}

/** A whole step that says this and stops. */
export function says(text: string): ScriptedStep {
  return [...textBlock('t', text), finish()];
}

/** A step that streams these parts, and ends on request. */
export function heldStep(...parts: readonly LanguageModelV4StreamPart[]) {
  const said = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const step: ScriptedStep = async (write) => {
    for (const part of parts) write(part);
    said.resolve();
    await go.promise;
    write(finish(parts.some((part) => part.type === 'tool-call') ? 'tool-calls' : 'stop'));
  };
  return { step, said: said.promise, end: go.resolve };
}

/** A step that streams these parts and then nothing more, until it is aborted. */
export function hangingStep(...parts: readonly LanguageModelV4StreamPart[]) {
  const said = Promise.withResolvers<void>();
  const step: ScriptedStep = (write, { abortSignal }) => {
    for (const part of parts) write(part);
    said.resolve();
    return new Promise((_, reject) =>
      abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error)),
    );
  };
  return { step, said: said.promise };
}

/** A model that answers its requests with the given steps, in order; it fails when there are no more. */
export function scriptedModel(...steps: readonly ScriptedStep[]): ScriptedModel {
  const requests: LanguageModelV4CallOptions[] = [];
  return {
    requests,
    model: {
      specificationVersion: 'v4',
      provider: 'scripted',
      modelId: 'scripted',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('The scripted model only streams.')),
      doStream(options) {
        const step = steps[requests.push(options) - 1] ?? new Error('The script has no more steps.');
        return step instanceof Error ? Promise.reject(step) : Promise.resolve({ stream: streamOf(step, options) });
      },
    },
  };
}

function streamOf(step: Exclude<ScriptedStep, Error>, options: LanguageModelV4CallOptions) {
  return new ReadableStream<LanguageModelV4StreamPart>({
    async start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] });
      try {
        if (typeof step === 'function') await step((part) => controller.enqueue(part), options);
        else for (const part of step) controller.enqueue(part);
        controller.close();
      } catch (error) {
        // An error discards unread parts.
        while ((controller.desiredSize ?? 1) < 1) await nextTick();
        controller.error(error);
      }
    },
  });
}
