import type { FaultLog } from '#server/core/process';
import type { Env } from '#server/platform/config/env';
import { providersTopic, type Signals } from '#server/core/conversation/events';
import { type ConnectableId, connectableIds } from '#server/core/admin/provider-names';
import { isSealed } from '#server/core/secrets';
import { SharedState } from '#server/platform/signals/shared-state';

/** Address of a provider's API, and the key for it. */
export interface ProviderAddress {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

/** Connection to a provider. */
export interface Connection extends ProviderAddress {
  readonly id: ConnectableId;
  readonly source: 'environment' | 'stored';
}

/** Provider data entered by an administrator. */
export interface StoredConnection {
  readonly id: ConnectableId;
  /** Address of the OpenAI-compatible server only: those of hosted providers come from the environment. */
  readonly baseUrl: string | null;
  /** The key; in its stored form (`isSealed`) if it cannot be decrypted. */
  readonly apiKey: string | null;
}

/** Stores connections; keys are encrypted at rest. */
export interface ConnectionStore {
  list(): Promise<StoredConnection[]>;
  /** Replaces the stored connection of this provider. @returns all connections */
  save(connection: StoredConnection): Promise<StoredConnection[]>;
  /** @returns the remaining connections */
  delete(id: ConnectableId): Promise<StoredConnection[]>;
}

/** The environment variables of each provider. */
export const connectionVariables = {
  openrouter: { key: 'OPENROUTER_API_KEY', url: 'OPENROUTER_BASE_URL' },
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  google: { key: 'GOOGLE_GENERATIVE_AI_API_KEY', url: 'GOOGLE_GENERATIVE_AI_BASE_URL' },
  'openai-compatible': { key: 'OPENAI_COMPATIBLE_API_KEY', url: 'OPENAI_COMPATIBLE_BASE_URL' },
} as const satisfies Record<ConnectableId, { readonly key: keyof Env; readonly url: keyof Env }>;

/** The part of the environment that connects providers. */
export type ProviderEnv = Pick<Env, (typeof connectionVariables)[ConnectableId]['key' | 'url']>;

/** Address of a provider from the environment; undefined for a server whose address must be entered here. */
export function addressOf(id: ConnectableId, env: ProviderEnv): string | undefined {
  return env[connectionVariables[id].url];
}

/** The connections configured in the environment. */
export function environmentConnections(env: ProviderEnv): Connection[] {
  return connectableIds.flatMap((id) => environmentConnection(id, env) ?? []);
}

/** The connection configured in the environment, regardless of what is stored; null if it configures none. */
export function environmentConnection(id: ConnectableId, env: ProviderEnv): Connection | null {
  const [baseUrl, apiKey] = [addressOf(id, env), env[connectionVariables[id].key]];
  const isMade = id === 'openai-compatible' ? baseUrl !== undefined : apiKey !== undefined;
  return isMade && baseUrl !== undefined ? { id, baseUrl, apiKey, source: 'environment' } : null;
}

interface ConnectionsOptions extends FaultLog {
  readonly env: ProviderEnv;
  readonly store: ConnectionStore;
  readonly signals: Signals;
}

/** The connections that models are reached with. */
export interface ConnectionList {
  /** The same list until it changes. */
  readonly current: () => readonly Connection[];
}

/** The connected providers: configured in the environment, else entered by an administrator. */
export class Connections implements ConnectionList {
  readonly #env: ProviderEnv;
  readonly #store: ConnectionStore;
  readonly #listeners = new Set<() => void>();
  #state!: SharedState<readonly StoredConnection[]>;
  #current: readonly Connection[] = [];

  private constructor({ env, store }: ConnectionsOptions) {
    this.#env = env;
    this.#store = store;
  }

  static async load(options: ConnectionsOptions): Promise<Connections> {
    const { store, signals, onFault } = options;
    const connections = new Connections(options);
    connections.#state = await SharedState.load<readonly StoredConnection[]>({
      read: () => store.list(),
      topic: providersTopic,
      signals,
      onChange: (stored) => connections.#take(stored),
      name: 'the connected providers',
      onFault,
    });
    return connections;
  }

  /** The connections; the same list until it changes. */
  readonly current = (): readonly Connection[] => {
    void this.#state.value;
    return this.#current;
  };

  /** Stored connection, whether in use or not. */
  stored(id: ConnectableId): StoredConnection | undefined {
    return this.#state.value.find((each) => each.id === id);
  }

  refresh(): Promise<void> {
    return this.#state.refresh();
  }

  save(connection: StoredConnection): Promise<void> {
    return this.#state.written(this.#store.save(connection));
  }

  remove(id: ConnectableId): Promise<void> {
    return this.#state.written(this.#store.delete(id));
  }

  /** Calls the listener after each change, including changes by another process. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  close(): Promise<void> {
    return this.#state.close();
  }

  #take(stored: readonly StoredConnection[]): void {
    this.#current = merged(this.#env, stored);
    for (const listener of this.#listeners) listener();
  }
}

function merged(env: ProviderEnv, stored: readonly StoredConnection[]): Connection[] {
  return connectableIds.flatMap((id) => {
    const own = stored.find((each) => each.id === id);
    return environmentConnection(id, env) ?? (own && usable(own, env)) ?? [];
  });
}

/** Null if its key can no longer be decrypted. */
function usable({ id, baseUrl, apiKey }: StoredConnection, env: ProviderEnv): Connection | null {
  const address = baseUrl ?? addressOf(id, env);
  if (address === undefined || (apiKey !== null && isSealed(apiKey))) return null;
  return { id, baseUrl: address, apiKey: apiKey ?? undefined, source: 'stored' };
}
