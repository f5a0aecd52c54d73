import { pruneLimits, type PruneLimits } from '#server/context/budget';
import type { ContextSnapshot } from '#server/context/context-snapshot';
import { calmTokens, scale } from '#server/context/current-tokens';
import { isImage, unseenImage } from '#server/context/part-tokens';
import { tokensOf } from '#server/context/part-tokens';
import { isRequest, rawTokens } from '#server/context/plan-compaction';
import { planExcerpts, type ToolPart } from '#server/context/plan-excerpts';
import type { ContextDependencies, ContextRequest, PrunedPart } from '#server/context/ports';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countTokens, vocabularyOf } from '#server/context/tokens';
import { prunedTo, shownTokens, verbatimMessages } from '#server/context/view';
import { createBoundedCache } from '#server/core/bounded-map';
import { createBreathing, letOthersThrough } from '#server/core/breathe';
import type { CompactionTrigger } from '#server/core/compactions';
import type { CompactionReason, PruneData } from '#server/core/events';
import type { Message } from '#server/core/messages';
import type { Part, PartOf, ToolCallPart, ToolResultPart } from '#server/core/parts';

export const NOTHING_PRUNED: PruneData = { outputsPruned: 0, tokensSaved: 0, prunedTools: [], compactionId: null };

/** Tokens that clearing old images and outputs would save, however few. */
export async function prunableTokens(snapshot: ContextSnapshot): Promise<number> {
  await countCleared(snapshot.stored.messages);
  const { stored, budget, settings, target } = snapshot;
  const rules = { ...settings, ...pruneLimits(budget, settings), minimum: 0, imagesFirst: false, leastGain: 0 };
  return scale(planPrune(stored.messages, rules).tokensSaved, target);
}

/**
 * Clears old images and tool outputs where that is worth the lost prompt cache; only images where those are enough,
 * unless somebody asked for it.
 * @param hasSummary one is ready that makes more room, and stands for less of the view the longer it waits: text stays
 */
export async function pruneSession(
  deps: ContextDependencies,
  request: ContextRequest,
  trigger: CompactionTrigger,
  snapshot: ContextSnapshot,
  hasSummary: boolean,
): Promise<PruneData> {
  const { stored, budget, settings } = snapshot;
  await countCleared(stored.messages);
  // Who asks for it wants the room; without compactions nothing else makes any.
  const isWanted = trigger === 'manual' || !settings.autoCompact;
  const plan = planPrune(stored.messages, {
    ...settings,
    ...pruneLimits(budget, settings),
    imagesFirst: trigger !== 'manual',
    leastGain: isWanted ? 0 : hasSummary ? Infinity : settings.pruneGain,
  });
  return savePrune(deps, request, snapshot, trigger, plan);
}

/** Outputs and inputs are each rounded up on their own when they are priced. */
const ROUNDING = 2;

/**
 * Cuts the largest outputs, and where that is not enough the inputs of calls, to what fits in `most` tokens, when no
 * compaction is enough; each names how to read the rest.
 */
export async function excerptSession(
  deps: ContextDependencies,
  request: ContextRequest,
  reason: CompactionReason,
  snapshot: ContextSnapshot,
  most: number,
): Promise<PruneData> {
  const { measured, budget, target, settings } = snapshot;
  // What was reported of this view no longer holds once it is cut; the estimate may be above it.
  const tokens = Math.max(measured.currentTokens, measured.estimatedTotal);
  const messages = verbatimMessages(snapshot.stored);
  // Room is left for reading on: the first page of the rest must not push the excerpts out again.
  const roomy = budget.usable - (budget.usable - budget.target) * settings.readingShare;
  const limits = [
    Math.min(roomy, calmTokens(budget.usable, settings), most),
    Math.min(budget.usable, (tokens + most) / 2),
  ];
  const vocabulary = vocabularyOf(target.modelId);
  const trigger = reason === 'provider-overflow' ? reason : 'tool-response';
  const tries = [false, true].flatMap((inputs) => limits.map((limit) => ({ inputs, limit })));
  for (const { inputs, limit } of tries) {
    // Where a report says that the request costs more than we count, so does what is cut of it.
    const share = (tokens - limit + ROUNDING) / tokens;
    const excess = Math.ceil((share * measured.estimatedTotal) / target.tokenFactor);
    const parts = planExcerpts(messages, excess, { inputs, vocabulary });
    if (parts.length > 0) return savePrune(deps, request, snapshot, trigger, { parts, tokensSaved: excess, tools: [] });
  }
  return NOTHING_PRUNED;
}

/** Share of refused tokens to keep: our count's error is unknown. */
const REFUSED_SHARE = 0.5;

/** Tokens that a request may have after a provider refused one that seemed to fit: we go by what was refused. */
export function refusedAim({ measured, budget }: ContextSnapshot): number {
  const refused = Math.max(0, measured.currentTokens - budget.fixed);
  return Math.min(budget.target, budget.fixed + Math.floor(refused * REFUSED_SHARE));
}

async function savePrune(
  { store }: ContextDependencies,
  { sessionId, listener }: ContextRequest,
  { measured, target }: ContextSnapshot,
  trigger: CompactionTrigger,
  { parts, tokensSaved: rawSaved, tools: prunedTools }: PrunePlan,
): Promise<PruneData> {
  if (parts.length === 0) return NOTHING_PRUNED;
  await letOthersThrough();
  const { modelId } = target;
  const tokensBefore = measured.currentTokens;
  const tokensSaved = scale(rawSaved, target);
  const tokensAfter = Math.max(0, tokensBefore - tokensSaved);
  const { id: compactionId } = await store.savePrune(sessionId, { trigger, tokensBefore, tokensAfter, parts, modelId });
  const data = { outputsPruned: parts.length, tokensSaved, prunedTools, compactionId };
  listener?.onPrune?.(data);
  return data;
}

interface PrunePlan {
  /** Images to take out, outputs to clear and calls to excerpt, each oldest first. */
  readonly parts: readonly PrunedPart[];
  readonly tokensSaved: number;
  /** Names of the tools of the outputs and calls, each once. */
  readonly tools: readonly string[];
}

export interface PruneRules extends PruneLimits, ContextSettings {
  /** Leave text alone where taking images out is worth it already: text is looked at again the next time. */
  readonly imagesFirst: boolean;
  /** Share of what is sent anew, which is all from the first cleared part on, that clearing text must save. */
  readonly leastGain: number;
}

interface Prunable {
  readonly after: PrunedPart;
  readonly saved: number;
  readonly tool: string | null;
}

/**
 * Plans which old images and tool outputs to clear from the view, and which large old inputs to excerpt. Images leave
 * before text does: those of older turns behind the newest `images` tokens, once they come to as much. The newest turns
 * and the newest `protect` tokens of calls and outputs stay, and so do errors, exempt tools and calls that still run.
 * Empty when less than `minimum` tokens would be saved.
 * @param messages the view's messages after the newest summary, in order
 */
export function planPrune(messages: readonly Message[], rules: PruneRules): PrunePlan {
  const old = oldParts(messages, rules.minTurnsToKeep);
  // Notes of the engine may have come after it: the newest request is never cut.
  const latest = messages.findLast(isRequest)?.id;
  const attached = old.filter(isOldImage).filter(({ messageId }) => messageId !== latest);
  const images = behindNewest(attached, rules.images).flatMap((part) => smaller(part, clearImage(part)));
  const texts = behindNewest(old.filter(isPrunable), rules.protect)
    .filter((part) => !rules.exemptTools.has(part.content.toolName))
    .flatMap((part) => smaller(part, part.type === 'tool-call' ? excerptCall(part, rules) : clearOutput(part)));
  const takesImages = images.length > 0 && savedBy(images) >= rules.images;
  const both = [...texts, ...images];
  const saved = savedBy(both);
  const leastSaved = Math.max(rules.minimum, rules.leastGain * (tokensFrom(messages, both) - saved));
  const takesTexts = texts.length > 0 && saved >= leastSaved;
  if (takesImages && (rules.imagesFirst || !takesTexts)) return planOf(images);
  return planOf(takesTexts ? both : []);
}

/** The parts before the newest `turns` turns, newest first. */
function oldParts(messages: readonly Message[], turns: number): Part[] {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  return messages
    .slice(0, starts.at(-turns) ?? 0)
    .flatMap((message) => message.parts)
    .toReversed();
}

/** Counts what cleared outputs will cost, with others let through, so that a plan has them at hand. */
async function countCleared(messages: readonly Message[]): Promise<void> {
  const breathe = createBreathing();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== 'tool-result' || !isPrunable(part)) continue;
    clearOutput(part);
    await breathe();
  }
}

function behindNewest<P extends Part>(newestFirst: readonly P[], protect: number): P[] {
  let newest = 0;
  return newestFirst.filter((part) => (newest += tokensOf(part)) > protect);
}

function smaller(part: ToolPart | PartOf<'file'>, after: PrunedPart | null): Prunable[] {
  const saved = after ? tokensOf(part) - after.tokensAfter : 0;
  return after && saved > 0 ? [{ after, saved, tool: part.type === 'file' ? null : part.content.toolName }] : [];
}

function savedBy(prunable: readonly Prunable[]): number {
  return prunable.reduce((sum, { saved }) => sum + saved, 0);
}

function tokensFrom(messages: readonly Message[], prunable: readonly Prunable[]): number {
  const ids = new Set(prunable.map(({ after }) => after.partId));
  return rawTokens(messages.slice(messages.findIndex(({ parts }) => parts.some(({ id }) => ids.has(id)))));
}

/** @param newestFirst texts, then images */
function planOf(newestFirst: readonly Prunable[]): PrunePlan {
  const prunable = newestFirst.toReversed();
  const tools = new Set(prunable.flatMap(({ tool }) => tool ?? []));
  return { parts: prunable.map(({ after }) => after), tokensSaved: savedBy(prunable), tools: [...tools] };
}

function isOldImage(part: Part): part is PartOf<'file'> {
  return part.type === 'file' && part.compactedAt === null && isImage(part.content);
}

/** Calls that have ended and are whole, outputs of which something is shown. */
function isPrunable(part: Part): part is ToolPart {
  // A failed call's error stays readable; what it was called with may be as large as any input.
  if (part.type === 'tool-call') {
    return part.compactedAt === null && (part.state === 'completed' || part.state === 'error');
  }
  if (part.type !== 'tool-result' || part.state !== 'completed') return false;
  const { type } = part.content.output;
  const isShown = part.compactedAt === null || part.excerptChars !== null;
  return isShown && !type.startsWith('error') && type !== 'execution-denied';
}

/** Token counts of cleared parts: asked for all old parts at every step, though only the newest are new. */
const counts = createBoundedCache<number>(20_000);

function clearImage(part: PartOf<'file'>): PrunedPart {
  const line = () => unseenImage({ ...part, compactedAt: 0 }, true) ?? '';
  return { partId: part.id, tokensAfter: counts(part.id, () => countTokens(line())) };
}

function clearOutput(part: ToolResultPart): PrunedPart {
  return { partId: part.id, tokensAfter: counts(part.id, () => shownTokens(prunedTo(part, null))) };
}

function excerptCall(part: ToolCallPart, rules: PruneRules): PrunedPart | null {
  const { inputExcerptChars: excerptChars, inputExcerptFrom, inputExcerptMaxShare } = rules;
  const { id, tokens } = part;
  if (tokensOf(part) < inputExcerptFrom) return null;
  // The input of a call that has ended stays the same; its own count makes sure.
  const tokensAfter = counts([id, tokens, excerptChars].join(' '), () => shownTokens(prunedTo(part, excerptChars)));
  return tokensAfter <= tokensOf(part) * inputExcerptMaxShare ? { partId: id, tokensAfter, excerptChars } : null;
}
