import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4Message,
  type LanguageModelV4StreamPart,
  type LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { wrapLanguageModel } from 'ai';
import { z } from 'zod';
import type { Env } from '#server/config/env';
import { parseJson } from '#server/core/json';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { Connection } from '#server/models/connections';
import { findKnownModel, type ModelLimits } from '#server/models/model-limits';
import { createOfflineModel } from '#server/models/offline/offline-model';

/** A model with its provider. */
export interface ModelSource {
  /** The complete id. */
  readonly id: string;
  readonly provider: string;
  readonly create: () => LanguageModelV4;
  /** Limits known to the provider itself, preferred to the table and the catalog. */
  readonly limits?: ModelLimits;
}

/** Serves models under its own ids. A new one needs one file here and its line in `ownProviders`. */
export interface Provider {
  /** The model with this id; null if it is not one of its own. */
  find(id: string): ModelSource | null;
  /** Ids it offers besides those of the table and the catalog. */
  readonly ids?: readonly string[];
}

/** Creates the provider of a connection. */
export type CreateProvider = (connection: Connection, options: ProviderOptions) => Provider;

export interface ProviderOptions {
  /** Sends its requests, and gives up on a silent model. */
  readonly fetch: typeof fetch;
  /** Returns the provider's own name for a model that its list has under another name. */
  readonly wireName: (modelId: string) => string | undefined;
}

// The SDK would print its warnings, which quote what was said.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Prefix of ids of the OpenAI-compatible server's models. */
export const LOCAL_PREFIX = 'local/';

/** An OpenAI-compatible server: `local/<its name for the model>`. */
export const openAICompatible: CreateProvider = ({ baseUrl: baseURL, apiKey }, { fetch }) => {
  const key = apiKey === undefined ? {} : { apiKey };
  const server = createOpenAICompatible({ name: 'local', baseURL, includeUsage: true, fetch, ...key });
  const refusing = new Set<string>();
  return {
    find(id) {
      if (!id.startsWith(LOCAL_PREFIX) || id === LOCAL_PREFIX) return null;
      const name = id.slice(LOCAL_PREFIX.length);
      const create = () => withThoughtsWhereTaken(server.chatModel(name), refusing);
      return { id, provider: 'openai-compatible', create };
    },
  };
};

/**
 * A model whose server may refuse a request for the thoughts in it, as some do that give some: it is asked again without
 * them, and from then on so.
 * @param refusing names of the models that take none
 */
function withThoughtsWhereTaken(model: LanguageModelV4, refusing: Set<string>): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ doStream, model: original, params }) {
        const prompt = params.prompt.map(withoutThoughts);
        const askPlainly = () => original.doStream({ ...params, prompt });
        if (refusing.has(original.modelId)) return askPlainly();
        try {
          return await doStream();
        } catch (error) {
          const isRefused = APICallError.isInstance(error) && (error.statusCode === 400 || error.statusCode === 422);
          const isAboutThoughts = isRefused && /reasoning/i.test(`${error.message} ${error.responseBody ?? ''}`);
          if (!isAboutThoughts || prompt.every((message, index) => message === params.prompt[index])) throw error;
          const answer = await askPlainly();
          refusing.add(original.modelId);
          return answer;
        }
      },
    },
  });
}

function withoutThoughts(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'assistant' || message.content.every(({ type }) => type !== 'reasoning')) return message;
  return { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') };
}

/** Prefixes of ids that are never OpenRouter's. */
const NOT_ITS = ['throughline/', LOCAL_PREFIX];

/** OpenRouter: `vendor/name`, and a known model also by its bare name. */
export const openRouter: CreateProvider = ({ baseUrl: baseURL, apiKey = '' }, { fetch }) => {
  const service = createOpenRouter({ apiKey, baseURL, compatibility: 'strict', appName: 'Throughline', fetch });
  return {
    find(asked) {
      const id = asked.includes('/') ? asked : findKnownModel(asked)?.id;
      if (id === undefined || !/^[^/]+\/[^/]+$/.test(id) || NOT_ITS.some((prefix) => id.startsWith(prefix)))
        return null;
      return {
        id,
        provider: 'openrouter',
        create: () => withoutFaults(service.chat(id, { usage: { include: true } })),
      };
    },
  };
};

/** The basic assistant, always there. */
export const builtIn = ({ OFFLINE_CHUNK_DELAY_MS: chunkDelayMs }: Pick<Env, 'OFFLINE_CHUNK_DELAY_MS'>): Provider => ({
  find: (id) =>
    id === OFFLINE_MODEL_ID
      ? { id, provider: 'built-in', create: () => createOfflineModel({ modelId: id, chunkDelayMs }) }
      : null,
});

/**
 * A model of OpenRouter's package, without two of its faults: it cancels a stream that an abort has ended already, which
 * is an unhandled rejection for each answer that was cut; and it runs a call whose arguments are not JSON with `{}`.
 */
function withoutFaults(model: LanguageModelV4): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ model: original, params }) {
        const { stream, ...rest } = await original.doStream({ ...params, includeRawChunks: true });
        return { ...rest, stream: mendedStream(stream) };
      },
    },
  });
}

/** The stream, its calls with the arguments that came; it can only be ended by aborting the call. */
function mendedStream(stream: ReadableStream<LanguageModelV4StreamPart>): typeof stream {
  const reader = stream.getReader();
  const received = new ReceivedArguments();
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (value.type !== 'raw') return controller.enqueue(value.type === 'tool-call' ? received.mend(value) : value);
        received.add(value.rawValue);
      }
    },
  });
}

/** The part of a streamed answer that holds its calls, in pieces. */
const callPiecesSchema = z.object({
  choices: z.tuple([
    z.object({
      delta: z.object({
        tool_calls: z.array(
          z.object({
            index: z.number().nullish(),
            function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
          }),
        ),
      }),
    }),
  ]),
});

/** The arguments of an answer's calls as they came. The calls' own ids are no help: the package replaces some. */
class ReceivedArguments {
  /** By the index of the call; those that the package has passed on are removed. */
  readonly #calls = new Map<number, { readonly toolName: string; text: string }>();
  #count = 0;

  add(rawChunk: unknown): void {
    const { data } = callPiecesSchema.safeParse(rawChunk);
    for (const { index, function: piece } of data?.choices[0].delta.tool_calls ?? []) {
      const at = index ?? this.#count - 1;
      this.#count = Math.max(this.#count, at + 1);
      const call = this.#calls.get(at) ?? { toolName: piece?.name ?? '', text: '' };
      call.text += piece?.arguments ?? '';
      this.#calls.set(at, call);
    }
  }

  /** The call, with the arguments that came where they are not JSON: the SDK then refuses it. Without any it has none. */
  mend(call: LanguageModelV4ToolCall): LanguageModelV4ToolCall {
    const sameTool = [...this.#calls].filter(([, { toolName }]) => toolName === call.toolName);
    const found =
      sameTool.find(([, { text }]) => text === call.input) ??
      sameTool.find(([, { text }]) => parseJson(text) === undefined);
    if (!found) return call;
    const [at, { text }] = found;
    this.#calls.delete(at);
    return text.trim() === '' ? call : { ...call, input: text };
  }
}
