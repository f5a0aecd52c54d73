import { z } from 'zod';
import { type Env, withoutCredentials } from '#server/config/env';
import { InvalidInputError } from '#server/core/errors';
import type { ProviderId, ProviderReport, ProviderTest } from '#server/core/settings-report';
import { fetchJson, StatusError } from '#server/models/fetch-json';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { ModelChoice } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers';

const TIMEOUT_MS = 10_000;

const listSchema = z.object({ data: z.array(z.unknown()).max(20_000) });
const rowSchema = z.object({ id: z.string().min(1).max(200) });

type Findings = Pick<ProviderTest, 'models' | 'modelId' | 'message'>;

/** Sends a provider a small real request and describes the outcome in plain words. Never throws, never shows a key. */
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
  message: 'The basic assistant is part of the program and always there.',
};

/** The endpoint to ask; null if there is none, or the name of the missing variable. */
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

/** True if the key is valid, false if the server cannot say. @throws StatusError if the key is refused */
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

/** Address of a provider, and the variables that configure it. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly keyVariable: string;
  readonly urlVariable: string;
}

/** Describes a failure and what to do about it, without the key or the server's own words. */
function describeFailure(error: unknown, endpoint: Endpoint, timeoutMs: number): string {
  const address = withoutCredentials(endpoint.baseUrl);
  if (error instanceof StatusError) return describeStatus(error.status, endpoint);
  if (error instanceof SyntaxError) {
    return `What answers at ${address} does not answer in JSON. ${checkAddress(endpoint)}`;
  }
  if (error instanceof z.ZodError) {
    return `What answers at ${address} has no list of models. ${checkAddress(endpoint)}`;
  }
  if (nameOf(error) === 'TimeoutError') return `No answer from ${address} within ${timeoutMs / 1_000} seconds.`;
  return describeConnection(error, endpoint);
}

function describeStatus(status: number, endpoint: Endpoint): string {
  const address = withoutCredentials(endpoint.baseUrl);
  if (status === 401 || status === 403) {
    return endpoint.apiKey === undefined
      ? `The server wants a key (${status}): set ${endpoint.keyVariable}.`
      : `The server refuses the key (${status}). Check ${endpoint.keyVariable}.`;
  }
  if (status === 404 || status === 405) {
    return `There is no list of models below ${address} (${status}). ${checkAddress(endpoint)}`;
  }
  if (status === 429) return 'The server has had too many requests (429). Try again later.';
  return `The server answers with an error (${status}).`;
}

function checkAddress({ baseUrl, urlVariable }: Endpoint): string {
  const isUsual = /\/v1\/*$/.test(withoutCredentials(baseUrl));
  return isUsual ? `Check ${urlVariable}.` : `Check ${urlVariable}: the address usually ends in /v1.`;
}

function describeConnection(error: unknown, { baseUrl, urlVariable, keyVariable }: Endpoint): string {
  const { host, username, password } = new URL(baseUrl);
  if (username !== '' || password !== '') {
    return `An address with a name and a password cannot be used. Set the key in ${keyVariable}.`;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = codeOf(cause);
  if (code === 'ECONNREFUSED') return `Nothing answers at ${host}: the connection was refused. Is the server running?`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name ${host} cannot be found. Check ${urlVariable}.`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `There is no way to ${host} from here.`;
  if (/CERT|TLS|SSL/.test(code)) return `The certificate of ${host} is not trusted (${code}).`;
  if (error instanceof InvalidInputError && /redirect/.test(error.message)) {
    return `${host} redirects to another address, which is not followed. Check ${urlVariable}.`;
  }
  if (error instanceof InvalidInputError && /link-local/.test(error.message)) {
    return `${error.message} Check ${urlVariable}.`;
  }
  if (error instanceof Error && /bytes/.test(error.message)) return `The answer of ${host} is too large.`;
  return `The connection to ${host} broke.`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** The error code; of several tried addresses, the first one's. */
function codeOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = typeof first === 'object' && first !== null && 'code' in first ? first.code : '';
  return typeof code === 'string' ? code : '';
}

type ProviderEnv = Pick<
  Env,
  'OPENROUTER_API_KEY' | 'OPENROUTER_BASE_URL' | 'OPENAI_COMPATIBLE_API_KEY' | 'OPENAI_COMPATIBLE_BASE_URL'
>;

/** Report of all providers without secrets. `choices` are the models offered now. */
export function describeProviders(env: ProviderEnv, choices: readonly ModelChoice[]): ProviderReport[] {
  const local = env.OPENAI_COMPATIBLE_BASE_URL;
  const reports: Omit<ProviderReport, 'models'>[] = [
    { id: 'built-in', configured: true, baseUrl: null, hasKey: false, variables: [] },
    {
      id: 'openrouter',
      configured: env.OPENROUTER_API_KEY !== undefined,
      baseUrl: withoutCredentials(env.OPENROUTER_BASE_URL),
      hasKey: env.OPENROUTER_API_KEY !== undefined,
      variables: ['OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL'],
    },
    {
      id: 'openai-compatible',
      configured: local !== undefined,
      baseUrl: local === undefined ? null : withoutCredentials(local),
      hasKey: env.OPENAI_COMPATIBLE_API_KEY !== undefined,
      variables: ['OPENAI_COMPATIBLE_BASE_URL', 'OPENAI_COMPATIBLE_API_KEY'],
    },
  ];
  return reports.map((report) => ({
    ...report,
    models: choices.filter(({ provider }) => provider === report.id).length,
  }));
}
