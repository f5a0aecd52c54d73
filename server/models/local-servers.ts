import { z } from 'zod';
import { fetchJson } from '#server/models/fetch-json';
import { modelName, tokenFigure, validRows } from '#server/models/published-models';

/** Milliseconds; a server nearby answers at once, or is busy. */
const TIMEOUT_MS = 3_000;

/**
 * Creates a reader of the models of an OpenAI-compatible server, whatever its kind.
 * @param baseUrl URL of its OpenAI-compatible interface; usually ends in `/v1`
 * @returns a reader that remembers the kind; it throws if no interface answers
 */
export function createLocalServerReader(
  baseUrl: string,
  apiKey: string | undefined,
  timeoutMs = TIMEOUT_MS,
): (signal: AbortSignal) => Promise<LocalModels> {
  const base = baseUrl.replace(/\/+$/, '');
  const root = base.replace(/\/v1$/, '');
  // The most detailed first: llama.cpp also answers some of Ollama's requests, and all have a list of models.
  const kinds: readonly LocalReader[] = [readLmStudio, readLlamaCpp, createOllamaReader()];
  let known: LocalReader | null = null;

  return async (signal) => {
    const server: LocalServer = {
      ask: (path, body) => fetchJson(`${root}${path}`, { timeoutMs, apiKey, body, signal }),
      list: () => fetchJson(`${base}/models`, { timeoutMs, apiKey, signal }),
    };
    for (const kind of new Set(known ? [known, ...kinds] : kinds)) {
      const models = await kind(server);
      if (!models) continue;
      known = kind;
      return models;
    }
    // The plain list has fewer details: it must not replace those of a server that is only busy now.
    const models = known ? null : await readOpenAiCompatible(server);
    if (models) return models;
    throw new Error('The server does not answer, or not with a list of models.');
  };
}

/** Finds the model that a server serves under a name. */
export function findLocalModel({ models, single }: LocalModels, name: string) {
  if (single) return models[0] ?? null;
  // Ollama's names end in a tag, and `latest` may be left out.
  return models.find((model) => model.name === name) ?? models.find((model) => model.name === `${name}:latest`) ?? null;
}

/** A model as the server that runs it describes it; tokens. */
export interface LocalModel {
  readonly name: string;
  /** Context length it is, or would be, loaded with; null if the server does not say. */
  readonly loadedContext: number | null;
  /** Longest context of the model, which may be loaded with less; null if the server does not say. */
  readonly longestContext: number | null;
  /** Default: false, or not known. */
  readonly acceptsImages?: boolean;
}

/** Models of a local server. */
export interface LocalModels {
  readonly models: readonly LocalModel[];
  /** True if it runs one model, whatever name is asked for. */
  readonly single: boolean;
}

/** Access to a server's own interface and to its OpenAI-compatible one. */
export interface LocalServer {
  /** GETs, or POSTs a body to, a path of its own interface. @throws Error without an answer */
  ask(path: string, body?: unknown): Promise<unknown>;
  /** Gets the list of models of its OpenAI-compatible interface. @throws Error without an answer */
  list(): Promise<unknown>;
}

/** Reads one kind of server; null when the server is of another kind. */
export type LocalReader = (server: LocalServer) => Promise<LocalModels | null>;

/** The answer, or null if the request fails: then it is a server of another kind. */
async function orNull(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch {
    return null;
  }
}

const lmStudioListSchema = z.object({ data: z.array(z.unknown()) });
const lmStudioRowSchema = z.object({
  id: modelName,
  type: z.string().catch(''),
  state: z.string(),
  max_context_length: tokenFigure,
  /** Only while it is loaded. */
  loaded_context_length: tokenFigure,
});

/** LM Studio's list of models (GET /api/v0/models). */
const readLmStudio: LocalReader = async (server) => {
  const list = lmStudioListSchema.safeParse(await orNull(server.ask('/api/v0/models')));
  if (!list.success) return null;
  const rows = validRows(lmStudioRowSchema, list.data.data);
  if (rows.length === 0 && list.data.data.length > 0) return null;
  const answering = rows.filter(({ type }) => type !== 'embeddings');
  const models = answering.map((row) => ({
    name: row.id,
    loadedContext: row.state === 'loaded' ? row.loaded_context_length : null,
    longestContext: row.max_context_length,
    // A vision language model.
    ...(row.type === 'vlm' && { acceptsImages: true }),
  }));
  return { models, single: false };
};

const ollamaListSchema = z.object({ models: z.array(z.unknown()) });
const runningSchema = z.object({ name: modelName, context_length: tokenFigure });
const installedSchema = z.object({ name: modelName, digest: z.string().catch('') });
const detailsSchema = z.object({
  /** One a line: `num_ctx                        8192`. */
  parameters: z.string().catch(''),
  /** `llama.context_length` and the like: what the model was trained for. */
  model_info: z.record(z.string(), z.unknown()).catch({}),
  /** `completion`, `tools`, `vision` ... */
  capabilities: z.array(z.string()).catch([]),
});

/** Installed models whose details are read; each costs a request. */
const MAX_DETAILS = 40;

/**
 * Ollama. Running models (GET /api/ps) have the context length they are loaded with. For the others (GET /api/tags) it is
 * in their details (POST /api/show) if the Modelfile sets `num_ctx`; else it depends on the machine and is not known.
 */
function createOllamaReader(): LocalReader {
  /** Details never change for a digest. */
  const known = new Map<string, Omit<LocalModel, 'name'>>();

  return async (server) => {
    const running = ollamaListSchema.safeParse(await orNull(server.ask('/api/ps')));
    if (!running.success) return null;
    const loaded = new Map(
      validRows(runningSchema, running.data.models).map(({ name, context_length: length }) => [name, length]),
    );
    const installed = ollamaListSchema.safeParse(await orNull(server.ask('/api/tags')));
    const digests = new Map(
      validRows(installedSchema, installed.data?.models ?? []).map(({ name, digest }) => [name, digest]),
    );
    const models: LocalModel[] = [];
    for (const name of new Set([...loaded.keys(), ...digests.keys()])) {
      const key = `${name} ${digests.get(name) ?? ''}`;
      let details = known.get(key) ?? null;
      if (!details && models.length < MAX_DETAILS) {
        details = await readDetails(server, name);
        if (details) known.set(key, details);
      }
      const { loadedContext, ...rest } = details ?? { loadedContext: null, longestContext: null };
      models.push({ name, loadedContext: loaded.get(name) ?? loadedContext, ...rest });
    }
    return { models, single: false };
  };
}

async function readDetails(server: LocalServer, name: string): Promise<Omit<LocalModel, 'name'> | null> {
  const details = detailsSchema.safeParse(await orNull(server.ask('/api/show', { model: name })));
  if (!details.success) return null;
  const { parameters, model_info: info, capabilities } = details.data;
  const longestKey = Object.keys(info).find((key) => key.endsWith('.context_length'));
  const longestContext = longestKey === undefined ? null : tokenFigure.parse(info[longestKey]);
  const configured = tokenFigure.parse(Number(/^num_ctx\s+(\d{1,10})\s*$/m.exec(parameters)?.[1]));
  const loadedContext = configured === null ? null : Math.min(configured, longestContext ?? configured);
  return { loadedContext, longestContext, ...(capabilities.includes('vision') && { acceptsImages: true }) };
}

const propsSchema = z.object({
  /** `n_ctx` is what one request may use: the loaded context divided among the server's slots. */
  default_generation_settings: z.object({ n_ctx: tokenFigure }),
  model_alias: modelName.nullable().catch(null),
  model_path: z.string().catch(''),
  modalities: z.object({ vision: z.boolean() }).catch({ vision: false }),
});

/** llama.cpp's server (GET /props), which runs one model, whatever name is asked for. */
const readLlamaCpp: LocalReader = async (server) => {
  const props = propsSchema.safeParse(await orNull(server.ask('/props')));
  if (!props.success) return null;
  const { default_generation_settings: defaults, model_alias: alias, model_path: path, modalities } = props.data;
  const file = modelName.safeParse(path.split(/[/\\]/).at(-1));
  const name = alias ?? file.data ?? 'default';
  const model = { name, loadedContext: defaults.n_ctx, longestContext: null };
  return { models: [modalities.vision ? { ...model, acceptsImages: true } : model], single: true };
};

const listSchema = z.object({ data: z.array(z.unknown()) });
/** vLLM adds `max_model_len`; others tell names only. */
const rowSchema = z.object({ id: modelName, max_model_len: tokenFigure });

/** Any other server, by the list of models that all have (GET {base}/models). */
const readOpenAiCompatible: LocalReader = async (server) => {
  const list = listSchema.safeParse(await orNull(server.list()));
  if (!list.success) return null;
  const models = validRows(rowSchema, list.data.data).map((row) => ({
    name: row.id,
    loadedContext: row.max_model_len,
    longestContext: null,
  }));
  return { models, single: false };
};

/** Model servers of people's own machines, at the ports that they take if nobody says otherwise. */
const USUAL_SERVERS = [
  { name: 'LM Studio', port: 1234 },
  { name: 'Ollama', port: 11_434 },
  { name: 'llama.cpp', port: 8080 },
  { name: 'vLLM', port: 8000 },
] as const;

/** Milliseconds; on the same machine, whatever listens answers at once. */
const SEARCH_TIMEOUT_MS = 1_500;

/**
 * Looks for model servers on this machine, by their usual ports.
 * @param ownPort of this server, which must not find itself
 */
export async function findLocalServers(
  ownPort: number,
  servers: readonly { readonly name: string; readonly port: number }[] = USUAL_SERVERS,
): Promise<{ readonly name: string; readonly baseUrl: string; readonly models: readonly string[] }[]> {
  const asked = servers.filter(({ port }) => port !== ownPort);
  const found = await Promise.all(
    asked.map(async ({ name, port }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const read = createLocalServerReader(baseUrl, undefined, SEARCH_TIMEOUT_MS);
      const answer = await read(AbortSignal.timeout(SEARCH_TIMEOUT_MS * 4)).catch(() => null);
      return answer && { name, baseUrl, models: answer.models.map((model) => model.name) };
    }),
  );
  return found.filter((server) => server !== null);
}
