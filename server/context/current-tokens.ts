import type { ContextBreakdown } from '#server/core/events';
import { type StoredView, type ViewMessage, buildView, measureView } from '#server/context/view';

/** A model as the engine needs it: its window, and how its tokens compare with our count. */
export interface ModelTarget {
  readonly modelId: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Multiplies our o200k count: 1 for OpenAI's models, above 1 where a tokenizer is unknown. */
  readonly tokenFactor: number;
  /** Tokens sent with every request, uncalibrated. */
  readonly fixed: { readonly instructions: number; readonly tools: number };
}

export interface Measured {
  /** Tokens of the next request. */
  readonly currentTokens: number;
  readonly source: 'reported' | 'estimated';
  readonly breakdown: ContextBreakdown;
}

/** Reports further off our estimate than this are absurd and do not drive decisions. */
const PLAUSIBLE = { least: 0.5, most: 3 };

/**
 * Tokens of the next request: what the provider reported for the newest step (its input already includes cache
 * reads and writes) plus its output plus an estimate of everything added since; an estimate of the whole request
 * where there is no report for this view and model, or an absurd one.
 */
export function measure(stored: StoredView, view: readonly ViewMessage[], target: ModelTarget): Measured {
  const breakdown = estimate(view, target);
  const estimated = Object.values(breakdown).reduce((sum, tokens) => sum + tokens, 0);
  const anchored = anchor(stored, target);
  const plausible =
    anchored !== null && anchored >= estimated * PLAUSIBLE.least && anchored <= estimated * PLAUSIBLE.most;
  return plausible
    ? { currentTokens: anchored, source: 'reported', breakdown }
    : { currentTokens: estimated, source: 'estimated', breakdown };
}

/** Tokens for this model of a text or part that counts `tokens` in our vocabulary. */
export function scale(tokens: number, target: Pick<ModelTarget, 'tokenFactor'>): number {
  return Math.ceil(tokens * target.tokenFactor);
}

/** Instructions and tool schemas, in this model's tokens. */
export function fixedTokens(target: ModelTarget): number {
  return scale(target.fixed.instructions, target) + scale(target.fixed.tools, target);
}

function estimate(view: readonly ViewMessage[], target: ModelTarget): ContextBreakdown {
  const sum = measureView(view);
  return {
    instructions: scale(target.fixed.instructions, target),
    tools: scale(target.fixed.tools, target),
    user: scale(sum.user, target),
    assistant: scale(sum.assistant, target),
    reasoning: scale(sum.reasoning, target),
    toolCalls: scale(sum.toolCalls, target),
    toolResults: scale(sum.toolResults, target),
    media: scale(sum.media, target),
    summary: scale(sum.summary, target),
  };
}

/** Tokens by the newest report, or null when none holds for this view. */
function anchor(stored: StoredView, target: ModelTarget): number | null {
  const index = stored.messages.findLastIndex((message) => message.usage !== null);
  const reported = stored.messages[index];
  if (!reported?.usage || reported.modelId !== target.modelId) return null;
  if (reported.createdAt <= viewChangedAt(stored)) return null;
  const { inputTokens, outputTokens, fixedTokens: fixedThen } = reported.usage;
  if (inputTokens <= 0 || inputTokens + outputTokens > target.contextWindow) return null;
  // The step's own message counts as reported, unless it is sent back larger than it was written (ids, JSON).
  const since = buildView({ summary: null, messages: stored.messages.slice(index) }, target.modelId);
  const [own, added] = [true, false].map((isOwn) =>
    total(measureView(since.filter((entry) => (entry.sourceId === reported.id) === isOwn)), target),
  ) as [number, number];
  const fixedNow = fixedTokens(target);
  return inputTokens + Math.max(outputTokens, own) + added + fixedNow - (fixedThen ?? fixedNow);
}

function total(measured: Record<string, number>, target: ModelTarget): number {
  return scale(
    Object.values(measured).reduce((sum, count) => sum + count, 0),
    target,
  );
}

/** When a compaction or prune last changed what the model sees; reports from before say nothing about the view. */
function viewChangedAt(stored: StoredView): number {
  const parts = stored.messages.flatMap((message) => message.parts);
  return parts.reduce((newest, part) => Math.max(newest, part.compactedAt ?? 0), stored.summary?.createdAt ?? 0);
}
