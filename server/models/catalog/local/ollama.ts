import { z } from 'zod';
import { orNull, type LocalModel, type LocalReader, type LocalServer } from '#server/models/catalog/local/local-server';
import { modelName, tokenFigure, validRows } from '#server/models/catalog/token-figure';

const listSchema = z.object({ models: z.array(z.unknown()) });
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
 * Ollama: what runs (GET /api/ps) says how it is loaded; of the others (GET /api/tags) the details (POST /api/show) say
 * how they will be, if their Modelfile sets `num_ctx`. Otherwise that depends on the machine, and is not known before.
 */
export function createOllamaReader(): LocalReader {
  /** Details never change for a digest. */
  const known = new Map<string, Omit<LocalModel, 'name'>>();

  return async (server) => {
    const running = listSchema.safeParse(await orNull(server.ask('/api/ps')));
    if (!running.success) return null;
    const loaded = new Map(
      validRows(runningSchema, running.data.models).map(({ name, context_length: length }) => [name, length]),
    );
    const installed = listSchema.safeParse(await orNull(server.ask('/api/tags')));
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
