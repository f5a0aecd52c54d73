import { z } from 'zod';
import { orAborted } from '#server/core/async';
import type { JsonValue } from '#server/core/json';
import type { Clock, FaultLog } from '#server/core/process';
import { reportCallStatus } from '#server/models/wire/call-status';
import type { ProviderAddress } from '#server/models/connections';
import { canCount, countRequest } from '#server/models/wire/exact-count';
import { fetchJson, StatusError } from '#server/models/wire/fetch-json';
import {
  createLocalServerReader,
  findLocalModel,
  type LocalModel,
  type LocalModels,
  type LocalServerKind,
  NoModelsError,
} from '#server/models/local-servers';
import { findLocalLimits } from '#server/models/model-limits';
import { whenLoaded } from '#server/models/wire/loading';
import { type LoadedModel, readLoaded } from '#server/models/wire/ollama';
import { Refreshed } from '#server/models/refreshed';
import { type RequestGate, requestGate } from '#server/models/wire/request-gate';

/**
 * Milliseconds; a local server may reload its model with another context length at any time. A choice, not measured.
 */
const LIST_AGE_MS = 15_000;
/** Milliseconds; a large model is read from disk. A choice, not measured. */
const LOAD_TIMEOUT_MS = 600_000;
/**
 * Maximum duration of a request for the data of a loaded model or for a token count; milliseconds. A choice, not
 * measured.
 */
const FACTS_TIMEOUT_MS = 10_000;

/** The owner's preferences for loading a model with Ollama. */
export interface LoadSettings {
  /** Context length in tokens; undefined: the server's default. */
  readonly window: number | undefined;
  /**
   * Other programs use the model too: if we set a context length, the server would reload the model for each of them.
   */
  readonly isShared: boolean;
}

/** How long to wait while a server loads its model. */
interface LoadWait {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly loadTimeoutMs: number;
}

/** The part of the catalog's storage that is used here. */
interface LoadStore {
  load(source: string): Promise<{ readonly models: JsonValue } | null>;
  save(source: string, models: JsonValue, savedAt: number): Promise<void>;
}

interface LocalConnectionOptions extends Partial<Clock>, Partial<FaultLog> {
  /** Stores how models were loaded. Default: in memory only. */
  readonly store?: LoadStore;
}

const loadsSchema = z.record(
  z.string(),
  z.object({ context: z.int().positive(), memoryBytes: z.number().positive().nullable() }),
);

/** A connected local server: its kind, its models, and how Ollama loads them. */
export class LocalConnection {
  readonly #connection: ProviderAddress;
  readonly #options: LocalConnectionOptions & Clock & FaultLog;
  readonly #list: Refreshed<LocalModels>;
  /** How a model was loaded for us, by its digest and the context length that we requested. */
  readonly #loads = new Map<string, LoadedModel>();
  /** Keys of models that were loaded, and for which the server still reported no context length. */
  readonly #unreported = new Set<string>();
  readonly #loading = new Map<string, Promise<void>>();
  #restored: Promise<void> | null = null;
  /** The server is still loading its model, and reports nothing about it before. */
  #isLoading = false;
  /** False after the server has turned out not to have the paths for counting. */
  #canCount = true;

  constructor(connection: ProviderAddress, options: LocalConnectionOptions = {}) {
    const { now = Date.now, onFault = () => undefined } = options;
    this.#connection = connection;
    this.#options = { ...options, now, onFault };
    const read = createLocalServerReader(connection.baseUrl, connection.apiKey);
    this.#list = new Refreshed<LocalModels>({
      name: 'the models of the OpenAI-compatible server',
      maxAgeMs: LIST_AGE_MS,
      retryMs: LIST_AGE_MS,
      now,
      onFault,
      read: async (signal) => {
        // Before anything is told about the models.
        await (this.#restored ??= this.#restore());
        try {
          const models = await read(signal);
          this.#isLoading = false;
          this.#gate.mustBeAlone = models.kind === 'llama-cpp-python';
          return models;
        } catch (error) {
          this.#isLoading = error instanceof NoModelsError && error.isLoading;
          throw error;
        }
      },
    });
  }

  /** Address of the server itself, without the path of its OpenAI-compatible interface. */
  get #root(): string {
    return this.#connection.baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  }

  /** Waits until the server has been queried once. @returns null while it does not answer */
  async kind(): Promise<LocalServerKind | null> {
    if (this.#list.value === null) await this.refresh(this.#isLoading);
    return this.#list.value?.kind ?? null;
  }

  get baseUrl(): string {
    return this.#connection.baseUrl;
  }

  /**
   * Maximum number of concurrent requests. llama.cpp's servers divide one context among them, and llama-cpp-python ends
   * one answer when the next request arrives; other servers have their own queue.
   * @param wanted the owner's setting; 0: none
   */
  async requestLimit(wanted: number): Promise<number> {
    const kind = await this.kind();
    if (wanted > 0) return wanted;
    return kind === 'llama.cpp' || kind === 'llama-cpp-python' ? 1 : Infinity;
  }

  /** Address of Ollama's own interface; null for other servers. */
  async ollamaRoot(): Promise<string | null> {
    return (await this.kind()) === 'ollama' ? this.#root : null;
  }

  /** True if the server can be started with another chat template. */
  get runsTemplates(): boolean {
    return this.#list.value?.kind === 'llama.cpp';
  }

  /** True if the server counts tokens, as far as that is known. */
  get counts(): boolean {
    return this.#canCount && canCount(this.#list.value?.kind ?? null);
  }

  /**
   * Counts the tokens of a chat completions request, if the server does that and answers no other request now.
   * @returns null if it was not counted. Never throws.
   */
  async countTokens(body: string): Promise<number | null> {
    const kind = await this.kind();
    if (!canCount(kind) || !this.counts || this.#gate.isBusy) return null;
    try {
      return await countRequest(kind, (path, asked) => this.#ask(path, FACTS_TIMEOUT_MS, asked), body);
    } catch (error) {
      // Older versions, and proxies that let only some paths through.
      this.#canCount = !(error instanceof StatusError && [404, 405, 501].includes(error.status));
      return null;
    }
  }

  names(): string[] {
    return this.#newest()?.models.map(({ name }) => name) ?? [];
  }

  /** A model in the state in which it is loaded for us. @param settings how to load it; used for Ollama only */
  find(name: string, settings?: LoadSettings): LocalModel | null {
    const models = this.#newest();
    const model = models && findLocalModel(models, name);
    if (!model || models?.kind !== 'ollama' || settings === undefined) return model;
    const { window, isShared } = settings;
    const load = this.#loads.get(loadKey(model, settings));
    const { loadedContext, memoryBytes: _, ...rest } = model;
    // A model loaded by another program does not show what we will get.
    const unloaded = isShared
      ? null
      : window === undefined
        ? loadedContext
        : Math.min(window, model.longestContext ?? window);
    return {
      ...rest,
      loadedContext: load?.context ?? unloaded,
      ...(typeof load?.memoryBytes === 'number' && { memoryBytes: load.memoryBytes }),
    };
  }

  /**
   * The context length to send with a request; undefined: none. If the server does not report its own, the assumed one:
   * otherwise it could silently use a smaller one.
   */
  numCtx(name: string, settings: LoadSettings): number | undefined {
    const model = settings.isShared ? null : this.find(name, settings);
    return model ? findLocalLimits(name, model).contextWindow : undefined;
  }

  /**
   * Waits while the server loads its model, because only then does it report its kind and the context length.
   * Determines the context length with which Ollama runs a model, by loading it, unless it is known: Ollama's report is
   * reliable only after a request of ours, because another program may have loaded the model with another length.
   * Throws only the signal's reason.
   */
  async prepare(name: string, settings: LoadSettings, { signal, loadTimeoutMs }: LoadWait): Promise<void> {
    await orAborted(this.#prepare(name, settings, { signal, loadTimeoutMs }), signal);
  }

  async #prepare(name: string, settings: LoadSettings, wait: LoadWait): Promise<void> {
    await this.kind();
    if (this.#isLoading) await this.#whileLoading(wait);
    if ((await this.kind()) !== 'ollama') return;
    const models = this.#list.value;
    const model = models && findLocalModel(models, name);
    if (!model || model.digest === undefined) return;
    const key = loadKey(model, settings);
    if (this.#loads.has(key) || this.#unreported.has(key)) return;
    const running = this.#loading.get(key) ?? this.#load(name, key, settings).finally(() => this.#loading.delete(key));
    this.#loading.set(key, running);
    reportCallStatus({ kind: 'loading' });
    await running;
    reportCallStatus({ kind: 'sent' });
  }

  async #whileLoading({ signal, loadTimeoutMs }: LoadWait): Promise<void> {
    const limit = AbortSignal.timeout(loadTimeoutMs);
    await whenLoaded(async () => {
      await this.refresh(true);
      // After the limit, the request itself reports the problem better.
      return this.#isLoading && !limit.aborted ? null : true;
    }, signal);
  }

  async #load(name: string, key: string, { window, isShared }: LoadSettings): Promise<void> {
    try {
      const options = window === undefined || isShared ? {} : { options: { num_ctx: window } };
      await this.#ask('/api/generate', LOAD_TIMEOUT_MS, { model: name, stream: false, ...options });
      if (!(await this.#note(name, key))) this.#unreported.add(key);
    } catch (error) {
      // The request itself will report the problem better.
      this.#options.onFault(`${name} cannot be loaded`, error);
    }
  }

  /**
   * Ollama has started to answer a request of ours: what it now reports about the model is how it was loaded for us.
   */
  readonly noteAnswer = async (name: string, settings: LoadSettings): Promise<void> => {
    const model = this.find(name);
    if (!model || !settings.isShared) return;
    await this.#note(name, loadKey(model, settings)).catch(() => false);
  };

  /** Stores how a model is loaded now. @returns whether the server reports it */
  async #note(name: string, key: string): Promise<boolean> {
    const loaded = await readLoaded((path) => this.#ask(path, FACTS_TIMEOUT_MS), name);
    if (!loaded) return false;
    this.#loads.set(key, loaded);
    const { store, now } = this.#options;
    await store?.save(
      this.#source,
      Object.fromEntries([...this.#loads].map(([each, load]) => [each, { ...load }])),
      now(),
    );
    return true;
  }

  async #restore(): Promise<void> {
    try {
      const stored = await this.#options.store?.load(this.#source);
      for (const [key, load] of Object.entries(loadsSchema.catch({}).parse(stored?.models))) {
        if (!this.#loads.has(key)) this.#loads.set(key, load);
      }
    } catch (error) {
      this.#options.onFault('how models were loaded cannot be read', error);
    }
  }

  get #source(): string {
    return `ollama ${this.#connection.baseUrl}`;
  }

  #ask(path: string, timeoutMs: number, body?: unknown): Promise<unknown> {
    return fetchJson(`${this.#root}${path}`, { timeoutMs, apiKey: this.#connection.apiKey, body });
  }

  get #gate(): RequestGate {
    return requestGate(this.#connection.baseUrl);
  }

  #newest(): LocalModels | null {
    if (this.#list.isDue()) void this.refresh();
    return this.#list.value;
  }

  /**
   * Reads the list again if it is old, or if forced; not while the server must not be disturbed: llama-cpp-python ends
   * the answer in progress when any other request arrives. Never throws.
   */
  async refresh(force = false): Promise<void> {
    const { mustBeAlone, isBusy } = this.#gate;
    if (!(mustBeAlone && isBusy)) await this.#gate.aside(() => this.#list.refresh(force));
  }

  close(): Promise<void> {
    return this.#list.close();
  }
}

/**
 * A shared model is loaded as other programs request it at the moment: what is known about it is stored under a
 * separate key.
 */
function loadKey({ name, digest = '' }: LocalModel, { window, isShared }: Partial<LoadSettings> = {}): string {
  return `${name} ${digest} ${isShared ? 'shared' : (window ?? 'auto')}`;
}
