import type { LanguageModelV4 } from '@ai-sdk/provider';
import { InvalidInputError, UnknownModelError } from '#server/core/errors';
import { InvalidEnvironmentError } from '#server/env';
import type { Env } from '#server/env';
import { knownModels, OFFLINE_MODEL_ID } from '#server/models/known-models';
import { findKnownModel, findLimits } from '#server/models/model-limits';
import type { ModelLimits } from '#server/models/model-limits';
import { createSourceFinder } from '#server/models/model-sources';
import type { FindSource, ModelOverrides, ModelProvider } from '#server/models/model-sources';

export type { ModelOverrides, ModelProvider };

/** A model ready to be called. */
export interface ResolvedModel {
  /** The id that its provider serves, always complete: `gpt-4o` was asked for, `openai/gpt-4o` is served. */
  readonly id: string;
  readonly model: LanguageModelV4;
  readonly limits: ModelLimits;
}

/** A model as the user may choose it. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly provider: ModelProvider;
}

/** The only way to a language model: no id is ever handed to the SDK as a string, so nothing reaches a gateway. */
export interface ModelRegistry {
  readonly defaultModelId: string;
  /** The model that writes summaries; null: the session's own. */
  readonly compactionModelId: string | null;
  /**
   * `throughline/offline`, `local/<id>` (the OpenAI-compatible server) or `vendor/name` (OpenRouter, with a key); a
   * bare name of a known model means OpenRouter's. Null or undefined: the default model.
   * @throws UnknownModelError when no configured provider serves it; InvalidInputError when it cannot be an id
   */
  resolve(modelId?: string | null): ResolvedModel;
  /**
   * Limits for figures about a model; unlike `resolve` also of a known model that no provider serves here.
   * @throws UnknownModelError when it is neither known nor served; InvalidInputError when it cannot be an id
   */
  limits(modelId?: string | null): ModelLimits;
  /** What may be chosen: every known model of the configured providers, the built-in one first. */
  list(): ModelChoice[];
}

const DEFAULT_OPENROUTER_MODEL = 'anthropic/claude-sonnet-5.5';
const MAX_ID_LENGTH = 200;
/** An answer may take at most this share of a window, whatever the model could write. */
const MAX_OUTPUT_SHARE = 0.5;

/**
 * Makes the registry of the configured providers.
 * @throws InvalidEnvironmentError when DEFAULT_MODEL or COMPACTION_MODEL names a model that none of them serves
 */
export function createModelRegistry(env: Env, overrides: ModelOverrides = {}): ModelRegistry {
  const findSource = createSourceFinder(env, overrides);
  const defaultModelId =
    env.DEFAULT_MODEL ?? (env.OPENROUTER_API_KEY === undefined ? OFFLINE_MODEL_ID : DEFAULT_OPENROUTER_MODEL);
  requireServed(findSource, { DEFAULT_MODEL: env.DEFAULT_MODEL, COMPACTION_MODEL: env.COMPACTION_MODEL });

  const limitsOf = (id: string) => fitToWindow(findLimits(id), env.CONTEXT_WINDOW);
  return {
    defaultModelId,
    compactionModelId: env.COMPACTION_MODEL ?? null,
    resolve(modelId) {
      const id = checkModelId(modelId ?? defaultModelId);
      const source = findSource(id);
      if (source === null) throw new UnknownModelError(id);
      return { id: source.id, model: source.create(), limits: limitsOf(source.id) };
    },
    limits(modelId) {
      const id = checkModelId(modelId ?? defaultModelId);
      const source = findSource(id);
      if (source === null && findKnownModel(id) === null) throw new UnknownModelError(id);
      return limitsOf(source?.id ?? id);
    },
    list: () => listChoices(env, findSource, limitsOf),
  };
}

function requireServed(findSource: FindSource, variables: Readonly<Record<string, string | undefined>>): void {
  const problems = Object.entries(variables).flatMap(([name, id]) =>
    id === undefined || findSource(id) !== null ? [] : [`${name} names "${id}", which no configured provider serves`],
  );
  if (problems.length > 0) throw new InvalidEnvironmentError(problems);
}

function checkModelId(id: string): string {
  if (id.length === 0 || id.length > MAX_ID_LENGTH) {
    throw new InvalidInputError(`A model id has 1 to ${MAX_ID_LENGTH} characters.`);
  }
  // Spaces, control and invisible characters, lone surrogates: no provider has such ids, and logs must stay readable.
  if (/[\p{C}\p{Z}]/u.test(id)) {
    throw new InvalidInputError('A model id has no spaces and no control or invisible characters.');
  }
  return id;
}

function fitToWindow(limits: ModelLimits, window: number | undefined): ModelLimits {
  const contextWindow = window ?? limits.contextWindow;
  const maxOutputTokens = Math.min(limits.maxOutputTokens, Math.floor(contextWindow * MAX_OUTPUT_SHARE));
  return { ...limits, contextWindow, maxOutputTokens };
}

function listChoices(env: Env, findSource: FindSource, limitsOf: (id: string) => ModelLimits): ModelChoice[] {
  const configured = [env.DEFAULT_MODEL, env.COMPACTION_MODEL].filter((id) => id !== undefined);
  const ids = new Set([...knownModels.map((model) => model.id), ...configured]);
  return [...ids].flatMap((id) => {
    const source = findSource(id);
    if (source === null) return [];
    const name = findKnownModel(id)?.name ?? id;
    return [{ id: source.id, name, contextWindow: limitsOf(source.id).contextWindow, provider: source.provider }];
  });
}
