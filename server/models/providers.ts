import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { wrapLanguageModel } from 'ai';
import type { Env } from '#server/config/env';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { createModelFetch, LOCAL_SILENCE, SERVICE_SILENCE, silenceLimits } from '#server/models/model-fetch';
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

/** Serves models under its own ids. A new one needs one file here and its line in `createProviders`. */
export interface Provider {
  /** The model with this id; null if it is not one of its own. */
  find(id: string): ModelSource | null;
  /** Ids it offers besides those of the table and the catalog. */
  readonly ids?: readonly string[];
}

/** Creates a provider; null if the environment does not configure it. */
export type CreateProvider = (env: Env) => Provider | null;

/** Prefix of ids of the OpenAI-compatible server's models. */
export const LOCAL_PREFIX = 'local/';

/** The OpenAI-compatible server of the environment: `local/<its name for the model>`. */
export const openAICompatible: CreateProvider = (env) => {
  if (env.OPENAI_COMPATIBLE_BASE_URL === undefined) return null;
  const server = createOpenAICompatible({
    name: 'local',
    baseURL: env.OPENAI_COMPATIBLE_BASE_URL,
    includeUsage: true,
    fetch: createModelFetch(silenceLimits(env, LOCAL_SILENCE)),
    ...(env.OPENAI_COMPATIBLE_API_KEY === undefined ? {} : { apiKey: env.OPENAI_COMPATIBLE_API_KEY }),
  });
  return {
    find(id) {
      if (!id.startsWith(LOCAL_PREFIX) || id === LOCAL_PREFIX) return null;
      const name = id.slice(LOCAL_PREFIX.length);
      return { id, provider: 'openai-compatible', create: () => server.chatModel(name) };
    },
  };
};

/** Prefixes of ids that are never OpenRouter's. */
const NOT_ITS = ['throughline/', LOCAL_PREFIX];

/** OpenRouter, with a key: `vendor/name`, and a known model also by its bare name. */
export const openRouter: CreateProvider = (env) => {
  if (env.OPENROUTER_API_KEY === undefined) return null;
  const service = createOpenRouter({
    apiKey: env.OPENROUTER_API_KEY,
    baseURL: env.OPENROUTER_BASE_URL,
    compatibility: 'strict',
    appName: 'Throughline',
    fetch: createModelFetch(silenceLimits(env, SERVICE_SILENCE)),
  });
  return {
    find(asked) {
      const id = asked.includes('/') ? asked : findKnownModel(asked)?.id;
      if (id === undefined || !/^[^/]+\/[^/]+$/.test(id) || NOT_ITS.some((prefix) => id.startsWith(prefix)))
        return null;
      return { id, provider: 'openrouter', create: () => endsByAbort(service.chat(id, { usage: { include: true } })) };
    },
  };
};

/** The offline assistant, always there. */
export const builtIn: CreateProvider = ({ OFFLINE_CHUNK_DELAY_MS: chunkDelayMs }) => ({
  find: (id) =>
    id === OFFLINE_MODEL_ID
      ? { id, provider: 'built-in', create: () => createOfflineModel({ modelId: id, chunkDelayMs }) }
      : null,
});

/**
 * A model whose streams can only be ended by aborting the call. OpenRouter's package cancels a stream that an abort has
 * ended already, which is an unhandled rejection for each answer that was cut.
 */
function endsByAbort(model: LanguageModelV4): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream();
        return { ...rest, stream: uncancelled(stream) };
      },
    },
  });
}

function uncancelled(stream: ReadableStream<LanguageModelV4StreamPart>): typeof stream {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
