import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Env } from '#server/env';
import { builtIn } from '#server/models/providers/built-in';
import { openAICompatible } from '#server/models/providers/openai-compatible';
import { openRouter } from '#server/models/providers/openrouter';
import type { CreateProvider, ModelSource, Provider } from '#server/models/providers/provider';

/** Every provider, in the order in which they are asked for an id. OpenRouter takes any `vendor/name`: it comes last. */
const createProviders: readonly CreateProvider[] = [builtIn, openAICompatible, openRouter];

/** The source of a model id; null when no configured provider serves it. */
export type FindSource = (id: string) => ModelSource | null;

/** Beside what is configured, and before it. */
export interface ModelOverrides {
  /** Models that answer under an id. */
  readonly models?: Readonly<Record<string, LanguageModelV4>>;
  readonly providers?: readonly Provider[];
}

export interface ModelSources {
  /** See `ModelRegistry.resolve` for the forms of an id. */
  readonly find: FindSource;
  /** What providers offer by themselves. */
  readonly ids: readonly string[];
}

/** Knows which configured provider serves an id. */
export function createModelSources(env: Env, { models = {}, providers: others = [] }: ModelOverrides): ModelSources {
  const configured = createProviders.map((create) => create(env)).filter((provider) => provider !== null);
  const providers = [...others, ...configured];
  return {
    find(id) {
      const model = Object.hasOwn(models, id) ? models[id] : undefined;
      if (model) return { id, provider: 'built-in', create: () => model };
      for (const provider of providers) {
        const source = provider.find(id);
        if (source) return source;
      }
      return null;
    },
    ids: providers.flatMap(({ ids = [] }) => ids),
  };
}
