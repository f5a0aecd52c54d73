import type { LanguageModelV4 } from '@ai-sdk/provider';
import { InvalidInputError, UnknownModelError } from '#server/core/errors';
import { InvalidEnvironmentError } from '#server/env';
import type { Env } from '#server/env';
import { emptyCatalog, type ModelCatalog } from '#server/models/catalog/model-catalog';
import { knownModels, OFFLINE_MODEL_ID } from '#server/models/known-models';
import { findKnownModel, findLimits, findLocalLimits, fitToWindow } from '#server/models/model-limits';
import type { ModelLimits } from '#server/models/model-limits';
import { createSourceFinder, LOCAL_PREFIX } from '#server/models/model-sources';
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
  readonly maxOutputTokens: number;
  readonly provider: ModelProvider;
  /** False: the window is a cautious guess, and `warning` says what to do about it. */
  readonly known: boolean;
  readonly warning: string | null;
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
   * Limits for figures about a model, by the newest that is known of it now; unlike `resolve` also of a known model that no provider serves here.
   * @throws UnknownModelError when it is neither known nor served; InvalidInputError when it cannot be an id
   */
  limits(modelId?: string | null): ModelLimits;
  /** The complete id under which reports are kept: `gpt-4o` is `openai/gpt-4o`. @throws as `limits` */
  canonicalId(modelId?: string | null): string;
  /** What may be chosen: every known model of the configured providers, the built-in one first. */
  list(): ModelChoice[];
  /**
   * Reads again what providers and local servers say of their models, where that is old, or all of it if forced (after
   * a provider refused a request as too large, say). Never throws, and nothing has to wait for it.
   */
  refresh(force?: boolean): Promise<void>;
}

/** What the limits of models depend on besides the environment. */
export interface LimitSources {
  /** Default: nothing but the built-in table. */
  readonly catalog?: ModelCatalog;
  /** Windows that the administrator set, by model id; asked each time. Default: those of the environment. */
  readonly windowOverrides?: () => Readonly<Record<string, number>>;
}

const DEFAULT_OPENROUTER_MODEL = 'anthropic/claude-sonnet-5.5';
const MAX_ID_LENGTH = 200;

/**
 * Makes the registry of the configured providers.
 * @throws InvalidEnvironmentError when DEFAULT_MODEL or COMPACTION_MODEL names a model that none of them serves
 */
export function createModelRegistry(
  env: Env,
  overrides: ModelOverrides = {},
  sources: LimitSources = {},
): ModelRegistry {
  const { catalog = emptyCatalog, windowOverrides = () => env.CONTEXT_MODEL_WINDOWS } = sources;
  const findSource = createSourceFinder(env, overrides);
  const defaultModelId =
    env.DEFAULT_MODEL ?? (env.OPENROUTER_API_KEY === undefined ? OFFLINE_MODEL_ID : DEFAULT_OPENROUTER_MODEL);
  requireServed(findSource, { DEFAULT_MODEL: env.DEFAULT_MODEL, COMPACTION_MODEL: env.COMPACTION_MODEL });

  function limitsOf(id: string): ModelLimits {
    const limits = id.startsWith(LOCAL_PREFIX)
      ? findLocalLimits(id, catalog.local(id.slice(LOCAL_PREFIX.length)))
      : findLimits(id, catalog.published(id));
    return fitToWindow(limits, overriddenWindow(id, windowOverrides()) ?? env.CONTEXT_WINDOW);
  }

  function canonicalId(modelId?: string | null): string {
    const id = checkModelId(modelId ?? defaultModelId);
    const source = findSource(id);
    if (source === null && findKnownModel(id) === null) throw new UnknownModelError(id);
    return source?.id ?? id;
  }

  return {
    defaultModelId,
    compactionModelId: env.COMPACTION_MODEL ?? null,
    resolve(modelId) {
      const id = checkModelId(modelId ?? defaultModelId);
      const source = findSource(id);
      if (source === null) throw new UnknownModelError(id);
      return { id: source.id, model: source.create(), limits: limitsOf(source.id) };
    },
    limits: (modelId) => limitsOf(canonicalId(modelId)),
    canonicalId,
    list: () => listChoices({ env, findSource, limitsOf, catalog }),
    refresh: (force) => catalog.refresh(force),
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

/** A window set for exactly this id, or for the model that it is a release or variant of. */
function overriddenWindow(id: string, overrides: Readonly<Record<string, number>>): number | undefined {
  const ids = [id, id.startsWith(LOCAL_PREFIX) ? null : findKnownModel(id)?.id];
  const set = ids.find((each) => typeof each === 'string' && Object.hasOwn(overrides, each));
  return set === undefined || set === null ? undefined : overrides[set];
}

interface ChoiceSources {
  readonly env: Env;
  readonly findSource: FindSource;
  readonly limitsOf: (id: string) => ModelLimits;
  readonly catalog: ModelCatalog;
}

function listChoices({ env, findSource, limitsOf, catalog }: ChoiceSources): ModelChoice[] {
  const configured = [env.DEFAULT_MODEL, env.COMPACTION_MODEL].filter((id) => id !== undefined);
  const local = catalog.localNames().map((name) => `${LOCAL_PREFIX}${name}`);
  const ids = new Set([...knownModels.map((model) => model.id), ...configured, ...local]);
  return [...ids].flatMap((id) => {
    const source = findSource(id);
    if (source === null) return [];
    const name = findKnownModel(id)?.name ?? catalog.published(id)?.name ?? id;
    const { contextWindow, maxOutputTokens, known, warning } = limitsOf(source.id);
    return [{ id: source.id, name, contextWindow, maxOutputTokens, provider: source.provider, known, warning }];
  });
}
