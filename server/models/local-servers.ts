import { z } from 'zod';
import { fetchJson, StatusError } from '#server/models/wire/fetch-json';
import { requestGate } from '#server/models/wire/request-gate';
import { modelName, tokenFigure, validRows } from '#server/models/published-models';

/** Milliseconds; a server nearby answers immediately, or is busy. A choice, not measured. */
const TIMEOUT_MS = 3_000;

/**
 * Creates a reader for the models of an OpenAI-compatible server of any kind.
 * @param baseUrl URL of its OpenAI-compatible interface; usually ends in `/v1`
 * @returns a reader that remembers the kind; it throws NoModelsError if no interface answers
 */
export function createLocalServerReader(
  baseUrl: string,
  apiKey: string | undefined,
  timeoutMs = TIMEOUT_MS,
): (signal: AbortSignal) => Promise<LocalModels> {
  const base = baseUrl.replace(/\/+$/, '');
  const root = base.replace(/\/v1$/, '');
  // The most detailed first: llama.cpp also answers some of Ollama's requests, and all servers have a list of models.
  const kinds: readonly LocalReader[] = [readLmStudio, readLlamaCpp, createOllamaReader()];
  let known: LocalReader | null = null;

  return async (signal) => {
    let isLoading = false;
    const fetchNoted = async (url: string, body?: unknown) => {
      try {
        return await fetchJson(url, { timeoutMs, apiKey, body, signal });
      } catch (error) {
        isLoading ||= error instanceof StatusError && error.isLoading;
        throw error;
      }
    };
    const server: LocalServer = {
      ask: (path, body) => fetchNoted(`${root}${path}`, body),
      list: () => fetchNoted(`${base}/models`),
    };
    for (const kind of new Set(known ? [known, ...kinds] : kinds)) {
      const models = await kind(server);
      if (!models) continue;
      known = kind;
      return models;
    }
    // The plain list has fewer details: it must not replace the detailed list of a server that is only busy or loading.
    const models = known || isLoading ? null : await readOpenAiCompatible(server);
    if (models) return models;
    throw new NoModelsError(isLoading);
  };
}

/** A server does not list its models. */
export class NoModelsError extends Error {
  /** It is still loading a model, and lists nothing before. */
  readonly isLoading: boolean;

  constructor(isLoading: boolean) {
    super('The server does not answer, or not with a list of models.');
    this.isLoading = isLoading;
  }
}

/** Finds the model that a server serves under a name. */
export function findLocalModel({ models, single }: LocalModels, name: string) {
  if (single) return models[0] ?? null;
  // Ollama's names end in a tag; `latest` may be omitted.
  return models.find((model) => model.name === name) ?? models.find((model) => model.name === `${name}:latest`) ?? null;
}

/**
 * Context length that Ollama gives a model on a machine with little memory, tokens. Source: Ollama's page on context
 * length.
 */
const OLLAMA_USUAL_CONTEXT = 4_096;

/** Server program, as far as it alters the requests that it receives. */
export type LocalServerKind = 'lm-studio' | 'llama.cpp' | 'llama-cpp-python' | 'ollama' | 'vllm' | 'other';

/** Context lengths of a model; tokens. */
interface ContextLengths {
  /** With which it is, or would be, loaded; null if the server does not report it. */
  readonly loadedContext: number | null;
  /** Maximum of the model, which may be loaded with less; null if the server does not report it. */
  readonly longestContext: number | null;
}

/** A model as described by its server; tokens. */
export interface LocalModel extends ContextLengths {
  readonly name: string;
  /** Default: false, or unknown. */
  readonly acceptsImages?: boolean;
  /** False: its chat template does not support tools. Default: true, or unknown. */
  readonly acceptsTools?: boolean;
  /** False: its chat template does not support two calls in one message. Default: true, or unknown. */
  readonly acceptsParallelCalls?: boolean;
  /** True: it is loaded on the first request, and the server reports its context length only then. */
  readonly isUnloaded?: boolean;
  /** Context length to assume while the server does not report it; default: a length that is safe with most models. */
  readonly assumedContext?: number;
  /** Ollama's digest of the exact content of the model. */
  readonly digest?: string;
  /** Memory that it uses while loaded, bytes. */
  readonly memoryBytes?: number;
}

/** Models of a local server. */
export interface LocalModels {
  readonly kind: LocalServerKind;
  readonly models: readonly LocalModel[];
  /** True if it runs a single model and ignores the requested name. */
  readonly single: boolean;
}

/** Access to a server's own interface and to its OpenAI-compatible one. */
export interface LocalServer {
  /** GETs, or POSTs a body to, a path of its native interface. @throws Error if it does not answer */
  ask(path: string, body?: unknown): Promise<unknown>;
  /** Gets the list of models of its OpenAI-compatible interface. @throws Error if it does not answer */
  list(): Promise<unknown>;
}

/** Reads one kind of server; null for a server of another kind. */
export type LocalReader = (server: LocalServer) => Promise<LocalModels | null>;

/** The response, or null if the request fails: then it is a server of another kind. */
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
  /** Present only while the model is loaded. */
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
    ...(row.state !== 'loaded' && { isUnloaded: true }),
    // A vision language model.
    ...(row.type === 'vlm' && { acceptsImages: true }),
  }));
  return { kind: 'lm-studio', models, single: false };
};

const ollamaListSchema = z.object({ models: z.array(z.unknown()) });
const bytes = z.int().positive().optional().catch(undefined);
const capabilitiesSchema = z.array(z.string()).catch([]);
const runningSchema = z.object({ name: modelName, context_length: tokenFigure, size: bytes });
const installedSchema = z.object({
  name: modelName,
  digest: z.string().catch(''),
  /** `completion`, `tools`, `vision`, `embedding` ...; older versions report them in /api/show only. */
  capabilities: capabilitiesSchema,
});
const detailsSchema = z.object({
  /** One per line: `num_ctx                        8192`. */
  parameters: z.string().catch(''),
  /** `llama.context_length` and similar: the values with which the model was trained. */
  model_info: z.record(z.string(), z.unknown()).catch({}),
  capabilities: capabilitiesSchema,
});

/** Maximum number of installed models whose details are read; each costs a request. A choice, not measured. */
const MAX_DETAILS = 40;

interface OllamaDetails extends ContextLengths {
  readonly capabilities: readonly string[];
}

/**
 * Ollama. Running models (GET /api/ps) have the context length with which they are loaded. For the others (GET
 * /api/tags) it is in their details (POST /api/show) if the Modelfile sets `num_ctx`; else it depends on the machine
 * and is unknown. Models that cannot chat, such as those that only embed, are omitted.
 */
function createOllamaReader(): LocalReader {
  /** Details never change for a digest. */
  const known = new Map<string, OllamaDetails>();

  return async (server) => {
    const running = ollamaListSchema.safeParse(await orNull(server.ask('/api/ps')));
    if (!running.success) return null;
    const loaded = new Map(validRows(runningSchema, running.data.models).map((row) => [row.name, row]));
    const list = ollamaListSchema.safeParse(await orNull(server.ask('/api/tags')));
    const installed = new Map(validRows(installedSchema, list.data?.models ?? []).map((row) => [row.name, row]));
    const models: LocalModel[] = [];
    for (const name of new Set([...loaded.keys(), ...installed.keys()])) {
      const { digest = '', capabilities: listed = [] } = installed.get(name) ?? {};
      const key = `${name} ${digest}`;
      let details = known.get(key) ?? null;
      if (!details && models.length < MAX_DETAILS) {
        details = await readDetails(server, name);
        if (details) known.set(key, details);
      }
      const { loadedContext = null, longestContext = null, capabilities = [] } = details ?? {};
      const can = new Set([...listed, ...capabilities]);
      if (can.size > 0 && !can.has('completion')) continue;
      const row = loaded.get(name);
      models.push({
        name,
        loadedContext: row?.context_length ?? loadedContext,
        longestContext,
        assumedContext: OLLAMA_USUAL_CONTEXT,
        ...(row === undefined && { isUnloaded: true }),
        ...(digest !== '' && { digest }),
        ...(row?.size !== undefined && { memoryBytes: row.size }),
        ...(can.has('vision') && { acceptsImages: true }),
        ...(can.size > 0 && !can.has('tools') && { acceptsTools: false }),
      });
    }
    return { kind: 'ollama', models, single: false };
  };
}

async function readDetails(server: LocalServer, name: string): Promise<OllamaDetails | null> {
  const details = detailsSchema.safeParse(await orNull(server.ask('/api/show', { model: name })));
  if (!details.success) return null;
  const { parameters, model_info: info, capabilities } = details.data;
  const longestKey = Object.keys(info).find((key) => key.endsWith('.context_length'));
  const longestContext = longestKey === undefined ? null : tokenFigure.parse(info[longestKey]);
  const configured = tokenFigure.parse(Number(/^num_ctx\s+(\d{1,10})\s*$/m.exec(parameters)?.[1]));
  const loadedContext = configured === null ? null : Math.min(configured, longestContext ?? configured);
  return { loadedContext, longestContext, capabilities };
}

const flag = z.boolean().optional().catch(undefined);
const propsSchema = z.object({
  /** `router`: the server loads several models on demand and reports no properties itself. */
  role: z.string().nullish().catch(null),
  /** `n_ctx` is the context of one request: the loaded context divided by the server's slots. */
  default_generation_settings: z.object({ n_ctx: tokenFigure }),
  model_alias: modelName.nullable().catch(null),
  model_path: z.string().catch(''),
  modalities: z.object({ vision: z.boolean() }).catch({ vision: false }),
  /** Capabilities of the model's chat template. */
  chat_template_caps: z.object({ supports_tools: flag, supports_parallel_tool_calls: flag }).catch({}),
});
const routerRowSchema = z.object({
  id: modelName,
  status: z.object({ value: z.string() }).catch({ value: '' }),
  meta: z.object({ n_ctx: tokenFigure, n_ctx_train: tokenFigure }).catch({ n_ctx: null, n_ctx_train: null }),
});

/** llama.cpp's server (GET /props): a single model under any requested name, or several (GET /v1/models). */
const readLlamaCpp: LocalReader = async (server) => {
  const props = propsSchema.safeParse(await orNull(server.ask('/props')));
  if (!props.success) return null;
  if (props.data.role === 'router') return readRouter(server);
  const { model_alias: alias, model_path: path } = props.data;
  const file = modelName.safeParse(path.split(/[/\\]/).at(-1));
  const name = alias ?? file.data ?? 'default';
  return { kind: 'llama.cpp', models: [{ name, ...describedBy(props.data) }], single: true };
};

function describedBy({
  default_generation_settings: defaults,
  modalities,
  chat_template_caps: caps,
}: z.infer<typeof propsSchema>) {
  return {
    loadedContext: defaults.n_ctx,
    longestContext: null,
    ...(modalities.vision && { acceptsImages: true }),
    ...(caps.supports_tools === false && { acceptsTools: false }),
    // A template without tools reports no parallel calls either.
    ...(caps.supports_tools && caps.supports_parallel_tool_calls === false && { acceptsParallelCalls: false }),
  };
}

/** Reads the properties of loaded models only: the query would load a model that is not. */
async function readRouter(server: LocalServer): Promise<LocalModels | null> {
  const list = listSchema.safeParse(await orNull(server.list()));
  if (!list.success) return null;
  const models = await Promise.all(
    validRows(routerRowSchema, list.data.data).map(async ({ id, status, meta }): Promise<LocalModel> => {
      const plain = { name: id, loadedContext: meta.n_ctx, longestContext: meta.n_ctx_train };
      if (status.value !== 'loaded') return { ...plain, isUnloaded: true };
      const props = propsSchema.safeParse(await orNull(server.ask(`/props?model=${encodeURIComponent(id)}`)));
      if (!props.success) return plain;
      const described = describedBy(props.data);
      return {
        ...plain,
        ...described,
        loadedContext: described.loadedContext ?? meta.n_ctx,
        longestContext: meta.n_ctx_train,
      };
    }),
  );
  return { kind: 'llama.cpp', models, single: false };
}

const listSchema = z.object({ data: z.array(z.unknown()) });
/** vLLM adds `max_model_len`, llama.cpp `meta`; other servers report names only. */
const rowSchema = z.object({
  id: modelName,
  owned_by: z.string().catch(''),
  permissions: z.unknown().optional(),
  max_model_len: tokenFigure,
  meta: z.object({ n_ctx: tokenFigure }).catch({ n_ctx: null }),
});

/** Any other server, through the list of models that all have (GET {base}/models). */
const readOpenAiCompatible: LocalReader = async (server) => {
  const list = listSchema.safeParse(await orNull(server.list()));
  if (!list.success) return null;
  const rows = validRows(rowSchema, list.data.data);
  const models = rows.map((row) => ({
    name: row.id,
    loadedContext: row.max_model_len ?? row.meta.n_ctx,
    longestContext: null,
    // Ollama, if a proxy forwards nothing else: it loads a model with 4,096 tokens and cuts requests silently.
    ...(row.owned_by === 'library' && { assumedContext: OLLAMA_USUAL_CONTEXT }),
  }));
  // "me" and an empty list of permissions, as in its source code.
  const isPython = rows.length > 0 && rows.every((row) => row.owned_by === 'me' && Array.isArray(row.permissions));
  const isLlamaCpp = rows.length > 0 && rows.every((row) => row.owned_by === 'llamacpp');
  const isVllm = rows.length > 0 && rows.every((row) => row.owned_by === 'vllm');
  const kind = isPython ? 'llama-cpp-python' : isLlamaCpp ? 'llama.cpp' : isVllm ? 'vllm' : 'other';
  return { kind, models, single: false };
};

/** Model servers for personal machines, with their default ports. */
const DEFAULT_SERVERS = [
  { name: 'LM Studio', port: 1234 },
  { name: 'Ollama', port: 11_434 },
  { name: 'llama.cpp', port: 8080 },
  { name: 'vLLM', port: 8000 },
  { name: 'llama.cpp', port: 9931 },
] as const;

/** Milliseconds; on the same machine, a listening server answers immediately. A choice, not measured. */
const SEARCH_TIMEOUT_MS = 1_500;

interface FoundServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  /** It is loading its model: it answers every request with status 503. */
  readonly isLoading: boolean;
}

/**
 * Searches for model servers on this machine at their default ports.
 * @param ownPort port of this server, which must not find itself
 */
export async function findLocalServers(
  ownPort: number,
  servers: readonly { readonly name: string; readonly port: number }[] = DEFAULT_SERVERS,
): Promise<FoundServer[]> {
  const asked = servers.filter(({ port }) => port !== ownPort);
  const found = await Promise.all(
    asked.map(async ({ name, port }) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const gate = requestGate(baseUrl);
      if (gate.mustBeAlone && gate.isBusy) return null;
      const read = createLocalServerReader(baseUrl, undefined, SEARCH_TIMEOUT_MS);
      try {
        const { models } = await gate.aside(() => read(AbortSignal.timeout(SEARCH_TIMEOUT_MS * 4)));
        return { name, baseUrl, models: models.map((model) => model.name), isLoading: false };
      } catch (error) {
        const isLoading = error instanceof NoModelsError && error.isLoading;
        return isLoading ? { name, baseUrl, models: [], isLoading } : null;
      }
    }),
  );
  return found.filter((server) => server !== null);
}
