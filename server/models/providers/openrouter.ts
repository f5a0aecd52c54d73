import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { endsByAbort } from '#server/models/ends-by-abort';
import { createModelFetch, SERVICE_SILENCE, silenceLimits } from '#server/models/model-fetch';
import { findKnownModel } from '#server/models/model-limits';
import { LOCAL_PREFIX } from '#server/models/providers/openai-compatible';
import type { CreateProvider } from '#server/models/providers/provider';

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
