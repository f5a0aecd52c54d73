import type { ServerText } from '#server/core/coded-message';
import { messageOfText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { type Failure, keyRefused, listFailure } from '#server/settings/provider-advice';
import { z } from 'zod';
import { tryTools } from '#server/conversation/step/try-tools';
import type { ProviderTest } from '#server/core/admin/providers';
import type { Connection } from '#server/models/connections';
import { fetchVendorModels, findVendorModel as findListed, isVendor } from '#server/models/direct-providers';
import { LOCAL_SILENCE } from '#server/models/wire/model-fetch';
import { whenLoaded } from '#server/models/wire/loading';
import { fetchJson, type FetchJsonOptions, StatusError } from '#server/models/wire/fetch-json';
import { findKnownModel } from '#server/models/model-limits';
import { fileNameOf, openedModel } from '#server/models/model-registry';
import { LOCAL_PREFIX, type ModelSource } from '#server/models/providers';
import { requestGate } from '#server/models/wire/request-gate';
import { firstRecommended } from '#server/models/recommended';

/** How long to wait for the list of models, milliseconds. */
const LIST_TIMEOUT_MS = 10_000;

/** How long a model may send nothing, milliseconds. */
const SILENCE_MS = { hosted: 60_000, local: 20_000 };

/** How a provider is tested. */
export interface TrialOptions {
  /** The model to test. Null: the recommended one. */
  readonly modelId: string | null;
  /** Finds the model with this id on this connection. `wireName` is the provider's own name for it, if known. */
  readonly find: (modelId: string, wireName: string | undefined) => ModelSource | null;
  /** Aborts the test when the client has disconnected. */
  readonly signal?: AbortSignal | undefined;
  /** Number of parallel requests, as set for local servers; 0: not set. */
  readonly parallelRequests?: () => number;
  readonly listTimeoutMs?: number;
  /** Longest wait while the server loads its model, milliseconds. Default: ten minutes. */
  readonly loadTimeoutMs?: number;
  readonly answerTimeoutMs?: number;
}

/**
 * Requests the model list of a provider, has one model use a tool, and describes the outcome in plain language. Never
 * throws, never shows a key. Distinguishes a wrong key, a model without tool support, and a server that does not
 * answer.
 */
export async function tryProvider(connection: Connection, options: TrialOptions): Promise<ProviderTest> {
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  const nothing = { models: null, modelId: null, choices: [] };
  const listTimeoutMs = options.listTimeoutMs ?? LIST_TIMEOUT_MS;
  let listed: readonly ListedModel[];
  try {
    listed = await listWhenLoaded(connection, listTimeoutMs, options);
  } catch (error) {
    const failure = listFailure(error, connection, listTimeoutMs);
    return { ok: false, latencyMs: latencyMs(), ...nothing, ...outcome(failure) };
  }
  const choices = await chatModels(inOrder(listed), options);
  const modelId = options.modelId ?? choices[0]?.id ?? null;
  const found = { models: listed.length, modelId, choices: choices.map(({ id, name }) => ({ id, name })) };
  const failure =
    modelId === null
      ? { problem: 'model' as const, text: serverText('provider-test-no-model') }
      : await toolFailure(modelId, listed, connection, options);
  const ok = failure === null;
  const passed = serverText('provider-test-passed', { count: listed.length, model: modelId });
  return { ok, latencyMs: latencyMs(), ...found, ...outcome(failure ?? { problem: null, text: passed }) };
}

/** The end of a test as its result contains it. */
function outcome({ problem, text }: { readonly problem: ProviderTest['problem']; readonly text: ServerText }) {
  return { problem, message: text.text, reason: messageOfText(text) };
}

/** A model as the provider lists it. */
interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly wireName?: string;
}

const listSchema = z.object({ data: z.array(z.unknown()).max(20_000) });
const rowSchema = z.object({
  id: z.string().min(1).max(190),
  name: z.string().max(200).optional().catch(undefined),
  /** OpenRouter lists these for each model. */
  supported_parameters: z.array(z.string()).optional().catch(undefined),
});

/**
 * The list, after the server has loaded its model: llama.cpp refuses all requests before.
 * @throws like `listModels`, or the signal's reason
 */
async function listWhenLoaded(connection: Connection, timeoutMs: number, { signal, loadTimeoutMs }: TrialOptions) {
  const limit = AbortSignal.timeout(loadTimeoutMs ?? LOCAL_SILENCE.firstTokenMs);
  const list = () => requestGate(connection.baseUrl).aside(() => listModels(connection, timeoutMs), signal);
  return whenLoaded(async () => {
    try {
      return await list();
    } catch (error) {
      if (error instanceof StatusError && error.isLoading && !limit.aborted) return null;
      throw error;
    }
  }, signal);
}

/** @throws StatusError, z.ZodError, and the errors of `fetch` */
async function listModels(connection: Connection, timeoutMs: number): Promise<ListedModel[]> {
  const { id, baseUrl, apiKey } = connection;
  if (isVendor(id)) return fetchVendorModels({ id, baseUrl, apiKey }, { timeoutMs });
  const base = baseUrl.replace(/\/+$/, '');
  const options = { timeoutMs, apiKey };
  const [list] = await Promise.all([
    fetchJson(`${base}/models`, options),
    // OpenRouter's list of models is public; only this request shows whether the key is valid.
    id === 'openrouter' ? checkKey(`${base}/key`, options) : null,
  ]);
  const rows = listSchema.parse(list).data.flatMap((row) => rowSchema.safeParse(row).data ?? []);
  if (id !== 'openrouter') return rows.map((row) => ({ id: `${LOCAL_PREFIX}${row.id}`, name: fileNameOf(row.id) }));
  const usable = rows.filter(({ supported_parameters: taken }) => taken === undefined || taken.includes('tools'));
  return usable.map((row) => ({ id: row.id, name: row.name ?? row.id }));
}

/** @throws StatusError if the key is refused; some servers with OpenRouter's protocol cannot check it */
async function checkKey(url: string, options: FetchJsonOptions): Promise<void> {
  try {
    await fetchJson(url, options);
  } catch (error) {
    if (!(error instanceof StatusError && error.status === 404)) throw error;
  }
}

/** Usual names of models that embed, rank, listen, speak or draw: LocalAI and gateways list them like any other. */
const CANNOT_CHAT = /embed|rerank|minilm|\bbge\b|\be5\b|whisper|\btts\b|diffusion|\bflux\b/i;

/** Maximum number of models to choose from: a longer list would not help. */
const MAX_CHOICES = 500;

/**
 * The recommended model first, then known models, then the others. Models of a local server keep their order, with those
 * that cannot chat last.
 */
function inOrder(listed: readonly ListedModel[]): ListedModel[] {
  const first = firstRecommended((id) => listed.some((model) => sameModel(model.id, id)));
  const rank = ({ id }: ListedModel) => {
    if (id.startsWith(LOCAL_PREFIX)) return CANNOT_CHAT.test(id) ? 3 : 2;
    if (first !== undefined && sameModel(id, first)) return 0;
    return findKnownModel(id) ? 1 : 2;
  };
  const ordered = listed.toSorted((one, other) => rank(one) - rank(other));
  // If the id is in our table, the rest of the code uses that id for the model.
  const named = ordered.map((model) => ({
    ...model,
    id: isLocal(model) ? model.id : (findKnownModel(model.id)?.id ?? model.id),
  }));
  return [...new Map(named.map((model) => [model.id, model])).values()].slice(0, MAX_CHOICES);
}

/**
 * Models of a local server that can chat, according to its description: first those that support tools and are loaded.
 */
async function chatModels(models: readonly ListedModel[], options: TrialOptions): Promise<readonly ListedModel[]> {
  const [first] = models;
  const server = first && options.find(first.id, first.wireName)?.local?.server;
  if (!server || (await server.kind()) === null) return models;
  const described = (model: ListedModel) => server.find(model.id.slice(LOCAL_PREFIX.length));
  const able = models.filter((model) => described(model) !== null);
  const rank = (model: ListedModel) => {
    const { acceptsTools = true, isUnloaded = false } = described(model) ?? {};
    return (acceptsTools ? 0 : 2) + (isUnloaded ? 1 : 0);
  };
  return able.length === 0 ? models : able.toSorted((one, other) => rank(one) - rank(other));
}

const isLocal = ({ id }: ListedModel) => id.startsWith(LOCAL_PREFIX);
const sameModel = (one: string, other: string) => one === other || findKnownModel(one)?.id === other;

/** Why the model did not use a tool; null if it did. */
async function toolFailure(
  modelId: string,
  listed: readonly ListedModel[],
  connection: Connection,
  options: TrialOptions,
): Promise<Failure | null> {
  const source = options.find(modelId, findListed(listed, modelId)?.wireName);
  if (!source) return { problem: 'model', text: serverText('provider-test-other-model', { model: modelId }) };
  const usualMs = source.local ? SILENCE_MS.local : SILENCE_MS.hosted;
  const silenceMs = options.answerTimeoutMs ?? usualMs;
  const model = openedModel(source, 'chat', options.parallelRequests ?? (() => 0));
  const failure = await tryTools(modelId, model, { silenceMs, signal: options.signal });
  const { server, name } = source.local ?? {};
  // The reason of a model that has not called the tool, where its server states one.
  if (failure?.problem === 'tools' && name !== undefined && server?.find(name)?.acceptsTools === false) {
    // `--chat-template-file` of llama.cpp replaces the template of the model file.
    const params = { reason: failure.text, hasTemplates: server.runsTemplates };
    return { ...failure, text: serverText('provider-test-tools-denied', params) };
  }
  return failure?.problem === 'key' ? { problem: 'key', text: keyRefused(connection, null) } : failure;
}
