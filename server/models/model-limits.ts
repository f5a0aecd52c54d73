import { knownModels, OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { KnownModel, ModelPrices } from '#server/models/known-models';

/** What the context engine must know of a model. */
export interface ModelLimits {
  /** Tokens of request and answer together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** US dollars per million tokens; null where we do not know. */
  readonly prices: ModelPrices | null;
  /** What our token counts (o200k vocabulary) are multiplied by, until a report of real usage recalibrates them. */
  readonly tokenFactor: number;
  /** False: the figures are the cautious ones for a model that is not in our table. */
  readonly known: boolean;
}

/** For a model we know nothing of: small enough to be safe almost anywhere. Tokens. */
const UNKNOWN: ModelLimits = {
  contextWindow: 16_000,
  maxOutputTokens: 4_096,
  prices: null,
  tokenFactor: 1.1,
  known: false,
};

/** `:free`, `:beta`, `:thinking`: the same model under other terms. */
const VARIANT = /:[a-z0-9-]+$/;
/** `-2024-11-20`, `-20250514`, `@20250514`, `-0613`, `-latest`. */
const RELEASE = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$/;

/** Vendors write `claude-sonnet-4-5`, OpenRouter `claude-sonnet-4.5`. */
const key = (id: string) => id.replaceAll('.', '-');
const bareName = (id: string) => id.slice(id.indexOf('/') + 1);

const byId = new Map(knownModels.map((model) => [key(model.id), model]));
const byBareName = new Map(knownModels.map((model) => [key(bareName(model.id)), model]));

/**
 * The table's model that an id means: with or without vendor, release date or variant. An id with a vendor never
 * matches another vendor's model.
 */
export function findKnownModel(modelId: string): KnownModel | null {
  const id = key(modelId.trim().toLowerCase().replace(VARIANT, ''));
  const models = id.includes('/') ? byId : byBareName;
  return models.get(id) ?? models.get(id.replace(RELEASE, '')) ?? null;
}

/**
 * Limits of a model by its id, in any form that `findKnownModel` reads. A model that is not in the table gets a window
 * of 16,000 and an output of 4,096 tokens; so does every `local/` model, because what counts there is the window that
 * its server loaded it with (`CONTEXT_WINDOW` says it).
 */
export function findLimits(modelId: string): ModelLimits {
  const model = findKnownModel(modelId);
  if (model === null) return UNKNOWN;
  return {
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    prices: model.prices,
    tokenFactor: tokenFactor(model.id),
    known: true,
  };
}

/** We count in OpenAI's vocabulary; others' tokenizers give more tokens for the same text, so we err upwards. */
function tokenFactor(id: string): number {
  return id === OFFLINE_MODEL_ID || id.startsWith('openai/') ? 1 : 1.1;
}
