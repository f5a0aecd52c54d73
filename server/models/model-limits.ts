import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import type { LocalModel } from '#server/models/local-servers';
import { idForms, idKey, type PublishedModel, type VendorModel } from '#server/models/published-models';
import { type KnownModel, knownModels, OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { ModelPrices } from '#server/models/list-prices';

/** Limits and properties of a model that the context engine needs. */
export interface ModelLimits {
  /** Tokens of request and response together. */
  readonly contextWindow: number;
  /**
   * The model's own limit; if unknown, the context window, because an answer is then limited only by the tokens that
   * the request leaves free.
   */
  readonly maxOutputTokens: number;
  /** US dollars per million tokens; null if unknown. */
  readonly prices: ModelPrices | null;
  /** Factor for our token counts (o200k vocabulary), until reports of real usage recalibrate them. */
  readonly tokenFactor: number;
  /** False if the context window is a cautious guess. */
  readonly known: boolean;
  /** Warning for the user about a guess; null if the context window is known. */
  readonly warning: ServerText | null;
  /** False also if unknown: a provider refuses images that its model cannot read. */
  readonly acceptsImages: boolean;
}

/** Context window assumed for an unknown model, tokens: safe almost everywhere. */
const CAUTIOUS_WINDOW = 16_000;
/** Other tokenizers produce more tokens than OpenAI's, with which we count: estimates are rounded up. */
const FOREIGN_FACTOR = 1.1;

const bareName = (id: string) => id.slice(id.indexOf('/') + 1);

const byId = new Map(knownModels.map((model) => [idKey(model.id), model]));
const byBareName = new Map(knownModels.map((model) => [idKey(bareName(model.id)), model]));

/**
 * Finds a model of the table by its id, with or without vendor, release date or variant. An id with a vendor never
 * matches another vendor's model.
 */
export function findKnownModel(modelId: string): KnownModel | null {
  const models = modelId.includes('/') ? byId : byBareName;
  const form = idForms(modelId).find((each) => models.has(each));
  return form === undefined ? null : (models.get(form) ?? null);
}

/**
 * Limits of a model by its id, in any form that `findKnownModel` accepts.
 * @param published its provider's own description, preferred to the built-in table
 */
export function findLimits(modelId: string, published: PublishedModel | null = null): ModelLimits {
  const known = findKnownModel(modelId);
  const contextWindow = published?.contextWindow ?? known?.contextWindow;
  if (contextWindow === undefined) return cautiousLimits(CAUTIOUS_WINDOW, unknownWindow(modelId));
  const id = published?.id ?? known?.id ?? modelId;
  return {
    contextWindow,
    maxOutputTokens: published?.maxOutputTokens ?? known?.maxOutputTokens ?? contextWindow,
    prices: published?.prices ?? known?.prices ?? null,
    tokenFactor: id === OFFLINE_MODEL_ID || id.startsWith('openai/') ? 1 : FOREIGN_FACTOR,
    known: true,
    warning: null,
    acceptsImages: published?.acceptsImages ?? known?.acceptsImages ?? false,
  };
}

/** Limits of a model of a directly connected vendor: from the vendor's description, else from the table. */
export function findVendorLimits(modelId: string, { contextWindow, maxOutputTokens }: VendorModel): ModelLimits {
  if (contextWindow === null) return findLimits(modelId);
  // A model that is missing in the table is newer than it, and the vendors' new models all accept images.
  const acceptsImages = findKnownModel(modelId) === null ? true : null;
  const described = { id: modelId, alias: null, name: '', contextWindow, maxOutputTokens, prices: null, acceptsImages };
  return findLimits(modelId, described);
}

/**
 * Limits of a `local/` model: the context length with which its server has loaded it, not the model's own or that of a
 * hosted model with the same name.
 * @param model its server's description; null without one
 */
export function findLocalLimits(modelId: string, model: LocalModel | null): ModelLimits {
  if (model === null) return cautiousLimits(CAUTIOUS_WINDOW, unknownWindow(modelId));
  const { loadedContext, longestContext, acceptsImages = false, assumedContext = CAUTIOUS_WINDOW } = model;
  if (loadedContext === null) {
    const window = Math.min(assumedContext, longestContext ?? assumedContext);
    const warning = model.isUnloaded ? notLoaded(modelId, window) : unknownWindow(modelId, window);
    return { ...cautiousLimits(window, warning), acceptsImages };
  }
  return { ...cautiousLimits(loadedContext, null), acceptsImages };
}

/** Applies a configured context window, if any; if no output limit is known, the window remains the limit. */
export function fitToWindow(limits: ModelLimits, window: number | undefined): ModelLimits {
  if (window === undefined) return limits;
  const isUnlimited = limits.maxOutputTokens === limits.contextWindow;
  const maxOutputTokens = isUnlimited ? window : Math.min(limits.maxOutputTokens, window);
  return { ...limits, contextWindow: window, maxOutputTokens, known: true, warning: null };
}

/** Limits with cautious defaults; a warning means that the context window is a guess. */
function cautiousLimits(contextWindow: number, warning: ServerText | null): ModelLimits {
  return {
    contextWindow,
    maxOutputTokens: contextWindow,
    prices: null,
    tokenFactor: FOREIGN_FACTOR,
    known: warning === null,
    warning,
    acceptsImages: false,
  };
}

function unknownWindow(modelId: string, window = CAUTIOUS_WINDOW): ServerText {
  return serverText('model-window-unknown', { model: modelId, tokens: window });
}

function notLoaded(modelId: string, window: number): ServerText {
  return serverText('model-window-not-loaded', { model: modelId, tokens: window });
}
