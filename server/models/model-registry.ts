import type { LanguageModelV4 } from '@ai-sdk/provider';
import { engineSettingsOf, type Env, InvalidEnvironmentError } from '#server/config/env';
import type { EngineSettings } from '#server/context/settings/context-settings';
import { AUTO_MODEL, SAME_MODEL } from '#server/context/settings/setting-definitions';
import { InvalidInputError, UnknownModelError } from '#server/core/errors';
import { knownModels, OFFLINE_MODEL_ID } from '#server/models/known-models';
import { emptyCatalog, type ModelCatalog } from '#server/models/model-catalog';
import {
  findKnownModel,
  findLimits,
  findLocalLimits,
  fitToWindow,
  type ModelLimits,
} from '#server/models/model-limits';
import {
  builtIn,
  type CreateProvider,
  LOCAL_PREFIX,
  type ModelSource,
  openAICompatible,
  openRouter,
  type Provider,
} from '#server/models/providers';

/** A model ready to be called. */
export interface ResolvedModel {
  /** The complete id: for `gpt-4o` it is `openai/gpt-4o`. */
  readonly id: string;
  readonly model: LanguageModelV4;
  readonly limits: ModelLimits;
}

/** A model that users can choose. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly provider: string;
  /** False if the window is a cautious guess; `warning` says what to do then. */
  readonly known: boolean;
  readonly warning: string | null;
  /** False: of an attached image the model gets the name only. */
  readonly acceptsImages: boolean;
}

/** The only access to language models. No id is handed to the SDK as a string, so nothing reaches a gateway. */
export interface ModelRegistry {
  /** The present setting, like `compactionModelId`. */
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
   * Present limits of a model, also of a known one that no configured provider serves.
   * @throws UnknownModelError for a model neither known nor served; InvalidInputError for an impossible id
   */
  limits(modelId?: string | null): ModelLimits;
  /** The complete id: `openai/gpt-4o` for `gpt-4o`. @throws like `limits` */
  canonicalId(modelId?: string | null): string;
  /** Models that can be chosen: all known ones of the configured providers, the built-in one first. */
  list(): ModelChoice[];
  /**
   * Reads old lists of models again, or all if forced (after a provider refused a request as too large, for example).
   * Never throws, and nothing has to wait for it.
   */
  refresh(force?: boolean): Promise<void>;
}

/** Settings about models. */
export type ModelSettings = Pick<EngineSettings, 'defaultModel' | 'compactionModel' | 'modelWindowOverrides'>;

/** Dependencies of the registry besides the environment. */
interface RegistrySources {
  /** Default: only the built-in table. */
  readonly catalog?: ModelCatalog;
  /** Called each time. Default: the environment's. */
  readonly settings?: () => ModelSettings;
}

/** Models and providers asked before the configured ones, for tests. */
export interface ModelOverrides {
  /** Models by id. */
  readonly models?: Readonly<Record<string, LanguageModelV4>>;
  readonly providers?: readonly Provider[];
}

/** All providers, in the order in which they are asked. OpenRouter takes any `vendor/name`, so it comes last. */
const createProviders: readonly CreateProvider[] = [builtIn, openAICompatible, openRouter];

const DEFAULT_OPENROUTER_MODEL = 'anthropic/claude-sonnet-5.5';
const MAX_ID_LENGTH = 200;

/**
 * Creates the registry of the configured providers.
 * @throws InvalidEnvironmentError if none of them serves DEFAULT_MODEL or COMPACTION_MODEL
 */
export function createModelRegistry(
  env: Env,
  overrides: ModelOverrides = {},
  { catalog = emptyCatalog, settings = () => engineSettingsOf(env) }: RegistrySources = {},
): ModelRegistry {
  const { find: findSource, ids: offered } = createModelSources(env, overrides);
  requireServed();

  function requireServed(): void {
    const { defaultModel: DEFAULT_MODEL, compactionModel: COMPACTION_MODEL } = engineSettingsOf(env);
    const required = {
      ...(DEFAULT_MODEL !== AUTO_MODEL && { DEFAULT_MODEL }),
      ...(COMPACTION_MODEL !== SAME_MODEL && { COMPACTION_MODEL }),
    };
    const problems = Object.entries(required).flatMap(([name, id]) =>
      findSource(id) !== null ? [] : [`${name} names "${id}", which no configured provider serves`],
    );
    if (problems.length > 0) throw new InvalidEnvironmentError(problems);
  }

  function defaultModelId(): string {
    const { defaultModel } = settings();
    if (defaultModel !== AUTO_MODEL) return findSource(defaultModel)?.id ?? defaultModel;
    return env.OPENROUTER_API_KEY === undefined ? OFFLINE_MODEL_ID : DEFAULT_OPENROUTER_MODEL;
  }

  function compactionModelId(): string | null {
    const { compactionModel } = settings();
    return compactionModel === SAME_MODEL ? null : compactionModel;
  }

  function limitsOf(id: string): ModelLimits {
    const elsewhere = id.startsWith(LOCAL_PREFIX)
      ? findLocalLimits(id, catalog.local(id.slice(LOCAL_PREFIX.length)))
      : findLimits(id, catalog.published(id));
    const limits = findSource(id)?.limits ?? elsewhere;
    return fitToWindow(limits, overriddenWindow(id, settings().modelWindowOverrides) ?? env.CONTEXT_WINDOW);
  }

  function canonicalId(modelId?: string | null): string {
    const id = checkModelId(modelId ?? defaultModelId());
    const source = findSource(id);
    if (source === null && findKnownModel(id) === null) throw new UnknownModelError(id);
    return source?.id ?? id;
  }

  function listChoices(): ModelChoice[] {
    const local = catalog.localNames().map((name) => `${LOCAL_PREFIX}${name}`);
    const set = [defaultModelId(), compactionModelId()].filter((id) => id !== null);
    const ids = [...knownModels.map(({ id }) => id), ...set, ...local, ...offered];
    const sources = ids.map(findSource).filter((source) => source !== null);
    // The bare name of a known model is the same choice.
    const byId = new Map(sources.map((source) => [source.id, source]));
    return [...byId.values()].map(({ id, provider }) => {
      const name = findKnownModel(id)?.name ?? catalog.published(id)?.name ?? id;
      const { contextWindow, maxOutputTokens, known, warning, acceptsImages } = limitsOf(id);
      return { id, name, contextWindow, maxOutputTokens, provider, known, warning, acceptsImages };
    });
  }

  return {
    get defaultModelId() {
      return defaultModelId();
    },
    get compactionModelId() {
      return compactionModelId();
    },
    resolve(modelId) {
      const id = checkModelId(modelId ?? defaultModelId());
      const source = findSource(id);
      if (source === null) throw new UnknownModelError(id);
      return { id: source.id, model: source.create(), limits: limitsOf(source.id) };
    },
    limits: (modelId) => limitsOf(canonicalId(modelId)),
    canonicalId,
    list: listChoices,
    refresh: (force) => catalog.refresh(force),
  };
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

/** The window configured for this id, or for the model of which it is a release or variant. */
function overriddenWindow(id: string, overrides: Readonly<Record<string, number>>): number | undefined {
  const ids = [id, id.startsWith(LOCAL_PREFIX) ? null : findKnownModel(id)?.id];
  const set = ids.find((each) => typeof each === 'string' && Object.hasOwn(overrides, each));
  return set === undefined || set === null ? undefined : overrides[set];
}

/** Creates the sources of all configured providers. `find` takes the ids of `ModelRegistry.resolve`. */
export function createModelSources(env: Env, { models = {}, providers: others = [] }: ModelOverrides) {
  const configured = createProviders.map((create) => create(env)).filter((provider) => provider !== null);
  const providers = [...others, ...configured];
  return {
    /** The source of a model id; null if no configured provider serves it. */
    find(this: void, id: string): ModelSource | null {
      const model = Object.hasOwn(models, id) ? models[id] : undefined;
      if (model) return { id, provider: 'built-in', create: () => model };
      for (const provider of providers) {
        const source = provider.find(id);
        if (source) return source;
      }
      return null;
    },
    /** Ids that providers offer themselves. */
    ids: providers.flatMap(({ ids = [] }) => ids),
  };
}
