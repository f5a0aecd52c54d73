import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type LanguageModelV4, type LanguageModelV4StreamPart, type LanguageModelV4ToolCall } from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { wrapLanguageModel } from 'ai';
import { z } from 'zod';
import type { Env } from '#server/platform/config/env';
import { parseJson } from '#server/core/json';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { Connection } from '#server/models/connections';
import type { LocalConnection } from '#server/models/local-connection';
import type { LocalModel } from '#server/models/local-servers';
import { findKnownModel, type ModelLimits } from '#server/models/model-limits';
import { createCountingFetch } from '#server/models/wire/exact-count';
import { createLocalFetch } from '#server/models/wire/local-fetch';
import { withRepairedCalls } from '#server/models/wire/repaired-calls';
import { type Rule, withEmptyContent, withPortableMessages } from '#server/models/wire/portable-messages';
import { createOfflineModel } from '#server/models/offline/offline-model';

/** A model with its provider. */
export interface ModelSource {
  /** The complete id. */
  readonly id: string;
  readonly provider: string;
  readonly create: () => LanguageModelV4;
  /** The same model, which reports the tokens of each request instead of answering it. Undefined: it cannot. */
  readonly createCounter?: () => LanguageModelV4;
  /** Limits that the provider itself knows, preferred to the table and the catalog. */
  readonly limits?: ModelLimits;
  /** The local server that runs it, and its name there. */
  readonly local?: { readonly server: LocalConnection; readonly name: string };
}

/** Serves models under its ids. A new provider needs one file here and a line in `ownProviders`. */
export interface Provider {
  /** The model with this id; null if the provider does not serve it. */
  find(id: string): ModelSource | null;
  /** Ids that it offers in addition to those of the table and the catalog. */
  readonly ids?: readonly string[];
}

/** Creates the provider of a connection. */
export type CreateProvider = (connection: Connection, options: ProviderOptions) => Provider;

/** What a provider sends its requests with. */
export interface ProviderOptions {
  /** Sends its requests, and aborts if the model stays silent too long. */
  readonly fetch: typeof fetch;
  /** Returns the provider's own name for a model whose id differs from the name in its list. */
  readonly wireName: (modelId: string) => string | undefined;
  /** The connection as a local server. */
  readonly local?: LocalConnection;
}

// The SDK would print its warnings, which quote conversations.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Prefix of model ids of the OpenAI-compatible server. */
export const LOCAL_PREFIX = 'local/';

/** An OpenAI-compatible server: `local/<its name for the model>`. */
export const openAICompatible: CreateProvider = ({ baseUrl: baseURL, apiKey }, { fetch, local }) => {
  const key = apiKey === undefined ? {} : { apiKey };
  const serverWith = (send: typeof fetch) =>
    createOpenAICompatible({
      name: 'local',
      baseURL,
      includeUsage: true,
      fetch: send,
      transformRequestBody: withEmptyContent,
      ...key,
    });
  const server = serverWith(createLocalFetch(fetch));
  const counting = local && serverWith(createCountingFetch((body) => local.countTokens(body)));
  const learned: Parameters<typeof withPortableMessages>[1] = new Map();
  const portable = (model: LanguageModelV4) =>
    withPortableMessages(model, learned, () => rulesOf(local?.find(model.modelId) ?? null));
  return {
    find(id) {
      if (!id.startsWith(LOCAL_PREFIX) || id === LOCAL_PREFIX) return null;
      const name = id.slice(LOCAL_PREFIX.length);
      const create = () => withRepairedCalls(portable(server.chatModel(name)));
      const createCounter = counting && (() => portable(counting.chatModel(name)));
      return {
        id,
        provider: 'openai-compatible',
        create,
        ...(createCounter && { createCounter }),
        ...(local && { local: { server: local, name } }),
      };
    },
  };
};

/** Changes of requests that the description of a model requires. */
function rulesOf(model: LocalModel | null): readonly Rule[] {
  return model?.acceptsParallelCalls === false ? ['single-calls'] : [];
}

/** Prefixes of ids that OpenRouter never serves. */
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
        create: () => withRepairedCalls(withoutFaults(service.chat(id, { usage: { include: true } }))),
      };
    },
  };
};

/** The basic assistant, always available. */
export const builtIn = ({ OFFLINE_CHUNK_DELAY_MS: chunkDelayMs }: Env): Provider => ({
  find: (id) =>
    id === OFFLINE_MODEL_ID
      ? { id, provider: 'built-in', create: () => createOfflineModel({ modelId: id, chunkDelayMs }) }
      : null,
});

/**
 * A model of OpenRouter's package, without two of its faults: it cancels a stream that an abort has already ended,
 * which is an unhandled rejection for each answer that was cut; and it runs a call whose arguments are not JSON with
 * `{}`.
 */
function withoutFaults(model: LanguageModelV4): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ model: original, params }) {
        const { stream, ...rest } = await original.doStream({ ...params, includeRawChunks: true });
        return { ...rest, stream: repairedStream(stream) };
      },
    },
  });
}

/** The stream, whose calls have the arguments as received; it can only be ended by aborting the call. */
function repairedStream(stream: ReadableStream<LanguageModelV4StreamPart>): typeof stream {
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

/** The part of a streamed response that contains its calls, in pieces. */
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

/** The arguments of a response's calls as received. The ids of the calls cannot be used: the package replaces some. */
class ReceivedArguments {
  /** By index of the call; calls that the package has emitted are removed. */
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

  /**
   * The call, with the received arguments if they are not JSON: the SDK then refuses it. A call that received no
   * arguments has none.
   */
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
