import { jsonSchema, streamText, type TextStreamPart, type ToolSet, wrapLanguageModel } from 'ai';
import type { JSONSchema7, LanguageModelV4, LanguageModelV4ToolChoice } from '@ai-sdk/provider';
import { z } from 'zod';
import { type JsonObject, type JsonValue, jsonValueSchema } from '#server/core/json';
import type { Usage } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import { neverDownload, toSdkRequest, toUsage } from '#server/conversation/step/sdk-messages';
import type { OutputWatch } from '#server/conversation/step/model-attempt';
import { EmptyStepError, FAULTY, FaultyStepError, isEmptyStep } from '#server/conversation/step/provider-errors';
import { RepetitionWatch } from '#server/conversation/step/repetition';
import { CLIENT_FIELDS } from '#server/models/wire/client-fields';
import { imageDetails } from '#server/models/wire/image-detail-levels';

/** A tool that the client runs: its schema goes to the model unchanged. */
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
  /** Fields of the provider's own request body, under the provider's names. */
  readonly extra: JsonObject;
  readonly maxOutputTokens: number;
  /** Counts the output and detects when no tokens are left. */
  readonly watch: OutputWatch;
  /** Ends an answer that repeats itself. */
  readonly watchesRepetition: boolean;
  readonly signal: AbortSignal;
}

/** A piece of the model's answer. `index` numbers the calls of the step from 0. */
export type ClientEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** These characters at the end of what was passed on only repeat what is before them. */
  | { readonly type: 'repetition'; readonly of: 'text' | 'reasoning'; readonly characters: number }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  /** The step's reasoning in the form in which OpenRouter expects it back, including signed and hidden parts. */
  | { readonly type: 'reasoning-details'; readonly details: readonly JsonValue[] };

/** Result of a step. */
export interface ClientOutcome {
  /** The AI SDK's: stop, length, tool-calls, content-filter, error, other. */
  readonly finishReason: string;
  /** The provider's report; null if it sent none. */
  readonly usage: Usage | null;
  /** Ended by this server because no tokens were left. */
  readonly wasCut: boolean;
  readonly error: unknown;
}

/**
 * One model call for a client that runs its own tools: every piece is passed on as it arrives. When `watch` reports its
 * limit the call is ended, but never in the middle of a tool call: half of one cannot be revoked, and only the provider
 * ends it. An answer that repeats itself is ended, too. Failures are part of the outcome.
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
    providerOptions: {
      openrouter: { ...extra, ...strictTools(call.tools) },
      local: extra,
      [CLIENT_FIELDS]: call.extra,
    },
    experimental_download: neverDownload,
    // Errors are handled in the stream; the default would also print them.
    onError: () => undefined,
  });
  const calls = new OpenCalls();
  let outcome: ClientOutcome = { finishReason: 'other', usage: null, wasCut: false, error: undefined };
  const repetition = { text: new RepetitionWatch(), reasoning: new RepetitionWatch() };
  let isFull = false;
  let details: readonly JsonValue[] = [];
  let hasContent = false;
  try {
    for await (const part of stream) {
      for (const event of eventsOf(part, calls)) {
        hasContent = true;
        if (call.watchesRepetition && (event.type === 'text' || event.type === 'reasoning')) {
          const surplus = repetition[event.type].add(event.text);
          if (surplus > 0) {
            yield* withoutSurplus(event, surplus);
            return outcome;
          }
        }
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
    // An error that the provider has reported says more than the end of its stream.
    outcome = { ...outcome, error: outcome.error ?? error };
  } finally {
    // Also runs if the reader stops early, to close the provider's connection.
    ended.abort();
  }
  if (outcome.error !== undefined) return outcome;
  if (isEmptyStep({ ...outcome, hasContent })) return { ...outcome, error: new EmptyStepError() };
  // Clients know no finish reason for it, and would take the answer for complete.
  return outcome.finishReason === FAULTY ? { ...outcome, error: new FaultyStepError() } : outcome;
}

/** The last piece of an answer that repeats itself; of earlier pieces the client can only be told. */
function* withoutSurplus(
  { type, text }: { readonly type: 'text' | 'reasoning'; readonly text: string },
  surplus: number,
): Generator<ClientEvent> {
  const rest = text.slice(0, -surplus);
  if (rest !== '') yield { type, text: rest };
  if (surplus > text.length) yield { type: 'repetition', of: type, characters: surplus - text.length };
}

/**
 * The model with the client's tool choice in its request. The SDK itself would treat an answer that ignores the choice
 * as an error.
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
  // The SDK requires a message, but some clients put their whole request into the instructions.
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

/** The field `tools` of a request to OpenRouter, whose package leaves out `strict`; empty if no tool has it. */
function strictTools(tools: readonly ClientTool[]): JsonObject {
  if (tools.every(({ strict }) => strict === undefined)) return {};
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: {
        name,
        ...(description !== undefined && { description }),
        parameters,
        ...(strict !== undefined && { strict }),
      },
    })),
  };
}

/** The calls of a step in the order in which they started. */
class OpenCalls {
  #count = 0;
  /** Index of each call, and whether any of its arguments were passed on. */
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

  /** Null: it never started. */
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
      // Some providers send a call only as a whole.
      if (!begun?.hasArguments) yield { type: 'arguments', index, text: argumentsOf(part.input) };
      return;
    }
    default:
  }
}

const detailsSchema = z.object({
  providerMetadata: z.object({ openrouter: z.object({ reasoning_details: z.array(jsonValueSchema).min(1) }) }),
});

/** All reasoning details of the step up to this part; null if the part contains none. */
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
