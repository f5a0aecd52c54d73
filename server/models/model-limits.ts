import type { LocalModel } from '#server/models/local-servers';
import { idForms, idKey, type PublishedModel } from '#server/models/published-models';
import { type KnownModel, knownModels, type ModelPrices, OFFLINE_MODEL_ID } from '#server/models/known-models';

/** What the context engine must know of a model. */
export interface ModelLimits {
  /** Tokens of request and answer together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** US dollars per million tokens; null where we do not know. */
  readonly prices: ModelPrices | null;
  /** What our token counts (o200k vocabulary) are multiplied by, until a report of real usage recalibrates them. */
  readonly tokenFactor: number;
  /** False: nobody told us the window, it is a cautious guess. */
  readonly known: boolean;
  /** What to tell the user about a guess; null where the window is known. */
  readonly warning: string | null;
  /** It sees images in a request. False also where nobody told us: a provider refuses what its model cannot read. */
  readonly acceptsImages: boolean;
}

/** For a model we know nothing of: small enough to be safe almost anywhere. Tokens. */
const CAUTIOUS_WINDOW = 16_000;
const CAUTIOUS_OUTPUT = 4_096;
/** Where a window is known but no maximum output: a quarter of it, at most this. Tokens. */
const USUAL_OUTPUT = 16_384;
/** Others' tokenizers give more tokens for the same text than OpenAI's, in which we count: we err upwards. */
const FOREIGN_FACTOR = 1.1;
/** An answer may take at most this share of a window, whatever the model could write. */
const MAX_OUTPUT_SHARE = 0.5;

const bareName = (id: string) => id.slice(id.indexOf('/') + 1);

const byId = new Map(knownModels.map((model) => [idKey(model.id), model]));
const byBareName = new Map(knownModels.map((model) => [idKey(bareName(model.id)), model]));

/**
 * The table's model that an id means: with or without vendor, release date or variant. An id with a vendor never
 * matches another vendor's model.
 */
export function findKnownModel(modelId: string): KnownModel | null {
  const models = modelId.includes('/') ? byId : byBareName;
  const form = idForms(modelId).find((each) => models.has(each));
  return form === undefined ? null : (models.get(form) ?? null);
}

/**
 * Limits of a model by its id, in any form that `findKnownModel` reads.
 * @param published what its provider publishes now; counts more than the built-in table
 */
export function findLimits(modelId: string, published: PublishedModel | null = null): ModelLimits {
  const known = findKnownModel(modelId);
  const contextWindow = published?.contextWindow ?? known?.contextWindow;
  if (contextWindow === undefined) return cautiousLimits(CAUTIOUS_WINDOW, unknownWindow(modelId));
  const id = published?.id ?? known?.id ?? modelId;
  return {
    contextWindow,
    maxOutputTokens: published?.maxOutputTokens ?? known?.maxOutputTokens ?? usualOutput(contextWindow),
    prices: published?.prices ?? known?.prices ?? null,
    tokenFactor: id === OFFLINE_MODEL_ID || id.startsWith('openai/') ? 1 : FOREIGN_FACTOR,
    known: true,
    warning: null,
    acceptsImages: published?.acceptsImages ?? known?.acceptsImages ?? false,
  };
}

/**
 * Limits of a `local/` model. What counts is the length that its server loaded it with, whatever the model itself
 * could do, and whatever hosted model has the same name.
 * @param model what its server says of it; null when it says nothing
 */
export function findLocalLimits(modelId: string, model: LocalModel | null): ModelLimits {
  if (model === null) return cautiousLimits(CAUTIOUS_WINDOW, unknownWindow(modelId));
  const { loadedContext, longestContext, acceptsImages = false } = model;
  if (loadedContext === null) {
    const window = Math.min(CAUTIOUS_WINDOW, longestContext ?? CAUTIOUS_WINDOW);
    return { ...cautiousLimits(window, notLoaded(modelId, window)), acceptsImages };
  }
  return {
    ...cautiousLimits(loadedContext, null),
    acceptsImages,
    maxOutputTokens: usualOutput(loadedContext),
  };
}

/**
 * The limits with another window, if somebody set one, and an output that leaves room for the request: some models
 * could fill their window with the answer.
 */
export function fitToWindow(limits: ModelLimits, window: number | undefined): ModelLimits {
  const fitting = window === undefined ? limits : { ...limits, contextWindow: window, known: true, warning: null };
  const largestOutput = Math.floor(fitting.contextWindow * MAX_OUTPUT_SHARE);
  return { ...fitting, maxOutputTokens: Math.min(fitting.maxOutputTokens, largestOutput) };
}

/** A guess, with the warning that says so; without one it is none. */
function cautiousLimits(contextWindow: number, warning: string | null): ModelLimits {
  return {
    contextWindow,
    maxOutputTokens: CAUTIOUS_OUTPUT,
    prices: null,
    tokenFactor: FOREIGN_FACTOR,
    known: warning === null,
    warning,
    acceptsImages: false,
  };
}

function usualOutput(window: number): number {
  return Math.min(USUAL_OUTPUT, Math.floor(window / 4));
}

const tokens = (count: number) => `${count.toLocaleString('en-US')} tokens`;

function unknownWindow(modelId: string): string {
  return (
    `The context window of ${modelId} is not known, so ${tokens(CAUTIOUS_WINDOW)} are assumed. ` +
    'Set the right number in the settings (modelWindowOverrides).'
  );
}

function notLoaded(modelId: string, window: number): string {
  return (
    `The server has not loaded ${modelId} yet, so its context window is not known and ${tokens(window)} are assumed. ` +
    'The right number is read once it is loaded, or set it in the settings (modelWindowOverrides).'
  );
}
