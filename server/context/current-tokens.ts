import type { ModelTarget } from '#server/context/budget';
import { countPartTokens } from '#server/context/part-tokens';
import { mediaTokens } from '#server/context/media-tokens';
import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';
import { measureView, passingParts, shownImages, type ViewKind, type ViewMessage } from '#server/context/view-messages';
import { vocabularyOf } from '#server/context/tokens';
import { type StoredView, verbatimMessages } from '#server/context/view';
import type { ContextBreakdown } from '#server/core/conversation/events';
import type { Message, Usage } from '#server/core/conversation/messages';
import type { PartOf, ToolResultPart } from '#server/core/conversation/parts';

/** Tokens of one request by its provider, and our count of the same request. */
export interface RequestCount {
  /** Reported input tokens including cache reads and writes, without media. */
  readonly reported: number;
  /** Tokens of the request in our vocabulary, before any factor. */
  readonly counted: number;
}

/** Tokens that a provider reported for one request, and our count of the same request. */
export interface Observation extends RequestCount {
  readonly contextWindow: number;
}

/** Tokens of the next request. */
interface CurrentTokens {
  readonly currentTokens: number;
  /** The part of the current tokens that no report covers. */
  readonly estimatedTokens: number;
  /** Tokens that the request has at least by the newest report, as messages are only added to it; null: not known. */
  readonly leastTokens: number | null;
}

/** The size of the next request, in tokens of the model unless stated otherwise. */
export interface Measured extends CurrentTokens {
  readonly source: 'reported' | 'estimated';
  /** Estimate of the whole request, regardless of reports. A changed view is compared with it. */
  readonly estimatedTotal: number;
  /** The whole request in our vocabulary without media. Reports are compared with it for calibration. */
  readonly countedTokens: number;
  /** The newest message in the same count: no earlier request contained it. */
  readonly newestTokens: number;
  readonly breakdown: ContextBreakdown;
}

/**
 * Tokens of the next request: what the provider reported for the newest step (input and output) plus an estimate of
 * what was added since. Entirely estimated if there is no report for this view and model, or if the report differs more
 * than any tokenizer could.
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
  const textOf = (kinds: typeof sum) => addUp(Object.values(kinds)) - kinds.media;
  const countedTokens = fixedCount(target) + textOf(sum);
  const newestTokens = textOf(measureView(view.slice(-1)));
  const anchored = anchor(stored, view, target, calibrationMaxFactor);
  const ratio = anchored ? anchored.currentTokens / estimatedTotal : Infinity;
  const isCredible = ratio >= calibrationMinFactor && ratio <= calibrationMaxFactor;
  const estimated = { currentTokens: estimatedTotal, estimatedTokens: estimatedTotal, leastTokens: null };
  const current = (isCredible && anchored) || estimated;
  const source = current === anchored ? 'reported' : 'estimated';
  return { ...current, estimatedTotal, countedTokens, newestTokens, breakdown, source };
}

/** How cautious a count is. */
export interface EstimateSettings {
  /** Share of the estimated tokens that is added. */
  readonly estimateMargin: number;
}

/** A cautious count, for deciding when to act and how much output to allow. The margin never causes a refusal. */
export function cautiousTokens(
  { currentTokens, estimatedTokens }: Measured,
  { estimateMargin }: EstimateSettings = defaultSettings,
): number {
  return currentTokens + Math.ceil(estimatedTokens * estimateMargin);
}

/** Largest entirely estimated request whose cautious count stays within `limit`. */
export function calmTokens(limit: number, { estimateMargin }: EngineSettings): number {
  return Math.floor(limit / (1 + estimateMargin));
}

/**
 * The reported usage of a step and our count of the same request, for calibration. Null if most of it is files, which
 * says little about text.
 */
export function observe(measured: Measured, usage: Usage, target: ModelTarget): Observation | null {
  const { media } = measured.breakdown;
  if (media * 2 > usage.inputTokens) return null;
  const { contextWindow } = target;
  return { reported: usage.inputTokens - media, counted: measured.countedTokens, contextWindow };
}

/** A request that was answered, as counted by its server and by us; tokens. */
export interface ReadRequest {
  /** Its tokens as reported by the server. */
  readonly reported: number;
  /** Minimum according to the report on an earlier request of the conversation; null if none applies. */
  readonly least: number | null;
  /** Our own count of the whole request, of its instructions and tools, and of its newest message. */
  readonly counted: number;
  readonly fixed: number;
  readonly newest: number;
}

/** The report on a request, for learning the window of a server that reads only a part of it. */
export function readRequest(measured: Measured, usage: Usage, target: ModelTarget): ReadRequest {
  const { leastTokens: least, countedTokens: counted, newestTokens: newest } = measured;
  return { reported: usage.inputTokens, least, counted, newest, fixed: fixedCount(target) };
}

/** Tokens for this model of a text or part that has `tokens` tokens in our vocabulary. */
export function scale(tokens: number, target: ModelTarget): number {
  return Math.ceil(tokens * target.tokenFactor);
}

/** Tokens of instructions and tool schemas, before the factor of the model. */
export const fixedCount = ({ fixed }: ModelTarget): number => fixed.instructions + fixed.tools;

/** Tokens of instructions and tool schemas for this model. */
export function fixedTokens(target: ModelTarget): number {
  return scale(target.fixed.instructions, target) + scale(target.fixed.tools, target);
}

/** The tokens of a view by kind, for this model. */
function breakdownOf(sum: Record<ViewKind, number>, target: ModelTarget): ContextBreakdown {
  const counted = { ...target.fixed, ...sum };
  const scaled = Object.entries(counted).map(([kind, tokens]) => [kind, scale(tokens, target)]);
  // Media are already counted by the formula of the provider.
  return { ...(Object.fromEntries(scaled) as ContextBreakdown), media: sum.media };
}

/** Tokens according to the newest report. Null if no report applies to this view. */
function anchor(
  stored: StoredView,
  view: readonly ViewMessage[],
  target: ModelTarget,
  maxFactor: number,
): CurrentTokens | null {
  const index = stored.messages.findLastIndex((message) => message.usage !== null);
  const reported = stored.messages[index];
  if (!reported?.usage || reported.modelId !== target.modelId) return null;
  const { inputTokens, outputTokens, reasoningTokens, viewKey } = reported.usage;
  const { fixedCount: fixedThen = fixedCount(target) } = reported.usage;
  if (viewKey !== viewKeyOf(stored, reported)) return null;
  if (inputTokens <= 0 || inputTokens + outputTokens > target.contextWindow) return null;
  const ids = new Set(stored.messages.slice(index).map((message) => message.id));
  const start = view.findIndex(({ sourceIds }) => sourceIds.some((id) => ids.has(id)));
  // Tool results follow their calls and have no id of their own.
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
  // Images and reasoning that this step received and the next one does not.
  const gone = addUp([...passed].filter((part) => !passing.has(part)).map(costOf));
  const sent = Math.max(0, inputTokens + scale(fixedCount(target) - fixedThen, target) - gone);
  const reasoning = reported.parts.filter((part) => part.type === 'reasoning');
  const isReasoningSent = reasoning.some((part) => passing.has(part));
  const unsent = isReasoningSent
    ? 0
    : unsentTokens(outputTokens, reasoningTokens ?? 0, addUp(reasoning.map(costOf)), own);
  // No tokenizer needs more for what is sent back: the rest are thoughts that the server has not shown.
  const written = Math.min(outputTokens - unsent, Math.floor(own * maxFactor));
  // The message of the step counts as reported, unless it is sent back larger than it was written, for example because
  // it was cut.
  const currentTokens = sent + Math.max(written, own) + estimatedTokens;
  // Where nothing that was sent is left out or counted otherwise now; an answer is nearly as long when it is read again.
  const isComparable = gone === 0 && fixedThen === fixedCount(target);
  const answered = reasoning.length === 0 ? Math.floor(Math.min(outputTokens, own) * REREAD_SHARE) : 0;
  return { currentTokens, estimatedTokens, leastTokens: isComparable ? inputTokens + answered : null };
}

/**
 * Tokens of the thoughts in an answer. Servers also report none, 0, or only a few beside long thoughts: then the
 * thoughts have the share of the output that they have by our count.
 * @param thoughts our count of the thoughts, and `own` of the rest of the answer
 */
function unsentTokens(output: number, reported: number, thoughts: number, own: number): number {
  const share = thoughts === 0 ? 0 : Math.round((output * thoughts) / (thoughts + own));
  return reported * 2 < share ? share : reported;
}

/** Share of an answer's tokens that it has at least as a part of the next request: templates strip white space. */
const REREAD_SHARE = 0.8;

/** Tokens of the messages of a view, without instructions and tools. */
export function tokensOfView(view: readonly ViewMessage[], target: ModelTarget): number {
  return addUp(Object.values(breakdownOf(measureView(view), target))) - fixedTokens(target);
}

const addUp = (tokens: readonly number[]) => tokens.reduce((sum, count) => sum + count, 0);

/**
 * Identifies the view that a step received, that is, the view before its answer `before`. A compaction, a prune and
 * their undo change it.
 */
export function viewKeyOf(stored: StoredView, before?: Message): string {
  const messages = verbatimMessages(stored).filter(({ seq }) => !before || seq < before.seq);
  const pruned = messages.flatMap(({ parts }) => parts.filter(({ compactedAt }) => compactedAt !== null));
  const shown = addUp(pruned.map(({ excerptChars }) => excerptChars ?? 0));
  return `${stored.summary?.id ?? 'whole'}/${pruned.length}/${shown}`;
}
