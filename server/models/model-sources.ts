import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import type { Env } from '#server/env';
import { fetchWithErrors } from '#server/models/fetch-with-errors';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { findKnownModel } from '#server/models/model-limits';
import { createOfflineModel } from '#server/models/offline/offline-model';

export type ModelProvider = 'built-in' | 'openrouter' | 'openai-compatible';

/** Where a model comes from. */
export interface ModelSource {
  /** The complete id, as its provider is asked for it here. */
  readonly id: string;
  readonly provider: ModelProvider;
  readonly create: () => LanguageModelV4;
}

/** The source of a model id; null when no configured provider serves it. */
export type FindSource = (id: string) => ModelSource | null;

/** For tests: models that answer under an id whatever is configured. */
export interface ModelOverrides {
  readonly models?: Readonly<Record<string, LanguageModelV4>>;
}

/** Begins the ids of the OpenAI-compatible server's models. */
export const LOCAL_PREFIX = 'local/';

/** Knows which configured provider serves an id: see `ModelRegistry.resolve` for the forms. */
export function createSourceFinder(env: Env, overrides: ModelOverrides): FindSource {
  const openRouter = openRouterModels(env);
  const local = localModels(env);
  return (id) => {
    const override = overrides.models && Object.hasOwn(overrides.models, id) ? overrides.models[id] : undefined;
    if (override) return { id, provider: 'built-in', create: () => override };
    if (id === OFFLINE_MODEL_ID) {
      return {
        id,
        provider: 'built-in',
        create: () => createOfflineModel({ modelId: id, chunkDelayMs: env.OFFLINE_CHUNK_DELAY_MS }),
      };
    }
    if (id.startsWith('throughline/')) return null;
    if (id.startsWith(LOCAL_PREFIX)) {
      const name = id.slice(LOCAL_PREFIX.length);
      return local && name !== '' ? { id, provider: 'openai-compatible', create: () => local(name) } : null;
    }
    const served = id.includes('/') ? id : findKnownModel(id)?.id;
    if (!openRouter || served === undefined || !/^[^/]+\/[^/]+$/.test(served) || served === OFFLINE_MODEL_ID)
      return null;
    return { id: served, provider: 'openrouter', create: () => openRouter(served) };
  };
}

function openRouterModels(env: Env): ((id: string) => LanguageModelV4) | null {
  if (env.OPENROUTER_API_KEY === undefined) return null;
  const provider = createOpenRouter({
    apiKey: env.OPENROUTER_API_KEY,
    baseURL: env.OPENROUTER_BASE_URL,
    compatibility: 'strict',
    appName: 'Throughline',
    fetch: fetchWithErrors,
  });
  return (id) => provider.chat(id, { usage: { include: true } });
}

function localModels(env: Env): ((name: string) => LanguageModelV4) | null {
  if (env.OPENAI_COMPATIBLE_BASE_URL === undefined) return null;
  const provider = createOpenAICompatible({
    name: 'local',
    baseURL: env.OPENAI_COMPATIBLE_BASE_URL,
    includeUsage: true,
    fetch: fetchWithErrors,
    ...(env.OPENAI_COMPATIBLE_API_KEY === undefined ? {} : { apiKey: env.OPENAI_COMPATIBLE_API_KEY }),
  });
  return (name) => provider.chatModel(name);
}
