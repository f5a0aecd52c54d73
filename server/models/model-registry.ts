import { serverText } from '#server/core/messages/server-text';
import { unknownModel } from '#server/core/messages/coded-errors';
import { warningFields } from '#server/core/message-data';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { engineSettingsOf, type Env, InvalidEnvironmentError } from '#server/platform/config/env';
import type { ReadRequest } from '#server/context/current-tokens';
import type { EngineSettings } from '#server/context/settings/context-settings';
import { AUTO_MODEL, SAME_MODEL } from '#server/context/settings/setting-definitions';
import { InvalidInputError } from '#server/core/errors';
import type { Bill } from '#server/core/admin/spending';
import { type ConnectableId, connectableIds } from '#server/core/admin/provider-names';
import { type Connection, type ConnectionList, environmentConnections } from '#server/models/connections';
import { anthropic, findVendorModel, google, offeredIds, openAI, vendorIds } from '#server/models/direct-providers';
import { knownModels, OFFLINE_MODEL_ID } from '#server/models/known-models';
import { LocalConnection, type LoadSettings } from '#server/models/local-connection';
import { CutRequests, EndedAnswers, type LearnedWindows, type WindowReason } from '#server/models/learned-windows';
import { listCost, type TokenUsage } from '#server/models/list-prices';
import { meteredModel, unlimitedAccount, type SpendingAccount, type UsagePricing } from '#server/models/metered-model';
import { createModelFetch, LOCAL_SILENCE, SERVICE_SILENCE, silenceLimits } from '#server/models/wire/model-fetch';
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
import type { ModelChoice } from '#server/models/model-choice';
import { createPatientSend } from '#server/models/wire/loading';
import { createOllamaSend } from '#server/models/wire/ollama';
import { gatedModel } from '#server/models/wire/request-gate';
import { firstRecommended } from '#server/models/recommended';

interface ModelIdentity {
  /** The complete id: for `gpt-4o` it is `openai/gpt-4o`. */
  readonly id: string;
  readonly limits: ModelLimits;
}

/** A model that can be called; the caller names the bill on which its costs go. */
export interface ResolvedModel extends ModelIdentity {
  /** The model, with all calls charged to this bill. */
  open(this: void, bill: Bill): LanguageModelV4;
  /**
   * Determines the context window of a local model if only loading it reveals the window; does nothing for others.
   * Afterwards, resolving the model returns correct `limits`. @throws the signal's reason
   */
  prepare(this: void, signal: AbortSignal): Promise<void>;
  /** The model, which reports the tokens of each request instead of answering it; null if its server cannot count. */
  readonly createCounter: (() => LanguageModelV4) | null;
  /**
   * Checks the budget before work that would end in a call. @throws BudgetReachedError if no further cost is allowed on
   * the bill
   */
  requireBudget(this: void, bill: Bill): Promise<void>;
}

/** A model that can be called, with its complete id. */
export interface CallableModel {
  readonly id: string;
  readonly model: LanguageModelV4;
}

/** A model with a bill, ready to be called. */
export interface OpenedModel extends ModelIdentity, CallableModel {}

/**
 * The only access to language models. No model id is passed to the SDK as a string, so that nothing reaches a gateway.
 */
export interface ModelRegistry {
  /** The current setting, like `compactionModelId`. */
  readonly defaultModelId: string;
  /** The model that writes summaries; null: the session's own. */
  readonly compactionModelId: string | null;
  /** The model that views pictures; null: the session's own. */
  readonly pictureModelId: string | null;
  /**
   * `throughline/offline`, `local/<id>` (the OpenAI-compatible server) or `vendor/name` (OpenRouter, with a key); a
   * bare name of a known model means OpenRouter's. Null or undefined: the default model.
   * @throws UnknownModelError if no configured provider serves it; InvalidInputError if it cannot be an id
   */
  resolve(modelId?: string | null): ResolvedModel;
  /**
   * Current limits of a model, also of a known one that no configured provider serves.
   * @throws UnknownModelError for a model that is neither known nor served; InvalidInputError for an impossible id
   */
  limits(modelId?: string | null): ModelLimits;
  /** The complete id: `openai/gpt-4o` for `gpt-4o`. @throws like `limits` */
  canonicalId(modelId?: string | null): string;
  /** The provider that serves a model; null: none does. */
  providerOf(modelId: string): string | null;
  /** Models that can be chosen: all known ones of the configured providers, the built-in one first. */
  list(): ModelChoice[];
  /**
   * Reads old lists of models again, or all if forced (for example after a provider refused a request as too large).
   * Never throws, and callers need not wait for it.
   */
  refresh(force?: boolean): Promise<void>;
  /**
   * Stores the actual context window of a model: an upper bound from now on, also if a larger one is configured, until
   * its server reports another one or the owner sets one. @returns whether it is smaller than the known one
   */
  learnWindow(modelId: string, window: number, reason: WindowReason): Promise<boolean>;
  /**
   * Learns the window of a local model whose server reports fewer tokens than were sent, as soon as that is certain.
   * @returns whether the report covers only a part of the request
   */
  noteReport(modelId: string, read: ReadRequest): Promise<boolean>;
  /**
   * Adds the tokens of request and answer at which a server has ended an answer; three times the same sum is the
   * context window. @returns whether it was learned
   */
  noteEndedAnswer(modelId: string, sum: number): Promise<boolean>;
  /** Removes the learned context window of a model, also of one that is no longer served. */
  forgetWindow(modelId: string): Promise<boolean>;
}

/** Settings about models. */
export interface ModelSettings {
  readonly defaultModel: EngineSettings['defaultModel'];
  readonly compactionModel: EngineSettings['compactionModel'];
  readonly pictureModel: EngineSettings['pictureModel'];
  readonly modelWindowOverrides: EngineSettings['modelWindowOverrides'];
  readonly shareLocalModels: boolean;
  readonly localParallelRequests: number;
}

/** Dependencies of the registry in addition to the environment. */
interface RegistrySources {
  /** Default: the environment's. */
  readonly connections?: ConnectionList;
  /** Default: the built-in table only. */
  readonly catalog?: ModelCatalog;
  /** Called each time. Default: the environment's. */
  readonly settings?: () => ModelSettings;
  /** Pays for calls. Default: no accounting. */
  readonly purse?: SpendingAccount;
  /** Learned context windows of models. Default: none are stored. */
  readonly learned?: LearnedWindows;
}

/** Models and providers that are tried before the configured ones, for tests. */
export interface ModelOverrides {
  /** Models by id. */
  readonly models?: Readonly<Record<string, LanguageModelV4>>;
  readonly providers?: readonly Provider[];
}

/** Providers that need no connection; null if the environment does not configure it. */
const ownProviders: readonly ((env: Env) => Provider | null)[] = [builtIn];

/** Creates the provider of each service. */
const createHosted: Readonly<Record<Exclude<ConnectableId, 'openai-compatible'>, CreateProvider>> = {
  anthropic,
  openai: openAI,
  google,
  openrouter: openRouter,
};

/** The order in which providers are tried for a model: OpenRouter accepts any `vendor/name`, so it comes last. */
const askingOrder = connectableIds.toSorted(
  (one, other) => Number(one === 'openrouter') - Number(other === 'openrouter'),
);

/** Maximum characters of a model id; a longer one is refused. A choice, not measured. */
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
    purse = unlimitedAccount,
    learned,
  }: RegistrySources = {},
): ModelRegistry {
  const wireName = (id: string) => catalog.vendorModel(id)?.wireName;
  const loadSettings = (id: string) => loadSettingsOf(id, settings(), env.CONTEXT_WINDOW);
  const { find: findSource, ids: offered } = createModelSources(env, overrides, connections?.current, {
    wireName,
    localServer: () => catalog.localServer(),
    loadSettings,
  });
  const { firstTokenMs: loadTimeoutMs } = silenceLimits(env, LOCAL_SILENCE);
  const endedAnswers = new EndedAnswers();
  const cutRequests = new CutRequests();
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
    const limits = assumedLimits(id);
    return learned?.bound(id, limits) ?? limits;
  }

  function assumedLimits(id: string): ModelLimits {
    const limits = findSource(id)?.limits ?? describedLimits(id);
    const window = loadSettings(id).window;
    // Ollama receives the context window with the request, and reports the one that it actually uses.
    return catalog.local(localName(id))?.digest !== undefined && limits.known ? limits : fitToWindow(limits, window);
  }

  async function learnWindow(modelId: string, window: number, reason: WindowReason): Promise<boolean> {
    return (await learned?.learn(modelId, window, reason, assumedLimits(modelId))) ?? false;
  }

  function describedLimits(id: string): ModelLimits {
    if (id.startsWith(LOCAL_PREFIX)) return findLocalLimits(id, catalog.local(localName(id), loadSettings(id)));
    const own = catalog.vendorModel(id);
    return own ? findVendorLimits(id, own) : findLimits(id, catalog.published(id));
  }

  /** True if the model is served; a directly connected vendor may not offer all of its models that we know. */
  function isOffered(id: string): boolean {
    const source = findSource(id);
    const vendor = vendorIds.find((each) => each === source?.provider);
    const models = vendor === undefined ? null : catalog.vendor(vendor);
    return source !== null && (models === null || findVendorModel(models, id) !== null);
  }

  function canonicalId(modelId?: string | null): string {
    const id = checkModelId(modelId ?? defaultModelId());
    const source = findSource(id);
    if (source === null && findKnownModel(id) === null) throw unknownModel(id);
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
      const knownName = findKnownModel(id)?.name ?? catalog.published(id)?.name ?? catalog.vendorModel(id)?.name;
      const limits = limitsOf(id);
      const { contextWindow, maxOutputTokens, known, warning, acceptsImages, prices } = limits;
      const isPaid = tariffOf(source, limits)?.isPaid ?? false;
      const priceOf = (turn: TokenUsage) => (isPaid ? prices && listCost(turn, prices) : 0);
      const described = source.local ? catalog.local(source.local.name, loadSettings(id)) : null;
      const found = learned?.find(id, assumedLimits(id)) ?? null;
      return {
        id,
        name: knownName ?? fileNameOf(id),
        contextWindow,
        maxOutputTokens,
        provider,
        known,
        ...warningFields(warning),
        acceptsImages,
        acceptsTools: described?.acceptsTools ?? true,
        memoryBytes: described?.memoryBytes ?? null,
        learnedWindow: found && { tokens: found.window, reason: found.reason },
        priceOf,
      };
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
    providerOf: (modelId) => findSource(modelId)?.provider ?? null,
    resolve(modelId) {
      const id = checkModelId(modelId ?? defaultModelId());
      const source = findSource(id);
      if (source === null) throw unknownModel(id);
      const limits = limitsOf(source.id);
      const tariff = tariffOf(source, limits);
      return {
        id: source.id,
        limits,
        open: (bill) => {
          const model = openedModel(source, bill.kind, () => settings().localParallelRequests);
          return tariff === null ? model : meteredModel(model, tariff, bill, purse);
        },
        createCounter: source.local?.server.counts ? (source.createCounter ?? null) : null,
        prepare: async (signal) => {
          const { server, name } = source.local ?? {};
          if (name !== undefined) await server?.prepare(name, loadSettings(source.id), { signal, loadTimeoutMs });
        },
        requireBudget: (bill) => (tariff?.isPaid ? purse.require(bill) : Promise.resolve()),
      };
    },
    limits: (modelId) => limitsOf(canonicalId(modelId)),
    canonicalId,
    list: listChoices,
    refresh: (force) => catalog.refresh(force),
    learnWindow,
    forgetWindow: async (modelId) => (await learned?.forget(modelId)) ?? false,
    async noteReport(modelId, read) {
      if (!modelId.startsWith(LOCAL_PREFIX)) return false;
      const { isPart, window } = cutRequests.add(modelId, read);
      // If that window was known already, the real one is smaller.
      const isNews = window === null || (await learnWindow(modelId, window, 'cut-prompt'));
      if (!isNews) await learnWindow(modelId, read.reported, 'cut-prompt');
      return isPart;
    },
    async noteEndedAnswer(modelId, sum) {
      const window = endedAnswers.add(modelId, sum);
      return window !== null && learnWindow(modelId, window, 'ended-answers');
    },
  };
}

function checkModelId(id: string): string {
  if (id.length === 0 || id.length > MAX_ID_LENGTH) {
    throw new InvalidInputError(serverText('model-id-length', { max: MAX_ID_LENGTH }));
  }
  // Refuses spaces, control and invisible characters, and lone surrogates: no provider has such ids, and logs must stay
  // readable.
  if (/[\p{C}\p{Z}]/u.test(id)) {
    throw new InvalidInputError(serverText('model-id-characters'));
  }
  return id;
}

/** The id, or of a path its last part: servers name a model by the file that they were started with. */
export function fileNameOf(id: string): string {
  const path = id.startsWith(LOCAL_PREFIX) ? localName(id) : id;
  const isPath = /^(?:[/\\~.]|[a-z]:[/\\])/i.test(path) || /[/\\].*\.(?:gguf|ggml|bin|safetensors)$/i.test(path);
  return (isPath ? path.split(/[/\\]/).findLast((part) => part !== '') : null) ?? id;
}

/** The name of a `local/` model on its server. */
const localName = (id: string) => id.slice(LOCAL_PREFIX.length);

function loadSettingsOf(
  id: string,
  { modelWindowOverrides, shareLocalModels }: ModelSettings,
  windowOfAll: number | undefined,
): LoadSettings {
  return { window: overriddenWindow(id, modelWindowOverrides) ?? windowOfAll, isShared: shareLocalModels };
}

/** The model of a source; calls to a local server wait in a queue. */
export function openedModel(source: ModelSource, kind: Bill['kind'], parallelRequests: () => number): LanguageModelV4 {
  const model = source.create();
  const { server } = source.local ?? {};
  if (!server) return model;
  return gatedModel(model, { baseUrl: server.baseUrl, kind, limit: () => server.requestLimit(parallelRequests()) });
}

/** Null for a model that is part of the program: its calls are not accounted for. */
function tariffOf({ id, provider }: ModelSource, { prices }: ModelLimits): UsagePricing | null {
  if (provider === 'built-in') return null;
  const isFree = prices === null ? provider === 'openai-compatible' : prices.input === 0 && prices.output === 0;
  return { modelId: id, prices, isPaid: !isFree };
}

/** The context window configured for this id, or for the model of which it is a release or variant. */
function overriddenWindow(id: string, overrides: Readonly<Record<string, number>>): number | undefined {
  const ids = [id, id.startsWith(LOCAL_PREFIX) ? null : findKnownModel(id)?.id];
  const set = ids.find((each) => typeof each === 'string' && Object.hasOwn(overrides, each));
  return set === undefined || set === null ? undefined : overrides[set];
}

/** Data that sources look up when they send a request. */
interface SourceFacts {
  readonly wireName?: (modelId: string) => string | undefined;
  /** The connected local server from the catalog. */
  readonly localServer?: () => LocalConnection | null;
  readonly loadSettings?: (modelId: string) => LoadSettings;
}

/**
 * Creates the sources of all connected providers. `find` accepts the ids of `ModelRegistry.resolve`.
 * @param connections the same list until it changes. Default: the environment's
 */
export function createModelSources(
  env: Env,
  { models = {}, providers: others = [] }: ModelOverrides,
  connections: () => readonly Connection[] = always(environmentConnections(env)),
  facts: SourceFacts = {},
) {
  const silence = { local: silenceLimits(env, LOCAL_SILENCE), service: silenceLimits(env, SERVICE_SILENCE) };
  const {
    wireName = () => undefined,
    loadSettings = (id) => loadSettingsOf(id, engineSettingsOf(env), env.CONTEXT_WINDOW),
  } = facts;
  let from: readonly Connection[] = [];
  const own = ownProviders.map((create) => create(env)).filter((provider) => provider !== null);
  let providers = [...others, ...own];

  function localProvider(connection: Connection): Provider {
    const local = facts.localServer?.() ?? new LocalConnection(connection);
    const settingsOf = (name: string) => loadSettings(`${LOCAL_PREFIX}${name}`);
    const fetch = createModelFetch(silence.local, (send) =>
      createOllamaSend(createPatientSend(send), {
        root: () => local.ollamaRoot(),
        numCtx: (name) => local.numCtx(name, settingsOf(name)),
        onAnswer: (name) => void local.noteAnswer(name, settingsOf(name)),
      }),
    );
    return openAICompatible(connection, { fetch, wireName, local });
  }

  function current(): readonly Provider[] {
    const connected = connections();
    if (connected === from) return providers;
    from = connected;
    const inOrder = askingOrder.flatMap((id) => connected.find((each) => each.id === id) ?? []);
    const created = inOrder.map((connection) =>
      connection.id === 'openai-compatible'
        ? localProvider(connection)
        : createHosted[connection.id](connection, { fetch: createModelFetch(silence.service), wireName }),
    );
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
    /** Ids that the providers themselves offer. */
    ids: () => current().flatMap(({ ids = [] }) => ids),
  };
}

const always =
  <T>(value: T) =>
  () =>
    value;
