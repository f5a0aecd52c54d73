import { z } from 'zod';
import { tryTools } from '#server/agent/try-tools';
import { parseEnv, withoutCredentials } from '#server/config/env';
import { InvalidInputError } from '#server/core/errors';
import type { ProviderProblem, ProviderTest } from '#server/core/providers';
import { addressOf, type Connection, connectionVariables } from '#server/models/connections';
import { fetchVendorModels, findVendorModel as findListed, isVendor } from '#server/models/direct-providers';
import { fetchJson, StatusError } from '#server/models/fetch-json';
import { findKnownModel } from '#server/models/model-limits';
import { LOCAL_PREFIX, type ModelSource } from '#server/models/providers';
import { firstRecommended } from '#server/models/recommended';
import { whyUnreachable } from '#server/outgoing/unreachable';

/** The longest waits, milliseconds: for a list, and for the model's answer, which may have to be loaded first. */
const LIST_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = { hosted: 60_000, local: 180_000 };

export interface TrialOptions {
  /** The model to try. Null: the recommended one of its models. */
  readonly modelId: string | null;
  /** The model of an id, by this connection. `wireName` is what the provider itself calls it, where that is known. */
  readonly find: (modelId: string, wireName: string | undefined) => ModelSource | null;
  readonly listTimeoutMs?: number;
  readonly answerTimeoutMs?: number;
}

/**
 * Asks a provider for its models and one of them to use a tool, and describes the outcome in plain words. Never throws,
 * never shows a key. A wrong key, a model without tools and a server that does not answer are told apart.
 */
export async function tryProvider(connection: Connection, options: TrialOptions): Promise<ProviderTest> {
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  const nothing = { models: null, modelId: null, choices: [] };
  const listTimeoutMs = options.listTimeoutMs ?? LIST_TIMEOUT_MS;
  let listed: readonly ListedModel[];
  try {
    listed = await listModels(connection, listTimeoutMs);
  } catch (error) {
    return { ok: false, latencyMs: latencyMs(), ...nothing, ...listFailure(error, connection, listTimeoutMs) };
  }
  const choices = inOrder(listed);
  const modelId = options.modelId ?? choices[0]?.id ?? null;
  const found = { models: listed.length, modelId, choices: choices.map(({ id, name }) => ({ id, name })) };
  const failure =
    modelId === null
      ? { problem: 'model' as const, message: 'The server answers, but has no model loaded. Load one, then try again.' }
      : await toolFailure(modelId, listed, connection, options);
  const ok = failure === null;
  const message = `The server answers with ${modelsInWords(listed.length)}; ${modelId} uses tools.`;
  return { ok, latencyMs: latencyMs(), ...found, ...(failure ?? { problem: null, message }) };
}

type Failure = Pick<ProviderTest, 'message'> & { readonly problem: ProviderProblem };

/* The list of models. */

interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly wireName?: string;
}

const listSchema = z.object({ data: z.array(z.unknown()).max(20_000) });
const rowSchema = z.object({
  id: z.string().min(1).max(190),
  name: z.string().max(200).optional().catch(undefined),
  /** OpenRouter says so of each. */
  supported_parameters: z.array(z.string()).optional().catch(undefined),
});

/** @throws StatusError, z.ZodError, and what fetch throws */
async function listModels(connection: Connection, timeoutMs: number): Promise<ListedModel[]> {
  const { id, baseUrl, apiKey } = connection;
  if (isVendor(id)) return fetchVendorModels({ id, baseUrl, apiKey }, { timeoutMs });
  const base = baseUrl.replace(/\/+$/, '');
  const options = { timeoutMs, apiKey };
  const [list] = await Promise.all([
    fetchJson(`${base}/models`, options),
    // Anybody may read OpenRouter's list of models; only this shows whether the key is good.
    id === 'openrouter' ? checkKey(`${base}/key`, options) : null,
  ]);
  const rows = listSchema.parse(list).data.flatMap((row) => rowSchema.safeParse(row).data ?? []);
  if (id !== 'openrouter') return rows.map((row) => ({ id: `${LOCAL_PREFIX}${row.id}`, name: row.id }));
  const usable = rows.filter(({ supported_parameters: taken }) => taken === undefined || taken.includes('tools'));
  return usable.map((row) => ({ id: row.id, name: row.name ?? row.id }));
}

/** @throws StatusError if the key is refused; some servers with OpenRouter's protocol cannot say */
async function checkKey(url: string, options: Parameters<typeof fetchJson>[1]): Promise<void> {
  try {
    await fetchJson(url, options);
  } catch (error) {
    if (!(error instanceof StatusError && error.status === 404)) throw error;
  }
}

/** More to choose from help nobody. */
const MOST_CHOICES = 500;

/** The recommended model first, then those we know, then the others; of a local server as they come, what only embeds last. */
function inOrder(listed: readonly ListedModel[]): ListedModel[] {
  const first = firstRecommended((id) => listed.some((model) => sameModel(model.id, id)));
  const rank = ({ id }: ListedModel) => {
    if (id.startsWith(LOCAL_PREFIX)) return /embed/i.test(id) ? 3 : 2;
    if (first !== undefined && sameModel(id, first)) return 0;
    return findKnownModel(id) ? 1 : 2;
  };
  const ordered = listed.toSorted((one, other) => rank(one) - rank(other));
  // An id of the table is the one that everything else calls the model by.
  const named = ordered.map((model) => ({
    ...model,
    id: isLocal(model) ? model.id : (findKnownModel(model.id)?.id ?? model.id),
  }));
  return [...new Map(named.map((model) => [model.id, model])).values()].slice(0, MOST_CHOICES);
}

const isLocal = ({ id }: ListedModel) => id.startsWith(LOCAL_PREFIX);
const sameModel = (one: string, other: string) => one === other || findKnownModel(one)?.id === other;

function modelsInWords(models: number): string {
  return models === 1 ? '1 model' : `${models.toLocaleString('en-US')} models`;
}

/** Null where the model has used a tool. */
async function toolFailure(
  modelId: string,
  listed: readonly ListedModel[],
  connection: Connection,
  options: TrialOptions,
): Promise<Failure | null> {
  const source = options.find(modelId, findListed(listed, modelId)?.wireName);
  if (!source) return { problem: 'model', message: `${modelId} is not a model of this provider. Choose another one.` };
  const usualMs = connection.id === 'openai-compatible' ? ANSWER_TIMEOUT_MS.local : ANSWER_TIMEOUT_MS.hosted;
  const failure = await tryTools(modelId, source.create(), options.answerTimeoutMs ?? usualMs);
  return failure?.problem === 'key' ? { problem: 'key', message: keyRefused(connection, null) } : failure;
}

/* Advice about a list that cannot be read. */

/** Describes a failure and what to do about it, without the key or the server's own words. */
function listFailure(error: unknown, connection: Connection, timeoutMs: number): Failure {
  const address = withoutCredentials(connection.baseUrl);
  if (error instanceof StatusError) return statusFailure(error.status, connection);
  const other = (message: string): Failure => ({ problem: 'other', message });
  if (error instanceof SyntaxError) {
    return other(`What answers at ${address} does not answer in JSON. ${checkAddress(connection)}`);
  }
  if (error instanceof z.ZodError) {
    return other(`What answers at ${address} has no list of models. ${checkAddress(connection)}`);
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { problem: 'unreachable', message: `No answer from ${address} within ${timeoutMs / 1_000} seconds.` };
  }
  return connectionFailure(error, connection);
}

function statusFailure(status: number, connection: Connection): Failure {
  const address = withoutCredentials(connection.baseUrl);
  // Google answers a wrong key with 400.
  if (status === 401 || status === 403 || (status === 400 && connection.id === 'google')) {
    return { problem: 'key', message: keyRefused(connection, status) };
  }
  if (status === 404 || status === 405) {
    const message = `There is no list of models below ${address} (${status}). ${checkAddress(connection)}`;
    return { problem: 'other', message };
  }
  if (status === 402) return { problem: 'credit', message: 'The account has no credit left (402). Add some there.' };
  if (status === 429) {
    return { problem: 'other', message: 'The server has had too many requests (429). Try again later.' };
  }
  return { problem: 'unreachable', message: `The server answers with an error (${status}). Try again in a moment.` };
}

function keyRefused({ id, apiKey, source }: Connection, status: number | null): string {
  const seen = status === null ? '' : ` (${status})`;
  const { key } = connectionVariables[id];
  if (apiKey === undefined) {
    return `The server wants a key${seen}: ${source === 'environment' ? `set ${key}` : 'enter one'}.`;
  }
  const next = source === 'environment' ? `Check ${key}.` : 'Copy it again, whole, or make a new one there.';
  return `The server refuses the key${seen}. ${next}`;
}

/** The addresses of an environment that sets nothing. */
const USUAL = parseEnv({});

function checkAddress({ id, baseUrl, source }: Connection): string {
  if (baseUrl === addressOf(id, USUAL)) return 'Check that this server reaches the internet.';
  const isUsual = /\/v1\/*$/.test(withoutCredentials(baseUrl)) || id !== 'openai-compatible';
  const what = source === 'environment' || id !== 'openai-compatible' ? connectionVariables[id].url : 'the address';
  return isUsual ? `Check ${what}.` : `Check ${what}: it usually ends in /v1.`;
}

function connectionFailure(error: unknown, connection: Connection): Failure {
  const { host } = new URL(connection.baseUrl);
  const unreachable = (message: string): Failure => ({ problem: 'unreachable', message });
  const other = (message: string): Failure => ({ problem: 'other', message });
  if (error instanceof InvalidInputError) {
    const isElsewhere = /redirect/.test(error.message);
    const what = isElsewhere ? `${host} redirects to another address, which is not followed.` : error.message;
    return other(`${what} ${checkAddress(connection)}`);
  }
  const { problem, message } = whyUnreachable(error, host);
  if (problem === 'certificate') return other(message);
  return unreachable(problem === 'name' ? `${message} ${checkAddress(connection)}` : message);
}
