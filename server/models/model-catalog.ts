import type { Env } from '#server/config/env';
import type { JsonValue } from '#server/core/json';
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
} from '#server/models/published-models';

/** Models as their providers describe them, from memory; questions are answered at once. */
export interface ModelCatalog {
  /** A model in OpenRouter's list; null without a key, and before the list was read. */
  published(id: string): PublishedModel | null;
  /** A model of the local server, by the server's name for it. */
  local(name: string): LocalModel | null;
  /** The models of the local server. */
  localNames(): string[];
  /**
   * Reads old lists again (OpenRouter's after a day, the local server's after 15 s), or all if forced. Never throws: a
   * list that cannot be read stays as it was. Questions start it in the background.
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
  readonly env: Pick<
    Env,
    'OPENROUTER_API_KEY' | 'OPENROUTER_BASE_URL' | 'OPENAI_COMPATIBLE_API_KEY' | 'OPENAI_COMPATIBLE_BASE_URL'
  >;
  readonly store: CatalogStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called for a list that cannot be read; the last one stays in use. */
  readonly onFault: (message: string, error: unknown) => void;
}

/** An empty catalog: every model has the limits of the built-in table. */
export const emptyCatalog: ModelCatalog = {
  published: () => null,
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

/** Creates the catalog of the configured providers. It reads nothing before the first question or `refresh`. */
export function createModelCatalog({ env, store, now, onFault }: ModelCatalogOptions): ModelCatalog {
  const published = env.OPENROUTER_API_KEY === undefined ? null : publishedModels();
  const local = env.OPENAI_COMPATIBLE_BASE_URL === undefined ? null : localModels(env.OPENAI_COMPATIBLE_BASE_URL);
  const sources = [published, local].filter((source) => source !== null);
  let restoring: Promise<void> | null = null;

  function publishedModels() {
    return new Refreshed<FindPublished>({
      name: "OpenRouter's list of models",
      maxAgeMs: DAY_MS,
      retryMs: RETRY_MS,
      now,
      onFault,
      read: async (signal) => {
        const models = await fetchPublishedModels(env.OPENROUTER_BASE_URL, env.OPENROUTER_API_KEY, signal);
        await save(models);
        return indexPublishedModels(models);
      },
    });
  }

  function localModels(baseUrl: string) {
    return new Refreshed<LocalModels>({
      name: 'the models of the OpenAI-compatible server',
      maxAgeMs: LOCAL_AGE_MS,
      retryMs: LOCAL_AGE_MS,
      now,
      onFault,
      read: createLocalServerReader(baseUrl, env.OPENAI_COMPATIBLE_API_KEY),
    });
  }

  /** Restores OpenRouter's list only: a local server may have loaded its models differently since. */
  async function restore(): Promise<void> {
    if (!published) return;
    try {
      const stored = await store.load(sourceName(env.OPENROUTER_BASE_URL));
      if (stored) published.restore(indexPublishedModels(storedModelsSchema.parse(stored.models)), stored.fetchedAt);
    } catch (error) {
      onFault('the stored list of models cannot be read', error);
    }
  }

  async function save(models: PublishedModel[]): Promise<void> {
    try {
      await store.save(sourceName(env.OPENROUTER_BASE_URL), models, now());
    } catch (error) {
      onFault('the list of models cannot be stored', error);
    }
  }

  async function refresh(force = false): Promise<void> {
    restoring ??= restore();
    await restoring;
    await Promise.all(sources.map((source) => source.refresh(force)));
  }

  /** The present value; starts a refresh in the background if it is old. */
  function newest<T>(source: Refreshed<T> | null): T | null {
    if (source?.isDue()) void refresh();
    return source?.value ?? null;
  }

  return {
    published: (id) => newest(published)?.(id) ?? null,
    local(name) {
      const models = newest(local);
      return models && findLocalModel(models, name);
    },
    localNames: () => newest(local)?.models.map(({ name }) => name) ?? [],
    refresh,
    async close() {
      await restoring;
      await Promise.all(sources.map((source) => source.close()));
    },
  };
}

/** Key of the stored list: other servers with OpenRouter's protocol have their own. */
function sourceName(baseUrl: string): string {
  return new URL(baseUrl).host === 'openrouter.ai' ? 'openrouter' : `openrouter ${baseUrl}`;
}

export interface RefreshedOptions<T> {
  /** Name in the log. */
  readonly name: string;
  /** Milliseconds after which a value is read again. */
  readonly maxAgeMs: number;
  /** Milliseconds after a failure before the next attempt. */
  readonly retryMs: number;
  readonly read: (signal: AbortSignal) => Promise<T>;
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
  #running: Promise<void> | null = null;

  constructor(options: RefreshedOptions<T>) {
    this.#options = options;
  }

  /** The present value; null before the first. */
  get value(): T | null {
    return this.#value;
  }

  /** Sets a value that was read earlier, at `at` (epoch milliseconds). */
  restore(value: T, at: number): void {
    this.#value = value;
    this.#triedAt = at;
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
    this.#running = this.#read().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Aborts a reading in progress; nothing is read any more. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
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
