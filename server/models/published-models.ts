import { z } from 'zod';
import { fetchJson } from '#server/models/fetch-json';

const SMALLEST = 256;
const LARGEST = 20_000_000;

/**
 * A context length or maximum output as somebody else reports it, in tokens. What cannot be true (0, negative, text,
 * astronomic) is null: not told.
 */
export const tokenFigure = z.int().min(SMALLEST).max(LARGEST).nullable().catch(null);

/** The name of a model as somebody else reports it: one that can be part of an id here. */
export const modelName = z
  .string()
  .min(1)
  .max(190)
  .regex(/^[^\p{C}\p{Z}]+$/u);

/** The rows that fit, without those that do not: one broken row must not cost the whole list. */
export function validRows<T>(schema: z.ZodType<T>, rows: readonly unknown[]): T[] {
  return rows.flatMap((row) => {
    const parsed = schema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });
}

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

/** `:free`, `:beta`, `:thinking`: the same model under other terms. */
const VARIANT = /:[a-z0-9-]+$/;
/** `-2024-11-20`, `-20250514`, `@20250514`, `-0613`, `-latest`. */
const RELEASE = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$/;

/** Vendors write `claude-sonnet-4-5`, OpenRouter `claude-sonnet-4.5`: the form under which both are kept and found. */
export function idKey(id: string): string {
  return id.trim().toLowerCase().replaceAll('.', '-');
}

/** The keys under which a model may be found, the most exact first: as it is, without variant, without release. */
export function idForms(id: string): string[] {
  const exact = idKey(id);
  const plain = exact.replace(VARIANT, '');
  return [exact, plain, plain.replace(RELEASE, '')];
}
