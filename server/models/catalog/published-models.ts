import { z } from 'zod';
import { fetchJson } from '#server/models/catalog/fetch-json';
import { modelName, tokenFigure, validRows } from '#server/models/catalog/token-figure';
import { idForms, idKey } from '#server/models/id-forms';

/** A model as OpenRouter's list has it; also the form in which the list is stored. */
const publishedModelSchema = z.object({
  id: z.string(),
  /** The id of the exact release behind it. */
  alias: z.string().nullable(),
  name: z.string(),
  contextWindow: z.number(),
  /** Null: not told. */
  maxOutputTokens: z.number().nullable(),
  /** US dollars per million tokens. */
  prices: z.object({ input: z.number(), output: z.number() }).nullable(),
  /** Null: not told. */
  acceptsImages: z.boolean().nullable().default(null),
});
export type PublishedModel = z.infer<typeof publishedModelSchema>;

/** A list as it was stored. */
export const storedModelsSchema = z.array(publishedModelSchema);

/** Dollars per token as a decimal; `-1` means that it depends. */
const price = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,20})?(e-\d{1,2})?$/i)
  .transform((dollars) => Number((Number(dollars) * 1_000_000).toPrecision(9)));

const rowSchema = z.object({
  id: modelName,
  canonical_slug: modelName.nullable().catch(null),
  name: z.string().max(200).catch(''),
  context_length: tokenFigure,
  top_provider: z
    .object({ context_length: tokenFigure, max_completion_tokens: tokenFigure })
    .catch({ context_length: null, max_completion_tokens: null }),
  pricing: z.object({ prompt: price, completion: price }).nullable().catch(null),
  architecture: z
    .object({ input_modalities: z.array(z.string()) })
    .nullable()
    .catch(null),
});

const listSchema = z.object({ data: z.array(z.unknown()).max(20_000) });

const TIMEOUT_MS = 15_000;

/**
 * Reads OpenRouter's list of models.
 * @throws Error when it cannot be had, or nothing in it can be used
 */
export async function fetchPublishedModels(
  baseUrl: string,
  apiKey: string | undefined,
  signal?: AbortSignal,
): Promise<PublishedModel[]> {
  const answer = await fetchJson(`${baseUrl.replace(/\/+$/, '')}/models`, { timeoutMs: TIMEOUT_MS, apiKey, signal });
  const models = validRows(rowSchema, listSchema.parse(answer).data).flatMap(toPublishedModel);
  if (models.length === 0) throw new Error('The list of models has no model that can be used.');
  return models;
}

function toPublishedModel(row: z.infer<typeof rowSchema>): PublishedModel[] {
  const { id, canonical_slug: alias, name, context_length: length, top_provider: top, pricing, architecture } = row;
  // The model may take more than the host that OpenRouter prefers.
  const lengths = [length, top.context_length].filter((each) => each !== null);
  if (lengths.length === 0) return [];
  const contextWindow = Math.min(...lengths);
  return [
    {
      id,
      alias,
      name: name === '' ? id : name,
      contextWindow,
      maxOutputTokens: top.max_completion_tokens === null ? null : Math.min(top.max_completion_tokens, contextWindow),
      prices: pricing && { input: pricing.prompt, output: pricing.completion },
      acceptsImages: architecture && architecture.input_modalities.includes('image'),
    },
  ];
}

/** Finds a model in the list by its id, with or without variant and release. */
export function indexPublishedModels(models: readonly PublishedModel[]): (id: string) => PublishedModel | null {
  const aliases = models.flatMap((model) => (model.alias === null ? [] : [[idKey(model.alias), model] as const]));
  const byKey = new Map([...aliases, ...models.map((model) => [idKey(model.id), model] as const)]);
  return (id) => {
    const form = idForms(id).find((each) => byKey.has(each));
    return form === undefined ? null : (byKey.get(form) ?? null);
  };
}
