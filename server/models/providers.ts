import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { wrapLanguageModel } from 'ai';
import type { Env } from '#server/config/env';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { createModelFetch, LOCAL_SILENCE, SERVICE_SILENCE, silenceLimits } from '#server/models/model-fetch';
import { findKnownModel, type ModelLimits } from '#server/models/model-limits';
import { createOfflineModel } from '#server/models/offline/offline-model';

/** Where a model comes from. */
export interface ModelSource {
  /** The complete id, as its provider is asked for it here. */
  readonly id: string;
  /** Name of its provider. */
  readonly provider: string;
  readonly create: () => LanguageModelV4;
  /** Where its provider knows them better than the built-in table and what is published of models. */
  readonly limits?: ModelLimits;
}

/** Serves models under ids of its own. Adding one is one file here and its line in `createProviders`. */
export interface Provider {
  /** The model of this id; null where it is none of its own. */
  find(id: string): ModelSource | null;
  /** Ids of what it offers, beside those that the table of known models and the lists of the catalogue have. */
  readonly ids?: readonly string[];
}

/** Null where the environment does not configure it. */
export type CreateProvider = (env: Env) => Provider | null;

/** Begins the ids of the OpenAI-compatible server's models. */
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

/** Ids with these beginnings are never OpenRouter's, whatever it may come to list. */
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
 * The model, whose streams end by the abort of their call and by nothing else. OpenRouter's package cancels what an abort
 * has ended already, and nobody hears of that failure: an unhandled rejection for each answer that was cut.
 * Who gives up a stream has to abort the call.
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
