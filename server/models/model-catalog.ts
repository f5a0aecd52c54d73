import type { Clock, FaultLog } from '#server/core/process';
import type { JsonValue } from '#server/core/json';
import type { ConnectableId } from '#server/core/admin/provider-names';
import type { Connection, ConnectionList } from '#server/models/connections';
import { fetchVendorModels, findVendorModel, isVendor, type VendorId } from '#server/models/direct-providers';
import { type LoadSettings, LocalConnection } from '#server/models/local-connection';
import type { LocalModel } from '#server/models/local-servers';
import {
  fetchPublishedModels,
  indexPublishedModels,
  type PublishedModel,
  storedModelsSchema,
  type VendorModel,
} from '#server/models/published-models';
import { Refreshed } from '#server/models/refreshed';

/** Models as described by their providers, from memory; queries are answered without waiting. */
export interface ModelCatalog {
  /** A model in OpenRouter's list; null without a key, and before the list has been read. */
  published(id: string): PublishedModel | null;
  /** The list of a directly connected vendor; null if it is not connected, and before the list has been read. */
  vendor(vendor: VendorId): readonly VendorModel[] | null;
  /** A model in the lists of directly connected vendors. */
  vendorModel(id: string): VendorModel | null;
  /** A model of the local server, by the server's name for it. @param settings how Ollama should load it */
  local(name: string, settings?: LoadSettings): LocalModel | null;
  /** The models of the local server. */
  localNames(): string[];
  /** The local server itself; null if none is connected. */
  localServer(): LocalConnection | null;
  /**
   * Reads old lists again (those of hosted providers after a day, the local server's after 15 s), or all if forced.
   * Never throws: a list that cannot be read stays unchanged. Queries start it in the background.
   */
  refresh(force?: boolean): Promise<void>;
  /** Aborts requests in progress. */
  close(): Promise<void>;
}

/** Storage in which lists outlive the process. */
export interface CatalogStore {
  load(source: string): Promise<{ readonly models: JsonValue; readonly fetchedAt: number } | null>;
  save(source: string, models: JsonValue, fetchedAt: number): Promise<void>;
}

/** Whose lists the catalog reads, and where it stores them. */
export interface ModelCatalogOptions extends FaultLog, Clock {
  readonly connections: ConnectionList;
  readonly store: CatalogStore;
}

/** An empty catalog: every model has the limits of the built-in table. */
export const emptyCatalog: ModelCatalog = {
  published: () => null,
  vendor: () => null,
  vendorModel: () => null,
  local: () => null,
  localNames: () => [],
  localServer: () => null,
  refresh: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

type FindPublished = (id: string) => PublishedModel | null;

/** Age after which a list is read again. Vendors release models a few times a year. */
const DAY_MS = 86_400_000;
/** Pause after a failed reading; milliseconds. A choice, not measured. */
const RETRY_MS = 300_000;

/** The lists of the connected providers, each with the data that its kind of provider reports. */
interface Lists {
  readonly openrouter: Refreshed<FindPublished> | null;
  readonly 'openai-compatible': LocalConnection | null;
  readonly vendors: ReadonlyMap<VendorId, Refreshed<readonly VendorModel[]>>;
}

/** Creates the catalog of the connected providers. It reads nothing before the first query or `refresh`. */
export function createModelCatalog({ connections, store, now, onFault }: ModelCatalogOptions): ModelCatalog {
  let from: readonly Connection[] = [];
  let lists: Lists = { openrouter: null, 'openai-compatible': null, vendors: new Map() };
  let isClosed = false;
  const closing = new Set<Promise<void>>();

  /** The lists of the current connections; a list whose connection has not changed is kept. */
  function current(): Lists {
    const connected = connections.current();
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
    for (const list of allOf(before)) if (!used.has(list)) closing.add(list.close());
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
      // A local server may have loaded its models differently since: only this list is stored.
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

  const localModels = (connection: Connection) => new LocalConnection(connection, { now, onFault, store });

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
    local: (name, settings) => current()['openai-compatible']?.find(name, settings) ?? null,
    localNames: () => current()['openai-compatible']?.names() ?? [],
    localServer: () => current()['openai-compatible'],
    refresh,
    async close() {
      isClosed = true;
      await Promise.all([...allOf(lists).map((list) => list.close()), ...closing]);
    },
  };
}

type List = Pick<Refreshed<unknown>, 'refresh' | 'close'>;

function allOf(lists: Lists): List[] {
  const single: (List | null)[] = [lists.openrouter, lists['openai-compatible']];
  return [...single, ...lists.vendors.values()].filter((list) => list !== null);
}

/** Key of the stored list: other servers with OpenRouter's protocol have separate ones. */
function sourceName(baseUrl: string): string {
  return new URL(baseUrl).host === 'openrouter.ai' ? 'openrouter' : `openrouter ${baseUrl}`;
}
