import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import type { ConnectableId } from '#server/core/provider-words';
import { clientFieldsOf } from '#server/models/client-fields';
import type { Connection } from '#server/models/connections';
import { fetchJson } from '#server/models/fetch-json';
import { findKnownModel } from '#server/models/model-limits';
import { idForms, idKey, modelName, tokenFigure, validRows, type VendorModel } from '#server/models/published-models';
import type { CreateProvider } from '#server/models/providers';

/* Vendors that are asked directly, with a key of theirs. Their models have OpenRouter's ids: `anthropic/claude-sonnet-5.5`. */

/** Vendors with an interface of their own; the id of the provider is also the vendor's in ids of models. */
export const vendorIds = ['anthropic', 'openai', 'google'] as const satisfies readonly ConnectableId[];
export type VendorId = (typeof vendorIds)[number];

export const isVendor = (id: ConnectableId): id is VendorId => vendorIds.some((vendor) => vendor === id);

/** The model of a vendor's list that an id means, of a release only that one; null where it lists none. */
export function findVendorModel<Model extends { readonly id: string }>(
  models: readonly Model[],
  id: string,
): Model | null {
  const wanted = idKey(id);
  const isMeant = (model: Model) => idForms(model.id).includes(wanted);
  return models.find((model) => idKey(model.id) === wanted) ?? models.find(isMeant) ?? null;
}

/** The ids under which a vendor's models are offered, each once: that of the table where it has the model. */
export function offeredIds(models: readonly VendorModel[]): string[] {
  return [...new Set(models.map(({ id }) => findKnownModel(id)?.id ?? id))];
}

/** Serves `vendor/name`, and a known model also by its bare name; variants (`name:free`) are OpenRouter's alone. */
const vendorProvider =
  (
    vendor: VendorId,
    open: (connection: Connection, fetch: Parameters<CreateProvider>[1]['fetch']) => (name: string) => LanguageModelV4,
  ) =>
  (...[connection, { fetch, wireName }]: Parameters<CreateProvider>): ReturnType<CreateProvider> => {
    const create = open(connection, fetch);
    return {
      find(asked) {
        const id = asked.includes('/') ? asked : findKnownModel(asked)?.id;
        const [, name] = new RegExp(`^${vendor}/([^/:]+)$`).exec(id ?? '') ?? [];
        if (id === undefined || name === undefined) return null;
        const middleware = clientFieldsOf(vendor);
        const createModel = () => create(wireName(id) ?? usualName[vendor](name));
        return { id, provider: vendor, create: () => wrapLanguageModel({ model: createModel(), middleware }) };
      },
    };
  };

/** The vendor's name for a model of which there is no list yet. Anthropic writes no dots. */
const usualName: Readonly<Record<VendorId, (name: string) => string>> = {
  anthropic: (name) => name.replaceAll('.', '-'),
  openai: (name) => name,
  google: (name) => name,
};

export const anthropic = vendorProvider('anthropic', ({ baseUrl: baseURL, apiKey = '' }, fetch) =>
  createAnthropic({ baseURL, apiKey, fetch }),
);

/**
 * OpenAI keeps nothing of a request: what it answered goes back whole each time, its hidden thoughts as it gave them.
 * Otherwise they would be fetched by an id there, whatever the engine has made of them here.
 */
export const openAI = vendorProvider('openai', ({ baseUrl: baseURL, apiKey = '' }, fetch) => {
  const service = createOpenAI({ baseURL, apiKey, fetch });
  const middleware = defaultSettingsMiddleware({ settings: { providerOptions: { openai: { store: false } } } });
  return (name) => wrapLanguageModel({ model: service.responses(name), middleware });
});

export const google = vendorProvider('google', ({ baseUrl: baseURL, apiKey = '' }, fetch) =>
  createGoogle({ baseURL, apiKey, fetch }),
);

const TIMEOUT_MS = 15_000;

const listSchema = z.object({ data: z.array(z.unknown()).max(20_000) });
const anthropicRow = z.object({
  id: modelName,
  display_name: z.string().max(200).catch(''),
  max_input_tokens: tokenFigure,
  max_tokens: tokenFigure,
});
const openAIRow = z.object({ id: modelName });
const googleListSchema = z.object({ models: z.array(z.unknown()).max(20_000) });
const googleRow = z.object({
  name: modelName,
  displayName: z.string().max(200).catch(''),
  inputTokenLimit: tokenFigure,
  outputTokenLimit: tokenFigure,
  supportedGenerationMethods: z.array(z.string()).catch(['generateContent']),
});

/** OpenAI lists everything it has: what writes text and calls tools is called so, and not like any of these. */
const CHATS = /^(?:gpt-|o\d|chatgpt-)/;
const OTHERWISE = /audio|realtime|image|tts|transcribe|search|instruct|moderation|embedding/;

type ListOptions = Pick<Parameters<typeof fetchJson>[1], 'signal'> & { readonly timeoutMs?: number };

/** Reads the models that a vendor offers for this key. @throws Error; StatusError where the key is refused */
export async function fetchVendorModels(
  { id, baseUrl, apiKey }: Pick<Connection, 'baseUrl' | 'apiKey'> & { readonly id: VendorId },
  { signal, timeoutMs = TIMEOUT_MS }: ListOptions = {},
): Promise<VendorModel[]> {
  const base = baseUrl.replace(/\/+$/, '');
  const common = { timeoutMs, signal };
  if (id === 'anthropic') {
    const headers = { 'x-api-key': apiKey ?? '', 'anthropic-version': '2023-06-01' };
    const { data } = listSchema.parse(await fetchJson(`${base}/models?limit=1000`, { ...common, headers }));
    return validRows(anthropicRow, data).map((row) => ({
      ...named(id, row.id, row.display_name),
      contextWindow: row.max_input_tokens,
      maxOutputTokens: row.max_tokens,
    }));
  }
  if (id === 'openai') {
    const { data } = listSchema.parse(await fetchJson(`${base}/models`, { ...common, apiKey }));
    const chats = validRows(openAIRow, data).filter((row) => CHATS.test(row.id) && !OTHERWISE.test(row.id));
    return chats.map((row) => ({ ...named(id, row.id, ''), contextWindow: null, maxOutputTokens: null }));
  }
  const headers = { 'x-goog-api-key': apiKey ?? '' };
  const { models } = googleListSchema.parse(await fetchJson(`${base}/models?pageSize=1000`, { ...common, headers }));
  const writing = validRows(googleRow, models).filter((row) =>
    row.supportedGenerationMethods.includes('generateContent'),
  );
  return writing.map((row) => ({
    ...named(id, row.name.replace(/^models\//, ''), row.displayName),
    contextWindow: row.inputTokenLimit,
    maxOutputTokens: row.outputTokenLimit,
  }));
}

function named(vendor: VendorId, wireName: string, shown: string) {
  return { id: `${vendor}/${wireName}`, wireName, name: shown || wireName };
}
