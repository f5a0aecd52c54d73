import { jsonSchema, streamText, type TextStreamPart, type ToolSet, wrapLanguageModel } from 'ai';
import type { JSONSchema7, LanguageModelV4, LanguageModelV4ToolChoice } from '@ai-sdk/provider';
import { z } from 'zod';
import { type JsonObject, type JsonValue, jsonValueSchema } from '#server/core/json';
import type { Usage } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import { neverDownload, toSdkRequest, toUsage } from '#server/agent/sdk-messages';
import type { OutputWatch } from '#server/agent/call-model';
import { EmptyStepError, FAULTY, FaultyStepError, isEmptyStep } from '#server/agent/provider-errors';
import { CLIENT_FIELDS } from '#server/models/client-fields';
import { imageDetails } from '#server/models/image-details';

/** A tool that somebody else runs: its schema goes to the model as it came. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonObject;
  readonly strict?: boolean;
}

/** Sampling parameters from the client. */
export interface ClientSampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly stopSequences?: string[];
  readonly seed?: number;
}

export interface ClientCall {
  readonly model: { readonly id: string; readonly model: LanguageModelV4 };
  readonly instructions: string | null;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ClientTool[];
  readonly toolChoice: LanguageModelV4ToolChoice;
  readonly sampling: ClientSampling;
  /** Fields of the provider's own request body, under the names that it gives them. */
  readonly extra: JsonObject;
  readonly maxOutputTokens: number;
  /** Counts the output and says when there is no more room. */
  readonly watch: OutputWatch;
  readonly signal: AbortSignal;
}

/** A piece of the model's answer. A call's `index` counts the calls of the step from 0. */
export type ClientEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  /** The step's thoughts as OpenRouter wants them back, signed or hidden ones among them. */
  | { readonly type: 'reasoning-details'; readonly details: readonly JsonValue[] };

/** Result of a step. */
export interface ClientOutcome {
  /** The AI SDK's: stop, length, tool-calls, content-filter, error, other. */
  readonly finishReason: string;
  /** The provider's report; null where there is none. */
  readonly usage: Usage | null;
  /** Ended by us, for want of room. */
  readonly wasCut: boolean;
  readonly error: unknown;
}

/**
 * One model call for a client that runs its own tools: every piece is passed on as it comes. When `watch` is full the
 * call is ended, but never in the middle of a tool call: half of one cannot be taken back, and its end is the
 * provider's. Failures are in the outcome.
 */
export async function* streamClientStep(call: ClientCall): AsyncGenerator<ClientEvent, ClientOutcome> {
  const ended = new AbortController();
  const extra = { ...call.extra, ...imageDetails(call.messages) };
  const { stream } = streamText({
    model: choosing(call),
    ...requestOf(call),
    ...call.sampling,
    tools: toolSetOf(call.tools),
    maxRetries: 0,
    maxOutputTokens: call.maxOutputTokens,
    abortSignal: AbortSignal.any([call.signal, ended.signal]),
    providerOptions: { openrouter: extra, local: extra, [CLIENT_FIELDS]: call.extra },
    experimental_download: neverDownload,
    // Errors are in the stream and handled there; the default would also print them.
    onError: () => undefined,
  });
  const calls = new OpenCalls();
  let outcome: ClientOutcome = { finishReason: 'other', usage: null, wasCut: false, error: undefined };
  let isFull = false;
  let details: readonly JsonValue[] = [];
  let hasContent = false;
  try {
    for await (const part of stream) {
      for (const event of eventsOf(part, calls)) {
        hasContent = true;
        yield event;
      }
      details = detailsOf(part) ?? details;
      if (part.type === 'finish-step' && details.length > 0) yield { type: 'reasoning-details', details };
      outcome = { ...outcome, ...endOf(part) };
      isFull = call.watch.add(part) || isFull;
      if (isFull && !calls.isOpen && part.type !== 'finish-step' && part.type !== 'finish') {
        return { ...outcome, wasCut: true };
      }
    }
  } catch (error) {
    outcome = { ...outcome, error };
  } finally {
    // Also when nobody reads on: the provider's connection ends here.
    ended.abort();
  }
  if (outcome.error !== undefined) return outcome;
  if (isEmptyStep({ ...outcome, hasContent })) return { ...outcome, error: new EmptyStepError() };
  // Clients know no finish reason for it, and would take the answer for whole.
  return outcome.finishReason === FAULTY ? { ...outcome, error: new FaultyStepError() } : outcome;
}

/**
 * The model, asked for the client's choice of a tool. The SDK itself would make an error of an answer that does not
 * obey.
 */
function choosing({ model, tools, toolChoice }: ClientCall): LanguageModelV4 {
  if (tools.length === 0) return model.model;
  return wrapLanguageModel({
    model: model.model,
    middleware: {
      specificationVersion: 'v4',
      transformParams: ({ params }) => Promise.resolve({ ...params, toolChoice }),
    },
  });
}

function requestOf({ instructions, messages, model }: ClientCall) {
  // The SDK wants a message, and instructions may be all there is: some clients write their whole request there.
  if (messages.length === 0) {
    return { messages: [{ role: 'system' as const, content: instructions ?? '' }], allowSystemInMessages: true };
  }
  const request = toSdkRequest(instructions ?? '', messages, model.id);
  return instructions === null || instructions === '' ? { messages: request.messages } : request;
}

function toolSetOf(tools: readonly ClientTool[]): ToolSet {
  const entries = tools.map(({ name, parameters, ...told }) => {
    return [name, { ...told, inputSchema: jsonSchema(parameters as JSONSchema7) }] as const;
  });
  return Object.fromEntries(entries);
}

/** The calls of a step in the order of their beginning. */
class OpenCalls {
  #count = 0;
  /** Their index, and whether anything of their arguments was passed on. */
  readonly #open = new Map<string, { readonly index: number; hasArguments: boolean }>();

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  begin(id: string): number {
    const index = this.#count;
    this.#count += 1;
    this.#open.set(id, { index, hasArguments: false });
    return index;
  }

  write(id: string): number | null {
    const call = this.#open.get(id);
    if (!call) return null;
    call.hasArguments = true;
    return call.index;
  }

  /** Null: it never began. */
  end(id: string): { readonly index: number; readonly hasArguments: boolean } | null {
    const call = this.#open.get(id) ?? null;
    this.#open.delete(id);
    return call;
  }
}

function* eventsOf(part: TextStreamPart<ToolSet>, calls: OpenCalls): Generator<ClientEvent> {
  switch (part.type) {
    case 'text-delta':
      if (part.text !== '') yield { type: 'text', text: part.text };
      return;
    case 'reasoning-delta':
      if (part.text !== '') yield { type: 'reasoning', text: part.text };
      return;
    case 'tool-input-start':
      yield { type: 'call', index: calls.begin(part.id), id: part.id, name: part.toolName };
      return;
    case 'tool-input-delta': {
      const index = part.delta === '' ? null : calls.write(part.id);
      if (index !== null) yield { type: 'arguments', index, text: part.delta };
      return;
    }
    case 'tool-call': {
      const { toolCallId: id, toolName: name } = part;
      const begun = calls.end(id);
      const index = begun?.index ?? calls.begin(id);
      calls.end(id);
      if (!begun) yield { type: 'call', index, id, name };
      // Some providers give a call only whole.
      if (!begun?.hasArguments) yield { type: 'arguments', index, text: argumentsOf(part.input) };
      return;
    }
    default:
  }
}

const detailsSchema = z.object({
  providerMetadata: z.object({ openrouter: z.object({ reasoning_details: z.array(jsonValueSchema).min(1) }) }),
});

/** All thoughts of the step up to this part; null where it tells nothing of them. */
function detailsOf(part: TextStreamPart<ToolSet>): readonly JsonValue[] | null {
  return detailsSchema.safeParse(part).data?.providerMetadata.openrouter.reasoning_details ?? null;
}

function argumentsOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}

function endOf(part: TextStreamPart<ToolSet>): Partial<ClientOutcome> {
  switch (part.type) {
    case 'finish-step':
      return { finishReason: part.finishReason, usage: toUsage(part.usage) };
    case 'error':
      return { error: part.error };
    case 'abort':
      return { error: new DOMException(part.reason ?? 'The answer was stopped.', 'AbortError') };
    default:
      return {};
  }
}
