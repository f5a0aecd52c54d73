import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { defaultSettingsMiddleware, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import type { ConnectableId } from '#server/core/admin/provider-names';
import { clientFieldsOf } from '#server/models/wire/client-fields';
import type { Connection, ProviderAddress } from '#server/models/connections';
import { fetchJson } from '#server/models/wire/fetch-json';
import { findKnownModel } from '#server/models/model-limits';
import { idForms, idKey, modelName, tokenFigure, validRows, type VendorModel } from '#server/models/published-models';
import type { Provider, ProviderOptions } from '#server/models/providers';

/* Vendors that are called directly, with their own API key. Their models have OpenRouter's ids:
   `anthropic/claude-sonnet-5.5`. */

/** Vendors with their own interface; the provider id is also the vendor's name in model ids. */
export const vendorIds = ['anthropic', 'openai', 'google'] as const satisfies readonly ConnectableId[];
export type VendorId = (typeof vendorIds)[number];

/** True for a provider that is a vendor of models; false for OpenRouter and OpenAI-compatible servers. */
export const isVendor = (id: ConnectableId): id is VendorId => vendorIds.some((vendor) => vendor === id);

/**
 * The model in a vendor's list that an id denotes; for the id of a release, only that release. Null if the list does
 * not contain it.
 */
export function findVendorModel<Model extends { readonly id: string }>(
  models: readonly Model[],
  id: string,
): Model | null {
  const wanted = idKey(id);
  const isMeant = (model: Model) => idForms(model.id).includes(wanted);
  return models.find((model) => idKey(model.id) === wanted) ?? models.find(isMeant) ?? null;
}

/**
 * The ids under which a vendor's models are offered, without duplicates: the table's id if the table contains the
 * model.
 */
export function offeredIds(models: readonly VendorModel[]): string[] {
  return [...new Set(models.map(({ id }) => findKnownModel(id)?.id ?? id))];
}

/** Serves `vendor/name`, and a known model also by its bare name; variants (`name:free`) exist at OpenRouter only. */
const vendorProvider =
  (
    vendor: VendorId,
    open: (connection: Connection, fetch: ProviderOptions['fetch']) => (name: string) => LanguageModelV4,
  ) =>
  (connection: Connection, { fetch, wireName }: ProviderOptions): Provider => {
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

/** The vendor's name for a model while no list has been read. Anthropic writes no dots. */
const usualName: Readonly<Record<VendorId, (name: string) => string>> = {
  anthropic: (name) => name.replaceAll('.', '-'),
  openai: (name) => name,
  google: (name) => name,
};

/** Anthropic's Messages API. */
export const anthropic = vendorProvider('anthropic', ({ baseUrl: baseURL, apiKey = '' }, fetch) =>
  createAnthropic({ baseURL, apiKey, fetch }),
);

/**
 * OpenAI stores nothing of a request: its earlier output is sent back completely each time, including its hidden
 * reasoning, unchanged. Otherwise OpenAI would look it up by id, ignoring what the context engine changed in it.
 */
export const openAI = vendorProvider('openai', ({ baseUrl: baseURL, apiKey = '' }, fetch) => {
  const service = createOpenAI({ baseURL, apiKey, fetch });
  const middleware = defaultSettingsMiddleware({ settings: { providerOptions: { openai: { store: false } } } });
  return (name) => wrapLanguageModel({ model: service.responses(name), middleware });
});

/** Google's Gemini API. */
export const google = vendorProvider('google', ({ baseUrl: baseURL, apiKey = '' }, fetch) =>
  createGoogle({ baseURL, apiKey, fetch }),
);

/** Maximum duration of reading a list of models; milliseconds. A choice, not measured. */
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

/** OpenAI lists all of its models: those that write text and call tools match `CHATS` and do not match `OTHERWISE`. */
const CHATS = /^(?:gpt-|o\d|chatgpt-)/;
const OTHERWISE = /audio|realtime|image|tts|transcribe|search|instruct|moderation|embedding/;

interface ListOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** Fetches the models that a vendor offers for this key. @throws Error; StatusError if the key is refused */
export async function fetchVendorModels(
  { id, baseUrl, apiKey }: ProviderAddress & { readonly id: VendorId },
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
