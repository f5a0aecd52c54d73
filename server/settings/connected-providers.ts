import { messageOfText } from '#server/core/message-data';
import { modelServerAddress } from '#server/settings/model-server-address';
import type { Env } from '#server/platform/config/env';
import { withoutCredentials } from '#server/settings/without-credentials';
import { modelSettingNames } from '#server/context/settings/context-settings';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { type ConnectableId, connectableIds } from '#server/core/admin/provider-names';
import type { ConnectOutcome, LocalServers, ProviderReport, ProviderTest } from '#server/core/admin/providers';
import { isSealed } from '#server/core/secrets';
import { serverText } from '#server/core/messages/server-text';
import {
  addressOf,
  type Connection,
  type Connections,
  connectionVariables,
  environmentConnection,
} from '#server/models/connections';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { LocalConnection } from '#server/models/local-connection';
import { findLocalServers } from '#server/models/local-servers';
import { createModelSources, fileNameOf, type ModelOverrides, type ModelRegistry } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers';
import { LOCAL_SILENCE, silenceLimits } from '#server/models/wire/model-fetch';
import type { Settings } from '#server/settings/settings';
import { tryProvider } from '#server/settings/try-provider';

/** An administrator's input for a provider. */
export interface ProviderInput {
  /** Undefined: the stored key. Empty: no key. */
  readonly apiKey?: string | undefined;
  /** Address of the OpenAI-compatible server only. Undefined: the stored one. */
  readonly baseUrl?: string | undefined;
  /** The model to test; null: the recommended one. */
  readonly modelId: string | null;
  /** Connect although the model could not use a tool. */
  readonly anyway: boolean;
}

interface ProvidersDependencies {
  readonly env: Env;
  readonly overrides: ModelOverrides;
  readonly connections: Connections;
  readonly models: ModelRegistry;
  readonly settings: Settings;
}

/** Model providers: which are connected, and how to connect one while the server runs. */
export class Providers {
  readonly #deps: ProvidersDependencies;

  constructor(dependencies: ProvidersDependencies) {
    this.#deps = dependencies;
  }

  /** All providers, without secrets. */
  report(): ProviderReport[] {
    const { env, connections, models } = this.#deps;
    const choices = models.list();
    const modelsOf = (id: string) => choices.filter(({ provider }) => provider === id).length;
    const always = {
      configured: true,
      source: null,
      baseUrl: null,
      hasKey: false,
      variables: [],
      problem: null,
      problemMessage: null,
    };
    const connectable = connectableIds.map((id): ProviderReport => {
      const connection = connections.current().find((each) => each.id === id);
      const stored = connections.stored(id);
      const address = connection?.baseUrl ?? stored?.baseUrl ?? addressOf(id, env);
      const { key, url } = connectionVariables[id];
      // It was encrypted with another secret.
      const isUnreadable = !connection && isSealed(stored?.apiKey ?? '');
      const problem = isUnreadable ? serverText('stored-key-unreadable') : null;
      return {
        id,
        configured: connection !== undefined,
        source: connection?.source ?? null,
        baseUrl: address === undefined ? null : withoutCredentials(address),
        hasKey: connection?.apiKey !== undefined,
        variables: id === 'openai-compatible' ? [url, key] : [key, url],
        models: modelsOf(id),
        problem: problem && problem.text,
        problemMessage: problem && messageOfText(problem),
      };
    });
    return [{ id: 'built-in', ...always, models: modelsOf('built-in') }, ...connectable];
  }

  /** Tests a provider with its current connection. Never throws. */
  async test(id: ProviderReport['id'], signal?: AbortSignal): Promise<ProviderTest> {
    const empty = { latencyMs: 0, choices: [] };
    if (id === 'built-in') {
      const { text: message, ...reason } = serverText('provider-test-built-in');
      return { ok: true, problem: null, ...empty, models: 1, modelId: OFFLINE_MODEL_ID, message, reason };
    }
    const connection = this.#deps.connections.current().find((each) => each.id === id);
    if (!connection) {
      const { text: message, ...reason } = serverText('provider-test-not-connected');
      return { ok: false, problem: 'other', ...empty, models: null, modelId: null, message, reason };
    }
    return this.#try(connection, this.#currentModelOf(id), signal);
  }

  /**
   * Tests a provider with the input and stores the connection if the test passes; it takes effect immediately. If only
   * the offline assistant has answered so far, the tested model becomes the default.
   * @throws InvalidInputError for an invalid address or key; ConflictError if the environment configures this provider
   */
  async connect(
    id: ConnectableId,
    input: ProviderInput,
    signal?: AbortSignal,
  ): Promise<Omit<ConnectOutcome, 'providers'>> {
    const { connections, models, settings } = this.#deps;
    this.#requireOwn(id);
    await connections.refresh();
    const connection = this.#connectionFrom(id, input);
    const test = await this.#try(connection, input.modelId ?? this.#currentModelOf(id), signal);
    const isGood = test.ok || (input.anyway && (test.problem === 'tools' || test.problem === 'model'));
    if (!isGood) return { connected: false, test };
    const baseUrl = id === 'openai-compatible' ? connection.baseUrl : null;
    await connections.save({ id, baseUrl, apiKey: connection.apiKey ?? null });
    // So that the context window of the model is known before its first answer.
    await models.refresh();
    if (test.modelId !== null && this.#becomesDefault(id, input.modelId)) {
      await settings.update({ defaultModel: test.modelId });
    }
    return { connected: true, test };
  }

  /**
   * Deletes what was entered for a provider, and the settings that name one of its models.
   * @throws NotFoundError, ConflictError if the environment configures this provider
   */
  async disconnect(id: ConnectableId): Promise<void> {
    const { env, overrides, connections, settings } = this.#deps;
    await connections.refresh();
    if (!connections.stored(id)) {
      this.#requireOwn(id);
      throw new NotFoundError('provider', id);
    }
    const others = connections.current().filter((each) => each.id !== id || each.source === 'environment');
    const left = createModelSources(env, overrides, () => others);
    const { values, sources } = settings.report();
    const orphaned = modelSettingNames.filter(
      (name) => sources[name] === 'stored' && isModel(values[name]) && left.find(values[name]) === null,
    );
    if (orphaned.length > 0) await settings.update(Object.fromEntries(orphaned.map((name) => [name, null])));
    await connections.remove(id);
  }

  /** Looks for model servers on this machine. */
  async localServers(): Promise<LocalServers['items']> {
    const found = await findLocalServers(this.#deps.env.PORT);
    return found.map(({ models, ...server }) => ({
      ...server,
      models: models.map((name) => ({ id: `${LOCAL_PREFIX}${name}`, name: fileNameOf(name) })),
    }));
  }

  /** @throws ConflictError if the environment configures it */
  #requireOwn(id: ConnectableId): void {
    const connection = environmentConnection(id, this.#deps.env);
    if (!connection) return;
    const { key, url } = connectionVariables[id];
    const variable = id === 'openai-compatible' ? url : key;
    throw new ConflictError(serverText('set-by-environment', { variable }));
  }

  /** The connection that the input describes, with stored values where it names none. @throws InvalidInputError */
  #connectionFrom(id: ConnectableId, { apiKey, baseUrl }: ProviderInput): Connection {
    const { env, connections } = this.#deps;
    const stored = connections.stored(id);
    const isHosted = id !== 'openai-compatible';
    const address = isHosted
      ? addressOf(id, env)
      : baseUrl === undefined
        ? stored?.baseUrl
        : modelServerAddress(baseUrl);
    if (address === undefined || address === null) throw new InvalidInputError(serverText('address-missing'));
    // A key is sent only to the address for which it was entered.
    const isSameServer = isHosted || address === stored?.baseUrl;
    const former = stored?.apiKey ?? '';
    const kept = isSameServer && !isSealed(former) ? former : '';
    const key = (apiKey ?? kept).trim();
    if (isHosted && key === '') throw new InvalidInputError(serverText('key-missing'));
    return { id, baseUrl: address, apiKey: key === '' ? undefined : key, source: 'stored' };
  }

  /** Tests a connection without using any other one. */
  #try(connection: Connection, modelId: string | null, signal: AbortSignal | undefined): Promise<ProviderTest> {
    const onlyThis = [connection];
    const { env, settings } = this.#deps;
    const local = new LocalConnection(connection);
    return tryProvider(connection, {
      modelId,
      signal,
      parallelRequests: () => settings.current().localParallelRequests,
      loadTimeoutMs: silenceLimits(env, LOCAL_SILENCE).firstTokenMs,
      find: (id, wireName) => {
        const facts = { wireName: () => wireName, localServer: () => local };
        const source = createModelSources(env, {}, () => onlyThis, facts).find(id);
        return source?.provider === connection.id ? source : null;
      },
    });
  }

  /** The default model, if it belongs to this provider. */
  #currentModelOf(id: ConnectableId): string | null {
    const { models } = this.#deps;
    const choice = models.list().find((each) => each.id === models.defaultModelId);
    return choice?.provider === id ? choice.id : null;
  }

  /** True if the tested model becomes the default: nothing better is, or an administrator has chosen it. */
  #becomesDefault(id: ConnectableId, wanted: string | null): boolean {
    const { models } = this.#deps;
    const current = models.list().find((each) => each.id === models.defaultModelId);
    return current === undefined || current.provider === 'built-in' || (current.provider === id && wanted !== null);
  }
}

/** True if a setting names a model. Keywords like `__same__` are not models. */
function isModel(value: unknown): value is string {
  return typeof value === 'string' && !value.startsWith('__');
}
