import type { LanguageModelV4 } from '@ai-sdk/provider';
import { engineSettingsOf, type Env, InvalidEnvironmentError } from '#server/config/env';
import type { EngineSettings } from '#server/context/settings/context-settings';
import { AUTO_MODEL, SAME_MODEL } from '#server/context/settings/setting-definitions';
import { InvalidInputError, UnknownModelError } from '#server/core/errors';
import type { Bill } from '#server/core/spending';
import { type ConnectableId, connectableIds } from '#server/core/provider-words';
import { type Connection, environmentConnections } from '#server/models/connections';
import { anthropic, findVendorModel, google, offeredIds, openAI, vendorIds } from '#server/models/direct-providers';
import { knownModels, OFFLINE_MODEL_ID } from '#server/models/known-models';
import { listCost, type TokenUsage } from '#server/models/list-prices';
import { meteredModel, openPurse, type Purse, type Tariff } from '#server/models/metered-model';
import { createModelFetch, LOCAL_SILENCE, SERVICE_SILENCE, silenceLimits } from '#server/models/model-fetch';
import { emptyCatalog, type ModelCatalog } from '#server/models/model-catalog';
import {
  findKnownModel,
  findLimits,
  findLocalLimits,
  findVendorLimits,
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
import { firstRecommended } from '#server/models/recommended';

/** A model that is served; whoever calls it says who pays. */
export interface ResolvedModel {
  /** The complete id: for `gpt-4o` it is `openai/gpt-4o`. */
  readonly id: string;
  readonly limits: ModelLimits;
  /** The model, each call of which is on this bill. */
  open(this: void, bill: Bill): LanguageModelV4;
  /** Asks before work that would end in a call. @throws BudgetReachedError when the bill may not grow */
  requireBudget(this: void, bill: Bill): Promise<void>;
}

/** A model with a bill, ready to be called. */
export interface OpenedModel extends Pick<ResolvedModel, 'id' | 'limits'> {
  readonly model: LanguageModelV4;
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
  /** US dollars of a turn by list prices; 0: it costs nothing; null: nobody says. */
  priceOf(this: void, turn: TokenUsage): number | null;
}

/** The only access to language models. No id is handed to the SDK as a string, so nothing reaches a gateway. */
export interface ModelRegistry {
  /** The present setting, like `compactionModelId`. */
  readonly defaultModelId: string;
  /** The model that writes summaries; null: the session's own. */
  readonly compactionModelId: string | null;
  /** The model that looks at pictures; null: the session's own. */
  readonly pictureModelId: string | null;
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
export type ModelSettings = Pick<
  EngineSettings,
  'defaultModel' | 'compactionModel' | 'pictureModel' | 'modelWindowOverrides'
>;

/** Dependencies of the registry besides the environment. */
interface RegistrySources {
  /** The connections; the same list until it changes. Default: the environment's. */
  readonly connections?: () => readonly Connection[];
  /** Default: only the built-in table. */
  readonly catalog?: ModelCatalog;
  /** Called each time. Default: the environment's. */
  readonly settings?: () => ModelSettings;
  /** Pays for calls. Default: nobody counts. */
  readonly purse?: Purse;
}

/** Models and providers asked before the configured ones, for tests. */
export interface ModelOverrides {
  /** Models by id. */
  readonly models?: Readonly<Record<string, LanguageModelV4>>;
  readonly providers?: readonly Provider[];
}

/** Providers that are there without being connected; null where the environment configures none. */
const ownProviders: readonly ((env: Env) => Provider | null)[] = [builtIn];

/** Creates the provider of each kind of connection. */
const createProviders: Readonly<Record<ConnectableId, CreateProvider>> = {
  'openai-compatible': openAICompatible,
  anthropic,
  openai: openAI,
  google,
  openrouter: openRouter,
};

/** The order in which providers are asked for a model: OpenRouter takes any `vendor/name`, so it comes last. */
const askingOrder = connectableIds.toSorted(
  (one, other) => Number(one === 'openrouter') - Number(other === 'openrouter'),
);

const MAX_ID_LENGTH = 200;

/**
 * Creates the registry of the configured providers.
 * @throws InvalidEnvironmentError if none of them serves DEFAULT_MODEL or COMPACTION_MODEL
 */
export function createModelRegistry(
  env: Env,
  overrides: ModelOverrides = {},
  {
    connections,
    catalog = emptyCatalog,
    settings = () => engineSettingsOf(env),
    purse = openPurse,
  }: RegistrySources = {},
): ModelRegistry {
  const wireName = (id: string) => catalog.vendorModel(id)?.wireName;
  const { find: findSource, ids: offered } = createModelSources(env, overrides, connections, wireName);
  requireServed();

  function requireServed(): void {
    const { defaultModel, compactionModel, pictureModel } = engineSettingsOf(env);
    const required = {
      ...(defaultModel !== AUTO_MODEL && { DEFAULT_MODEL: defaultModel }),
      ...(compactionModel !== SAME_MODEL && { COMPACTION_MODEL: compactionModel }),
      ...(pictureModel !== SAME_MODEL && { PICTURE_MODEL: pictureModel }),
    };
    const problems = Object.entries(required).flatMap(([name, id]) =>
      findSource(id) !== null ? [] : [`${name} names "${id}", which no configured provider serves`],
    );
    if (problems.length > 0) throw new InvalidEnvironmentError(problems);
  }

  function defaultModelId(): string {
    const { defaultModel } = settings();
    if (defaultModel !== AUTO_MODEL) return findSource(defaultModel)?.id ?? defaultModel;
    return firstRecommended(isOffered) ?? OFFLINE_MODEL_ID;
  }

  /** Null: the session's own model. */
  function modelFor(purpose: 'compactionModel' | 'pictureModel'): string | null {
    const id = settings()[purpose];
    return id === SAME_MODEL ? null : id;
  }

  function limitsOf(id: string): ModelLimits {
    const limits = findSource(id)?.limits ?? describedLimits(id);
    return fitToWindow(limits, overriddenWindow(id, settings().modelWindowOverrides) ?? env.CONTEXT_WINDOW);
  }

  function describedLimits(id: string): ModelLimits {
    if (id.startsWith(LOCAL_PREFIX)) return findLocalLimits(id, catalog.local(id.slice(LOCAL_PREFIX.length)));
    const own = catalog.vendorModel(id);
    return own ? findVendorLimits(id, own) : findLimits(id, catalog.published(id));
  }

  /** True if the model is served; a vendor that is asked directly may not offer all of its models that we know. */
  function isOffered(id: string): boolean {
    const source = findSource(id);
    const vendor = vendorIds.find((each) => each === source?.provider);
    const models = vendor === undefined ? null : catalog.vendor(vendor);
    return source !== null && (models === null || findVendorModel(models, id) !== null);
  }

  function canonicalId(modelId?: string | null): string {
    const id = checkModelId(modelId ?? defaultModelId());
    const source = findSource(id);
    if (source === null && findKnownModel(id) === null) throw new UnknownModelError(id);
    return source?.id ?? id;
  }

  function listChoices(): ModelChoice[] {
    const local = catalog.localNames().map((name) => `${LOCAL_PREFIX}${name}`);
    const set = [defaultModelId(), modelFor('compactionModel'), modelFor('pictureModel')].filter((id) => id !== null);
    const ofVendors = vendorIds.flatMap((vendor) => offeredIds(catalog.vendor(vendor) ?? []));
    const listed = [...knownModels.map(({ id }) => id), ...ofVendors].filter(isOffered);
    const sources = [...listed, ...set, ...local, ...offered()].map(findSource).filter((source) => source !== null);
    // The bare name of a known model is the same choice.
    const byId = new Map(sources.map((source) => [source.id, source]));
    return [...byId.values()].map((source) => {
      const { id, provider } = source;
      const name = findKnownModel(id)?.name ?? catalog.published(id)?.name ?? catalog.vendorModel(id)?.name ?? id;
      const limits = limitsOf(id);
      const { contextWindow, maxOutputTokens, known, warning, acceptsImages, prices } = limits;
      const isPaid = tariffOf(source, limits)?.isPaid ?? false;
      const priceOf = (turn: TokenUsage) => (isPaid ? prices && listCost(turn, prices) : 0);
      return { id, name, contextWindow, maxOutputTokens, provider, known, warning, acceptsImages, priceOf };
    });
  }

  return {
    get defaultModelId() {
      return defaultModelId();
    },
    get pictureModelId() {
      return modelFor('pictureModel');
    },
    get compactionModelId() {
      return modelFor('compactionModel');
    },
    resolve(modelId) {
      const id = checkModelId(modelId ?? defaultModelId());
      const source = findSource(id);
      if (source === null) throw new UnknownModelError(id);
      const limits = limitsOf(source.id);
      const tariff = tariffOf(source, limits);
      return {
        id: source.id,
        limits,
        open: (bill) => (tariff === null ? source.create() : meteredModel(source.create(), tariff, bill, purse)),
        requireBudget: (bill) => (tariff?.isPaid ? purse.require(bill) : Promise.resolve()),
      };
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

/** Null: it is part of the program, and nobody counts what it says. */
function tariffOf({ id, provider }: ModelSource, { prices }: ModelLimits): Tariff | null {
  if (provider === 'built-in') return null;
  const isFree = prices === null ? provider === 'openai-compatible' : prices.input === 0 && prices.output === 0;
  return { modelId: id, prices, isPaid: !isFree };
}

/** The window configured for this id, or for the model of which it is a release or variant. */
function overriddenWindow(id: string, overrides: Readonly<Record<string, number>>): number | undefined {
  const ids = [id, id.startsWith(LOCAL_PREFIX) ? null : findKnownModel(id)?.id];
  const set = ids.find((each) => typeof each === 'string' && Object.hasOwn(overrides, each));
  return set === undefined || set === null ? undefined : overrides[set];
}

/**
 * Creates the sources of all connected providers. `find` takes the ids of `ModelRegistry.resolve`.
 * @param connections the same list until it changes. Default: the environment's
 */
export function createModelSources(
  env: Env,
  { models = {}, providers: others = [] }: ModelOverrides,
  connections: () => readonly Connection[] = always(environmentConnections(env)),
  wireName: (modelId: string) => string | undefined = () => undefined,
) {
  const silence = { local: silenceLimits(env, LOCAL_SILENCE), service: silenceLimits(env, SERVICE_SILENCE) };
  let from: readonly Connection[] = [];
  const own = ownProviders.map((create) => create(env)).filter((provider) => provider !== null);
  let providers = [...others, ...own];

  function current(): readonly Provider[] {
    const connected = connections();
    if (connected === from) return providers;
    from = connected;
    const inOrder = askingOrder.flatMap((id) => connected.find((each) => each.id === id) ?? []);
    const created = inOrder.map((connection) => {
      const isLocal = connection.id === 'openai-compatible';
      const fetch = createModelFetch(isLocal ? silence.local : silence.service);
      return createProviders[connection.id](connection, { fetch, wireName });
    });
    providers = [...others, ...own, ...created];
    return providers;
  }

  return {
    /** The source of a model id; null if no connected provider serves it. */
    find(this: void, id: string): ModelSource | null {
      const model = Object.hasOwn(models, id) ? models[id] : undefined;
      if (model) return { id, provider: 'built-in', create: () => model };
      for (const provider of current()) {
        const source = provider.find(id);
        if (source) return source;
      }
      return null;
    },
    /** Ids that providers offer themselves. */
    ids: () => current().flatMap(({ ids = [] }) => ids),
  };
}

const always =
  <T>(value: T) =>
  () =>
    value;
