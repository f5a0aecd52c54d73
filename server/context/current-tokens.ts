import type { ModelTarget } from '#server/context/budget';
import { countPartTokens, mediaTokens } from '#server/context/part-tokens';
import type { CalibrationStore } from '#server/context/ports';
import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';
import { measureView, passingParts, shownImages, type ViewMessage } from '#server/context/view-messages';
import { vocabularyOf } from '#server/context/tokens';
import { type StoredView, verbatimMessages } from '#server/context/view';
import type { ContextBreakdown } from '#server/core/events';
import type { Message, Usage } from '#server/core/messages';
import type { PartOf, ToolResultPart } from '#server/core/parts';

export interface Measured {
  readonly currentTokens: number;
  readonly source: 'reported' | 'estimated';
  /** Current tokens that no report covers. */
  readonly estimatedTokens: number;
  /** The whole request as estimated, whatever was reported: what a changed view is compared with. */
  readonly estimatedTotal: number;
  /** The whole request in our vocabulary, media left out: what a report is compared with to calibrate. */
  readonly countedTokens: number;
  readonly breakdown: ContextBreakdown;
}

/**
 * Tokens of the next request: reported for the newest step (input and output) plus an estimate of what was added since;
 * wholly estimated without a report for this view and model, or with one further off than any tokenizer is.
 */
export function measure(
  stored: StoredView,
  view: readonly ViewMessage[],
  target: ModelTarget,
  { calibrationMinFactor, calibrationMaxFactor }: EngineSettings = defaultSettings,
): Measured {
  const sum = measureView(view);
  const breakdown = breakdownOf(sum, target);
  const estimatedTotal = addUp(Object.values(breakdown));
  const countedTokens = fixedCount(target) + addUp(Object.values(sum)) - sum.media;
  const anchored = anchor(stored, view, target);
  const ratio = anchored ? anchored.currentTokens / estimatedTotal : Infinity;
  const isCredible = ratio >= calibrationMinFactor && ratio <= calibrationMaxFactor;
  const current = (isCredible && anchored) || { currentTokens: estimatedTotal, estimatedTokens: estimatedTotal };
  const source = current === anchored ? 'reported' : 'estimated';
  return { ...current, estimatedTotal, countedTokens, breakdown, source };
}

/** Tokens on the safe side, for deciding when to act and how much output to allow; a margin never refuses a request. */
export function cautiousTokens(
  { currentTokens, estimatedTokens }: Measured,
  { estimateMargin }: Pick<EngineSettings, 'estimateMargin'> = defaultSettings,
): number {
  return currentTokens + Math.ceil(estimatedTokens * estimateMargin);
}

/** The most that a wholly estimated request may have for its cautious count to stay within `limit`. */
export function calmTokens(limit: number, { estimateMargin }: EngineSettings): number {
  return Math.floor(limit / (1 + estimateMargin));
}

/** A step's report beside our count of it, for calibration. Null where files are most of it: that says little. */
export function observe(measured: Measured, usage: Usage, target: ModelTarget): Observation | null {
  const { media } = measured.breakdown;
  if (media * 2 > usage.inputTokens) return null;
  const { contextWindow } = target;
  return { reported: usage.inputTokens - media, counted: measured.countedTokens, contextWindow };
}

/** Tokens for this model of a text or part that counts `tokens` in our vocabulary. */
export function scale(tokens: number, target: Pick<ModelTarget, 'tokenFactor'>): number {
  return Math.ceil(tokens * target.tokenFactor);
}

/** Instructions and tool schemas, before the model's factor. */
export const fixedCount = ({ fixed }: Pick<ModelTarget, 'fixed'>): number => fixed.instructions + fixed.tools;

/** Instructions and tool schemas, in this model's tokens. */
export function fixedTokens(target: ModelTarget): number {
  return scale(target.fixed.instructions, target) + scale(target.fixed.tools, target);
}

function breakdownOf(sum: ReturnType<typeof measureView>, target: ModelTarget): ContextBreakdown {
  const counted = { ...target.fixed, ...sum };
  const scaled = Object.entries(counted).map(([kind, tokens]) => [kind, scale(tokens, target)]);
  // Media are counted by the provider's own formula already.
  return { ...(Object.fromEntries(scaled) as ContextBreakdown), media: sum.media };
}

/** Tokens by the newest report; null when none holds for this view. */
function anchor(
  stored: StoredView,
  view: readonly ViewMessage[],
  target: ModelTarget,
): Pick<Measured, 'currentTokens' | 'estimatedTokens'> | null {
  const index = stored.messages.findLastIndex((message) => message.usage !== null);
  const reported = stored.messages[index];
  if (!reported?.usage || reported.modelId !== target.modelId) return null;
  const { inputTokens, outputTokens, reasoningTokens, viewKey } = reported.usage;
  const { fixedCount: fixedThen = fixedCount(target) } = reported.usage;
  if (viewKey !== viewKeyOf(stored, reported)) return null;
  if (inputTokens <= 0 || inputTokens + outputTokens > target.contextWindow) return null;
  const ids = new Set(stored.messages.slice(index).map((message) => message.id));
  const start = view.findIndex(({ sourceIds }) => sourceIds.some((id) => ids.has(id)));
  // Results stand behind their calls and have no id of their own.
  const since = Object.groupBy(start === -1 ? [] : view.slice(start), ({ sourceIds }) =>
    sourceIds.includes(reported.id) ? 'own' : 'added',
  );
  const own = tokensOfView(since.own ?? [], target);
  const estimatedTokens = tokensOfView(since.added ?? [], target);

  const messages = verbatimMessages(stored);
  const before = messages.filter(({ seq }) => seq < reported.seq);
  const vocabulary = vocabularyOf(target.modelId);
  const passing = passingParts(messages, target.modelId);
  const passed = passingParts(before, target.modelId);
  const costOf = (part: ToolResultPart | PartOf<'reasoning'>) => {
    if (part.type === 'reasoning') return scale(countPartTokens(part, vocabulary), target);
    const images = target.acceptsImages === false ? [] : shownImages(part);
    return addUp(images.map((image) => mediaTokens(image, target.modelId)));
  };
  // Images and thoughts that the step was sent and the next is not.
  const gone = addUp([...passed].filter((part) => !passing.has(part)).map(costOf));
  const sent = Math.max(0, inputTokens + scale(fixedCount(target) - fixedThen, target) - gone);
  // The step's own thoughts, where none of them go back to its provider.
  const thought = reported.parts.filter((part) => part.type === 'reasoning');
  const unsent = thought.some((part) => passing.has(part)) ? 0 : (reasoningTokens ?? addUp(thought.map(costOf)));
  // Its own message counts as reported, unless it is sent back larger than it was written (cut short, say).
  return { currentTokens: sent + Math.max(outputTokens - unsent, own) + estimatedTokens, estimatedTokens };
}

/** Tokens of messages of a view, without what is sent with every request. */
export function tokensOfView(view: readonly ViewMessage[], target: ModelTarget): number {
  return addUp(Object.values(breakdownOf(measureView(view), target))) - fixedTokens(target);
}

const addUp = (tokens: readonly number[]) => tokens.reduce((sum, count) => sum + count, 0);

/** Names the view that a step was sent, `before` its answer: a compaction, a prune and each undo make another one. */
export function viewKeyOf(stored: StoredView, before?: Message): string {
  const messages = verbatimMessages(stored).filter(({ seq }) => !before || seq < before.seq);
  const pruned = messages.flatMap(({ parts }) => parts.filter(({ compactedAt }) => compactedAt !== null));
  const shown = addUp(pruned.map(({ excerptChars }) => excerptChars ?? 0));
  return `${stored.summary?.id ?? 'whole'}/${pruned.length}/${shown}`;
}

/* Learns from the reports of a model. */

/** Ratios of each model's tokens to our counts, by its provider's reports. In memory, as every step asks. */
export interface Calibrations {
  /** Factor of our counts for this model; `fallback` until enough was learned. */
  factor(modelId: string, fallback: number): number;
  /** Takes in one report and stores what was learned; ignores an absurd one. Never throws. */
  learn(modelId: string, observed: Observation): Promise<void>;
}

/** Reads what was learned before. A store that fails is told to `onFault`: it is never worth a failed turn. */
export async function loadCalibrations(
  store: CalibrationStore,
  onFault: (message: string, error: unknown) => void,
  settings: () => EngineSettings = () => defaultSettings,
): Promise<Calibrations> {
  const learned = new Map<string, readonly number[]>(
    await store.load().catch((error: unknown) => {
      onFault('Calibrations cannot be read; starting without', error);
      return [];
    }),
  );
  return {
    factor: (modelId, fallback) => factorOf(learned.get(modelId) ?? [], fallback, settings()),
    async learn(modelId, observed) {
      const known = learned.get(modelId) ?? [];
      const ratios = calibrate(known, observed, settings());
      if (ratios === known) return;
      learned.set(modelId, ratios);
      const failed = (error: unknown) => onFault(`The calibration of ${modelId} cannot be stored`, error);
      await store.save(modelId, ratios).catch(failed);
    },
  };
}

/** Tokens that a provider reported for one request, beside our count of the same. */
export interface Observation {
  /** Input tokens as reported, cache reads and writes included, media left out. */
  readonly reported: number;
  /** Tokens of the request in our vocabulary, before any factor. */
  readonly counted: number;
  readonly contextWindow: number;
}

/** The newest ratios (reported / counted), oldest first, with one more; an absurd report changes nothing. */
export function calibrate(
  ratios: readonly number[],
  { reported, counted, contextWindow }: Observation,
  { calibrationReports, calibrationCredible }: EngineSettings = defaultSettings,
): readonly number[] {
  const ratio = reported / counted;
  // Else the report is broken: a cache left out, several requests summed.
  const isPossible = reported > 0 && counted > 0 && reported <= contextWindow;
  const isNear = ratio >= 1 / calibrationCredible && ratio <= calibrationCredible;
  return isPossible && isNear ? [...ratios, ratio].slice(-calibrationReports) : ratios;
}

/** A model's factor of our counts: the median of its ratios, bounded; the fallback while there are too few. */
export function factorOf(
  ratios: readonly number[],
  fallback: number,
  { calibrationMinReports, calibrationMinFactor, calibrationMaxFactor }: EngineSettings = defaultSettings,
): number {
  if (ratios.length < calibrationMinReports) return fallback;
  const sorted = ratios.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 1;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return Math.min(calibrationMaxFactor, Math.max(calibrationMinFactor, (lower + upper) / 2));
}
