import { z } from 'zod';
import type { ProviderId, ProviderTest } from '#server/core/settings-report';
import type { Env } from '#server/env';
import { fetchJson, StatusError } from '#server/models/catalog/fetch-json';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import { LOCAL_PREFIX } from '#server/models/providers/openai-compatible';
import { describeFailure, type Endpoint } from '#server/models/providers/describe-failure';

const TIMEOUT_MS = 10_000;

const listSchema = z.object({ data: z.array(z.unknown()).max(20_000) });
const rowSchema = z.object({ id: z.string().min(1).max(200) });

type Findings = Pick<ProviderTest, 'models' | 'modelId' | 'message'>;

/** Asks a provider a small real question, and says in plain words what came of it. Never throws, never tells a key. */
export async function testProvider(id: ProviderId, env: Env, timeoutMs = TIMEOUT_MS): Promise<ProviderTest> {
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  const endpoint = endpointOf(id, env);
  if (typeof endpoint === 'string') {
    return { ok: false, latencyMs: 0, models: null, modelId: null, message: `Not configured: set ${endpoint}.` };
  }
  try {
    const findings = endpoint === null ? builtIn : await ask(id, endpoint, timeoutMs);
    return { ok: true, latencyMs: latencyMs(), ...findings };
  } catch (error) {
    const message = describeFailure(error, endpoint!, timeoutMs);
    return { ok: false, latencyMs: latencyMs(), models: null, modelId: null, message };
  }
}

const builtIn: Findings = {
  models: 1,
  modelId: OFFLINE_MODEL_ID,
  message: 'The offline assistant is part of the program and always there.',
};

/** Null: nobody has to be asked. A string: the variable that is missing. */
function endpointOf(id: ProviderId, env: Env): Endpoint | string | null {
  if (id === 'built-in') return null;
  if (id === 'openrouter') {
    const { OPENROUTER_BASE_URL: baseUrl, OPENROUTER_API_KEY: apiKey } = env;
    if (apiKey === undefined) return 'OPENROUTER_API_KEY';
    return { baseUrl, apiKey, keyVariable: 'OPENROUTER_API_KEY', urlVariable: 'OPENROUTER_BASE_URL' };
  }
  const { OPENAI_COMPATIBLE_BASE_URL: baseUrl, OPENAI_COMPATIBLE_API_KEY: apiKey } = env;
  if (baseUrl === undefined) return 'OPENAI_COMPATIBLE_BASE_URL';
  const variables = { keyVariable: 'OPENAI_COMPATIBLE_API_KEY', urlVariable: 'OPENAI_COMPATIBLE_BASE_URL' };
  return { baseUrl, apiKey, ...variables };
}

async function ask(id: ProviderId, endpoint: Endpoint, timeoutMs: number): Promise<Findings> {
  const base = endpoint.baseUrl.replace(/\/+$/, '');
  const options = { timeoutMs, apiKey: endpoint.apiKey };
  const isOpenRouter = id === 'openrouter';
  const [list, keyIsGood] = await Promise.all([
    fetchJson(`${base}/models`, options),
    // Anybody may read OpenRouter's list of models; only this shows whether the key is good.
    isOpenRouter ? checkKey(`${base}/key`, options) : null,
  ]);
  const { data } = listSchema.parse(list);
  const names = data.map((row) => rowSchema.safeParse(row)).flatMap((row) => (row.success ? [row.data.id] : []));
  const [first] = names;
  return {
    models: names.length,
    modelId: first === undefined ? null : isOpenRouter ? first : `${LOCAL_PREFIX}${first}`,
    message: success(names.length, keyIsGood),
  };
}

/** False where the server cannot say. @throws StatusError where the key is refused */
async function checkKey(url: string, options: Parameters<typeof fetchJson>[1]): Promise<boolean> {
  try {
    await fetchJson(url, options);
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.status === 404) return false;
    throw error;
  }
}

function success(models: number, keyIsGood: boolean | null): string {
  const count = models === 1 ? '1 model' : `${models.toLocaleString('en-US')} models`;
  if (models === 0) return 'The server answers, but has no model loaded.';
  if (keyIsGood === null) return `The server answers with ${count}.`;
  return keyIsGood
    ? `The server answers with ${count}, and the key is good.`
    : `The server answers with ${count}; whether the key is good, it does not say.`;
}
