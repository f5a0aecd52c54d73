import { z } from 'zod';
import { fetchJson } from '#server/models/wire/fetch-json';

/** Bounds of a credible context length or output, in tokens: no model has less or more. A choice, not measured. */
const SMALLEST = 256;
const LARGEST = 20_000_000;

/**
 * A context length or maximum output as reported by a provider, tokens. Impossible values (0, negative, text,
 * astronomical) become null.
 */
export const tokenFigure = z.int().min(SMALLEST).max(LARGEST).nullable().catch(null);

/** The name of a model as reported by a provider, if it can be part of an id. */
export const modelName = z
  .string()
  .min(1)
  .max(190)
  .regex(/^[^\p{C}\p{Z}]+$/u);

/** The valid rows of a list: one invalid row must not make the whole list unusable. */
export function validRows<T>(schema: z.ZodType<T>, rows: readonly unknown[]): T[] {
  return rows.flatMap((row) => {
    const parsed = schema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });
}

/** A model in its vendor's list; tokens. */
export interface VendorModel {
  readonly id: string;
  /** The vendor's name for it in requests. */
  readonly wireName: string;
  readonly name: string;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

/** A model in OpenRouter's list, as used and stored. */
const publishedModelSchema = z.object({
  id: z.string(),
  /** Id of its exact release. */
  alias: z.string().nullable(),
  name: z.string(),
  contextWindow: z.number(),
  maxOutputTokens: z.number().nullable(),
  /** US dollars per million tokens. */
  prices: z
    .object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().nullable().default(null),
      cacheWrite: z.number().nullable().default(null),
    })
    .nullable(),
  acceptsImages: z.boolean().nullable().default(null),
});
export type PublishedModel = z.infer<typeof publishedModelSchema>;

/** A stored list. */
export const storedModelsSchema = z.array(publishedModelSchema);

/** Dollars per token as a decimal; `-1` means that the price varies. */
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
  pricing: z
    .object({
      prompt: price,
      completion: price,
      input_cache_read: price.nullable().catch(null),
      input_cache_write: price.nullable().catch(null),
    })
    .nullable()
    .catch(null),
  architecture: z
    .object({ input_modalities: z.array(z.string()) })
    .nullable()
    .catch(null),
});

const listSchema = z.object({ data: z.array(z.unknown()).max(20_000) });

/** Maximum duration of reading OpenRouter's list; milliseconds. A choice, not measured. */
const TIMEOUT_MS = 15_000;

/**
 * Reads OpenRouter's list of models.
 * @throws Error if it cannot be read or has no valid model
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
  // The model may accept more than the host that OpenRouter prefers.
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
      prices: pricing && {
        input: pricing.prompt,
        output: pricing.completion,
        cacheRead: pricing.input_cache_read,
        cacheWrite: pricing.input_cache_write,
      },
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

/** `:free`, `:beta`, `:thinking`: the same model under other terms. */
const VARIANT = /:[a-z0-9-]+$/;
/** `-2024-11-20`, `-20250514`, `@20250514`, `-0613`, `-latest`. */
const RELEASE = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$/;

/** The lookup key of an id: vendors write `claude-sonnet-4-5`, OpenRouter `claude-sonnet-4.5`. */
export function idKey(id: string): string {
  return id.trim().toLowerCase().replaceAll('.', '-');
}

/** Lookup keys of a model, the most exact first: the id, without variant, without release. */
export function idForms(id: string): string[] {
  const exact = idKey(id);
  const plain = exact.replace(VARIANT, '');
  return [exact, plain, plain.replace(RELEASE, '')];
}
