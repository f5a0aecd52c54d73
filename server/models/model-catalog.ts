import type { JsonValue } from '#server/core/json';
import type { ConnectableId } from '#server/core/provider-words';
import type { Connection } from '#server/models/connections';
import { fetchVendorModels, findVendorModel, isVendor, type VendorId } from '#server/models/direct-providers';
import {
  createLocalServerReader,
  findLocalModel,
  type LocalModel,
  type LocalModels,
} from '#server/models/local-servers';
import {
  fetchPublishedModels,
  indexPublishedModels,
  type PublishedModel,
  storedModelsSchema,
  type VendorModel,
} from '#server/models/published-models';

/** Models as their providers describe them, from memory; questions are answered at once. */
export interface ModelCatalog {
  /** A model in OpenRouter's list; null without a key, and before the list was read. */
  published(id: string): PublishedModel | null;
  /** The list of a vendor that is asked directly; null where it is not connected, and before the list was read. */
  vendor(vendor: VendorId): readonly VendorModel[] | null;
  /** A model in the lists of vendors that are asked directly. */
  vendorModel(id: string): VendorModel | null;
  /** A model of the local server, by the server's name for it. */
  local(name: string): LocalModel | null;
  /** The models of the local server. */
  localNames(): string[];
  /**
   * Reads old lists again (those of hosted providers after a day, the local server's after 15 s), or all if forced. Never
   * throws: a list that cannot be read stays as it was. Questions start it in the background.
   */
  refresh(force?: boolean): Promise<void>;
  /** Aborts readings in progress. */
  close(): Promise<void>;
}

/** Storage in which lists outlive the process. */
export interface CatalogStore {
  load(source: string): Promise<{ readonly models: JsonValue; readonly fetchedAt: number } | null>;
  save(source: string, models: JsonValue, fetchedAt: number): Promise<void>;
}

export interface ModelCatalogOptions {
  /** The connections; the same list until it changes. */
  readonly connections: () => readonly Connection[];
  readonly store: CatalogStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called for a list that cannot be read; the last one stays in use. */
  readonly onFault: (message: string, error: unknown) => void;
}

/** An empty catalog: every model has the limits of the built-in table. */
export const emptyCatalog: ModelCatalog = {
  published: () => null,
  vendor: () => null,
  vendorModel: () => null,
  local: () => null,
  localNames: () => [],
  refresh: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

type FindPublished = (id: string) => PublishedModel | null;

const DAY_MS = 86_400_000;
const RETRY_MS = 300_000;
/** Milliseconds; a local server may reload its model with another context length at any time. */
const LOCAL_AGE_MS = 15_000;

/** The lists of the connected providers, each with what its kind of provider tells. */
interface Lists {
  readonly openrouter: Refreshed<FindPublished> | null;
  readonly 'openai-compatible': Refreshed<LocalModels> | null;
  readonly vendors: ReadonlyMap<VendorId, Refreshed<readonly VendorModel[]>>;
}

/** Creates the catalog of the connected providers. It reads nothing before the first question or `refresh`. */
export function createModelCatalog({ connections, store, now, onFault }: ModelCatalogOptions): ModelCatalog {
  let from: readonly Connection[] = [];
  let lists: Lists = { openrouter: null, 'openai-compatible': null, vendors: new Map() };
  let isClosed = false;
  const letGo = new Set<Promise<void>>();

  /** The lists of what is connected now; a list whose connection stayed the same is kept. */
  function current(): Lists {
    const connected = connections();
    if (connected === from) return lists;
    const before = lists;
    const former = (id: ConnectableId) => from.find((each) => each.id === id);
    const kept = <T>(connection: Connection, list: T | null | undefined, open: () => T): T => {
      const { baseUrl, apiKey } = former(connection.id) ?? {};
      return list && baseUrl === connection.baseUrl && apiKey === connection.apiKey ? list : open();
    };
    const find = (id: ConnectableId) => connected.find((each) => each.id === id);
    const [hosted, local] = [find('openrouter'), find('openai-compatible')];
    const vendors = connected.flatMap((connection) => {
      const { id } = connection;
      if (!isVendor(id)) return [];
      return [[id, kept(connection, before.vendors.get(id), () => vendorModels({ ...connection, id }))] as const];
    });
    lists = {
      openrouter: hosted ? kept(hosted, before.openrouter, () => publishedModels(hosted)) : null,
      'openai-compatible': local ? kept(local, before['openai-compatible'], () => localModels(local)) : null,
      vendors: new Map(vendors),
    };
    from = connected;
    const used = new Set(allOf(lists));
    for (const list of allOf(before)) if (!used.has(list)) letGo.add(list.close());
    return lists;
  }

  function publishedModels({ baseUrl, apiKey }: Connection) {
    const source = sourceName(baseUrl);
    return new Refreshed<FindPublished>({
      name: "OpenRouter's list of models",
      maxAgeMs: DAY_MS,
      retryMs: RETRY_MS,
      now,
      onFault,
      // A local server may have loaded its models differently since: only this list is kept.
      async restore() {
        const stored = await store.load(source);
        return stored && { value: indexPublishedModels(storedModelsSchema.parse(stored.models)), at: stored.fetchedAt };
      },
      async read(signal) {
        const models = await fetchPublishedModels(baseUrl, apiKey, signal);
        await store
          .save(source, models, now())
          .catch((error: unknown) => onFault('the list of models cannot be stored', error));
        return indexPublishedModels(models);
      },
    });
  }

  function vendorModels(connection: Connection & { readonly id: VendorId }) {
    return new Refreshed<readonly VendorModel[]>({
      name: `the list of models of ${connection.id}`,
      maxAgeMs: DAY_MS,
      retryMs: RETRY_MS,
      now,
      onFault,
      read: (signal) => fetchVendorModels(connection, { signal }),
    });
  }

  function localModels({ baseUrl, apiKey }: Connection) {
    return new Refreshed<LocalModels>({
      name: 'the models of the OpenAI-compatible server',
      maxAgeMs: LOCAL_AGE_MS,
      retryMs: LOCAL_AGE_MS,
      now,
      onFault,
      read: createLocalServerReader(baseUrl, apiKey),
    });
  }

  async function refresh(force = false): Promise<void> {
    if (!isClosed) await Promise.all(allOf(current()).map((list) => list.refresh(force)));
  }

  /** The present value; starts a refresh in the background if it is old. */
  function newest<T>(list: Refreshed<T> | null | undefined): T | null {
    if (list?.isDue()) void list.refresh();
    return list?.value ?? null;
  }

  const vendor = (id: VendorId) => newest(current().vendors.get(id));
  return {
    published: (id) => newest(current().openrouter)?.(id) ?? null,
    vendor,
    vendorModel(id) {
      const [vendorId] = [...current().vendors.keys()].filter((each) => id.startsWith(`${each}/`));
      const models = vendorId === undefined ? null : vendor(vendorId);
      return models && findVendorModel(models, id);
    },
    local(name) {
      const models = newest(current()['openai-compatible']);
      return models && findLocalModel(models, name);
    },
    localNames: () => newest(current()['openai-compatible'])?.models.map(({ name }) => name) ?? [],
    refresh,
    async close() {
      isClosed = true;
      await Promise.all([...allOf(lists).map((list) => list.close()), ...letGo]);
    },
  };
}

function allOf(lists: Lists): Refreshed<unknown>[] {
  const single: (Refreshed<unknown> | null)[] = [lists.openrouter, lists['openai-compatible']];
  return [...single, ...lists.vendors.values()].filter((list) => list !== null);
}

/** Key of the stored list: other servers with OpenRouter's protocol have their own. */
function sourceName(baseUrl: string): string {
  return new URL(baseUrl).host === 'openrouter.ai' ? 'openrouter' : `openrouter ${baseUrl}`;
}

interface RefreshedOptions<T> {
  /** Name in the log. */
  readonly name: string;
  /** Milliseconds after which a value is read again. */
  readonly maxAgeMs: number;
  /** Milliseconds after a failure before the next attempt. */
  readonly retryMs: number;
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** A value that was read earlier, at `at` (epoch milliseconds), for the time until the first is read. */
  readonly restore?: () => Promise<{ readonly value: T; readonly at: number } | null>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called for the first failure in a row; the last value stays in use. */
  readonly onFault: (message: string, error: unknown) => void;
}

/** A value kept in memory and read again in the background once it is old. */
class Refreshed<T> {
  readonly #options: RefreshedOptions<T>;
  readonly #closed = new AbortController();
  #value: T | null = null;
  #triedAt: number | null = null;
  #failed = false;
  #isRestored = false;
  #running: Promise<void> | null = null;

  constructor(options: RefreshedOptions<T>) {
    this.#options = options;
  }

  /** The present value; null before the first. */
  get value(): T | null {
    return this.#value;
  }

  /** True if the value is old. */
  isDue(): boolean {
    if (this.#triedAt === null) return true;
    const age = this.#options.now() - this.#triedAt;
    // A time in the future means that the clock was set back.
    return age < 0 || age >= (this.#failed ? this.#options.retryMs : this.#options.maxAgeMs);
  }

  /** Reads again if due or forced. Never throws; several callers share one reading. */
  refresh(force = false): Promise<void> {
    if (this.#running) return this.#running;
    if (this.#closed.signal.aborted || !(force || this.isDue())) return Promise.resolve();
    this.#running = this.#restoreOrRead(force).finally(() => (this.#running = null));
    return this.#running;
  }

  /** Aborts a reading in progress; nothing is read any more. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #restoreOrRead(force: boolean): Promise<void> {
    if (!this.#isRestored) await this.#restore();
    if (force || this.isDue()) await this.#read();
  }

  async #restore(): Promise<void> {
    this.#isRestored = true;
    try {
      const former = (await this.#options.restore?.()) ?? null;
      if (former) [this.#value, this.#triedAt] = [former.value, former.at];
    } catch (error) {
      this.#options.onFault('the stored list of models cannot be read', error);
    }
  }

  async #read(): Promise<void> {
    const { read, now, name, onFault } = this.#options;
    this.#triedAt = now();
    try {
      this.#value = await read(this.#closed.signal);
      this.#failed = false;
    } catch (error) {
      if (!this.#failed && !this.#closed.signal.aborted) onFault(`${name} cannot be read`, error);
      this.#failed = true;
    }
  }
}
