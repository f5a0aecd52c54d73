import { type Env, USUAL_PATH, withoutCredentials } from '#server/config/env';
import { modelSettingNames } from '#server/context/settings/context-settings';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { type ConnectableId, connectableIds } from '#server/core/provider-words';
import { type ConnectOutcome, type LocalServers, type ProviderReport, type ProviderTest } from '#server/core/providers';
import { isSealed } from '#server/core/secrets';
import {
  addressOf,
  type Connection,
  type Connections,
  connectionVariables,
  environmentConnection,
} from '#server/models/connections';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { findLocalServers } from '#server/models/local-servers';
import { createModelSources, type ModelOverrides, type ModelRegistry } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers';
import { isPublicName } from '#server/outgoing/network';
import type { Settings } from '#server/settings/settings';
import { tryProvider } from '#server/settings/try-provider';

/** An administrator's input for a provider. */
export interface ProviderInput {
  /** Undefined: the one that is stored. Empty: none. */
  readonly apiKey?: string | undefined;
  /** Address of the OpenAI-compatible server only. Undefined: the stored one. */
  readonly baseUrl?: string | undefined;
  /** The model to try; null: the recommended one. */
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

const UNREADABLE =
  'The stored key cannot be read any more: AUTH_SECRET, or the key beside the database, has changed. Enter it again.';

/** The providers of models: which are connected, and how one is connected while the server runs. */
export class Providers {
  readonly #deps: ProvidersDependencies;

  constructor(dependencies: ProvidersDependencies) {
    this.#deps = dependencies;
  }

  /** All providers, without any secret. */
  report(): ProviderReport[] {
    const { env, connections, models } = this.#deps;
    const choices = models.list();
    const modelsOf = (id: string) => choices.filter(({ provider }) => provider === id).length;
    const always = { configured: true, source: null, baseUrl: null, hasKey: false, variables: [], problem: null };
    const connectable = connectableIds.map((id): ProviderReport => {
      const connection = connections.current().find((each) => each.id === id);
      const stored = connections.stored(id);
      const address = connection?.baseUrl ?? stored?.baseUrl ?? addressOf(id, env);
      const { key, url } = connectionVariables[id];
      return {
        id,
        configured: connection !== undefined,
        source: connection?.source ?? null,
        baseUrl: address === undefined ? null : withoutCredentials(address),
        hasKey: connection?.apiKey !== undefined,
        variables: id === 'openai-compatible' ? [url, key] : [key, url],
        models: modelsOf(id),
        problem: !connection && isSealed(stored?.apiKey ?? '') ? UNREADABLE : null,
      };
    });
    return [{ id: 'built-in', ...always, models: modelsOf('built-in') }, ...connectable];
  }

  /** Tries a provider as it is connected. Never throws. */
  async test(id: ProviderReport['id']): Promise<ProviderTest> {
    const empty = { latencyMs: 0, choices: [] };
    if (id === 'built-in') {
      const message = 'The basic assistant is part of the program and always there.';
      return { ok: true, problem: null, ...empty, models: 1, modelId: OFFLINE_MODEL_ID, message };
    }
    const connection = this.#deps.connections.current().find((each) => each.id === id);
    if (!connection) {
      const message = 'Not connected: connect it first.';
      return { ok: false, problem: 'other', ...empty, models: null, modelId: null, message };
    }
    return this.#try(connection, this.#presentModelOf(id));
  }

  /**
   * Tries a provider with what was entered and, where that passes, keeps it: it works at once. Where only the offline
   * assistant has answered so far, the model that was tried does from now on.
   * @throws InvalidInputError for what cannot be an address or a key; ConflictError where the environment decides
   */
  async connect(id: ConnectableId, input: ProviderInput): Promise<Omit<ConnectOutcome, 'providers'>> {
    const { connections, models, settings } = this.#deps;
    this.#requireOwn(id);
    await connections.refresh();
    const connection = this.#entered(id, input);
    const test = await this.#try(connection, input.modelId ?? this.#presentModelOf(id));
    const isGood = test.ok || (input.anyway && (test.problem === 'tools' || test.problem === 'model'));
    if (!isGood) return { connected: false, test };
    const baseUrl = id === 'openai-compatible' ? connection.baseUrl : null;
    await connections.save({ id, baseUrl, apiKey: connection.apiKey ?? null });
    // So that the first answer knows the window of its model.
    await models.refresh();
    if (test.modelId !== null && this.#becomesDefault(id, input.modelId)) {
      await settings.update({ defaultModel: test.modelId });
    }
    return { connected: true, test };
  }

  /**
   * Forgets what was entered for a provider, and the settings that name a model of it.
   * @throws NotFoundError, ConflictError where the environment decides
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
      models: models.map((name) => ({ id: `${LOCAL_PREFIX}${name}`, name })),
    }));
  }

  /** @throws ConflictError where the environment has connected it */
  #requireOwn(id: ConnectableId): void {
    const connection = environmentConnection(id, this.#deps.env);
    if (!connection) return;
    const { key, url } = connectionVariables[id];
    const variable = id === 'openai-compatible' ? url : key;
    throw new ConflictError(
      `The environment sets ${variable}, and wins over what is entered here. Change it there, or take it out there, and start the server again.`,
    );
  }

  /** @throws InvalidInputError */
  #entered(id: ConnectableId, { apiKey, baseUrl }: ProviderInput): Connection {
    const { env, connections } = this.#deps;
    const stored = connections.stored(id);
    const isHosted = id !== 'openai-compatible';
    const address = isHosted ? addressOf(id, env) : baseUrl === undefined ? stored?.baseUrl : safeAddress(baseUrl);
    if (address === undefined || address === null) throw new InvalidInputError('Enter the address of the server.');
    // A key goes to the address it was entered for, and to no other.
    const isSameServer = isHosted || address === stored?.baseUrl;
    const former = stored?.apiKey ?? '';
    const kept = isSameServer && !isSealed(former) ? former : '';
    const key = (apiKey ?? kept).trim();
    if (isHosted && key === '') throw new InvalidInputError('Enter the key.');
    return { id, baseUrl: address, apiKey: key === '' ? undefined : key, source: 'stored' };
  }

  #try(connection: Connection, modelId: string | null): Promise<ProviderTest> {
    const alone = [connection];
    return tryProvider(connection, {
      modelId,
      find: (id, wireName) => {
        const source = createModelSources(
          this.#deps.env,
          {},
          () => alone,
          () => wireName,
        ).find(id);
        return source?.provider === connection.id ? source : null;
      },
    });
  }

  /** The default model, where it is one of this provider. */
  #presentModelOf(id: ConnectableId): string | null {
    const { models } = this.#deps;
    const choice = models.list().find((each) => each.id === models.defaultModelId);
    return choice?.provider === id ? choice.id : null;
  }

  #becomesDefault(id: ConnectableId, wanted: string | null): boolean {
    const { models } = this.#deps;
    const present = models.list().find((each) => each.id === models.defaultModelId);
    return present === undefined || present.provider === 'built-in' || (present.provider === id && wanted !== null);
  }
}

/** True if a setting names a model; words like `__same__` do not. */
function isModel(value: unknown): value is string {
  return typeof value === 'string' && !value.startsWith('__');
}

/**
 * The address of a model server as it is stored: with a protocol, and with a path. What is said, and the key, travel to
 * it, so it is encrypted unless it is not public.
 * @throws InvalidInputError with a sentence for whoever typed it
 */
export function safeAddress(typed: string): string {
  const text = typed.trim().replace(/\/+$/, '');
  const hasProtocol = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const guess = `http://${text}`;
  const isInside = URL.canParse(guess) && !isPublicName(new URL(guess).hostname);
  const address = hasProtocol ? text : isInside ? guess : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (text === '' || !url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError('This is not an address. An example: http://127.0.0.1:1234/v1');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(
      'An address with a name and a password cannot be used. Enter the key in its own field.',
    );
  }
  if (url.protocol === 'http:' && isPublicName(url.hostname)) {
    throw new InvalidInputError(
      'Everything that is said would travel unencrypted to this address: it must begin with https://.',
    );
  }
  const path = url.pathname === '/' ? USUAL_PATH : url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path}`;
}
