import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createModelFetch, LOCAL_SILENCE, silenceLimits } from '#server/models/model-fetch';
import type { CreateProvider } from '#server/models/providers/provider';

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
