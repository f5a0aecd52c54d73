import { pruneLimits, type PruneLimits } from '#server/context/budget';
import type { ContextSnapshot } from '#server/context/context-snapshot';
import { calmTokens, scale } from '#server/context/current-tokens';
import { isImage, tokensOf, unseenImage } from '#server/context/part-tokens';
import { isRequest, rawTokens } from '#server/context/strategies';
import type { ContextDependencies, ContextRequest, PrunedPart } from '#server/context/ports';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countTokens, STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import { pairToolResults } from '#server/context/view-messages';
import { cuttable, prunedTo, shownTokens, verbatimMessages } from '#server/context/view';
import { createBoundedCache } from '#server/core/bounded-map';
import { createBreathing, letOthersThrough } from '#server/core/async';
import type { CompactionTrigger } from '#server/core/compactions';
import type { CompactionReason, PruneData } from '#server/core/events';
import type { Message } from '#server/core/messages';
import { toolOutputText } from '#server/core/part-text';
import type { Part, ToolCallPart, ToolResultPart } from '#server/core/parts';

export const NOTHING_PRUNED: PruneData = { outputsPruned: 0, tokensSaved: 0, prunedTools: [], compactionId: null };

/** Tokens that clearing old images and outputs would save, however few. */
export async function prunableTokens(snapshot: ContextSnapshot): Promise<number> {
  await countCleared(snapshot);
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
  await countCleared(snapshot);
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
  { parts, tokensSaved: rawSaved, tools: prunedTools }: ReturnType<typeof planPrune>,
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

type ToolPart = ToolCallPart | ToolResultPart;

export interface PruneRules extends PruneLimits, ContextSettings {
  /** Leave text alone where taking images out is worth it already: text is looked at again the next time. */
  readonly imagesFirst: boolean;
  /** Share of what is sent anew, which is all from the first cleared part on, that clearing text must save. */
  readonly leastGain: number;
}

/**
 * Plans which old images and tool outputs to clear from the view, and which large old inputs to excerpt. Images leave
 * before text does: those of older turns behind the newest `images` tokens, once they come to as much. The newest turns
 * and the newest `protect` tokens of calls and outputs stay, and so do errors, exempt tools and calls that still run.
 * Empty when less than `minimum` tokens would be saved.
 * @param messages the view's messages after the newest summary, in order
 * @returns images, outputs and calls, each oldest first, and the names of their tools, each once
 */
export function planPrune(messages: readonly Message[], rules: PruneRules) {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const older = messages.slice(0, starts.at(-rules.minTurnsToKeep) ?? 0);
  const newestFirst = older.flatMap(({ parts }) => parts).toReversed();
  // Notes of the engine may have come after it: the newest request is never cut.
  const latest = messages.findLast(isRequest)?.id;
  const attached = newestFirst.filter(
    (part) => part.type === 'file' && part.compactedAt === null && isImage(part.content) && part.messageId !== latest,
  );
  const images = smaller(behindNewest(attached, rules.images), rules);
  const outputs = behindNewest(newestFirst.filter(isPrunable), rules.protect);
  const texts = smaller(
    outputs.filter(({ content }) => !rules.exemptTools.has(content.toolName)),
    rules,
  );
  const both = [...texts, ...images];
  const ids = new Set(both.map(({ part }) => part.id));
  const sentAnew = rawTokens(messages.slice(messages.findIndex(({ parts }) => parts.some(({ id }) => ids.has(id)))));
  const saved = savedBy(both);
  const takesImages = images.length > 0 && savedBy(images) >= rules.images;
  const takesTexts = texts.length > 0 && saved >= Math.max(rules.minimum, rules.leastGain * (sentAnew - saved));
  const takesAll = takesTexts && !(takesImages && rules.imagesFirst);
  const pruned = (takesAll ? both : takesImages ? images : []).toReversed();
  const tools = pruned.flatMap(({ part: { content } }) => ('toolName' in content ? content.toolName : []));
  return { parts: pruned.map(({ after }) => after), tokensSaved: savedBy(pruned), tools: [...new Set(tools)] };
}

const savedBy = (prunable: ReturnType<typeof smaller>) => prunable.reduce((sum, { saved }) => sum + saved, 0);

/** Counts what cleared outputs will cost, with others let through, so that a plan has them at hand. */
async function countCleared({ stored, settings }: ContextSnapshot): Promise<void> {
  const breathe = createBreathing();
  for (const part of stored.messages.flatMap(({ parts }) => parts)) {
    if (part.type !== 'tool-result' || !isPrunable(part)) continue;
    shrunk(part, settings);
    await breathe();
  }
}

function behindNewest<P extends Part>(newestFirst: readonly P[], protect: number): P[] {
  let newest = 0;
  return newestFirst.filter((part) => (newest += tokensOf(part)) > protect);
}

function smaller(parts: readonly Part[], settings: ContextSettings) {
  return parts.flatMap((part) => {
    const after = shrunk(part, settings);
    const saved = after ? tokensOf(part) - after.tokensAfter : 0;
    return after && saved > 0 ? [{ part, after, saved }] : [];
  });
}

/** Token counts of cleared parts: asked for all old parts at every step, though only the newest are new. */
const counts = createBoundedCache<number>(20_000);

/** An image or output once it is cleared, a call once its input is in short; null where that is not worth it. */
function shrunk(part: Part, { inputExcerptChars: excerptChars, ...rules }: ContextSettings): PrunedPart | null {
  const { id: partId, tokens } = part;
  if (part.type === 'file') {
    const line = () => unseenImage({ ...part, compactedAt: 0 }, true) ?? '';
    return { partId, tokensAfter: counts(partId, () => countTokens(line())) };
  }
  if (part.type === 'tool-result')
    return { partId, tokensAfter: counts(partId, () => shownTokens(prunedTo(part, null))) };
  if (part.type !== 'tool-call' || tokensOf(part) < rules.inputExcerptFrom) return null;
  // The input of a call that has ended stays the same; its own count makes sure.
  const key = [partId, tokens, excerptChars].join(' ');
  const tokensAfter = counts(key, () => shownTokens(prunedTo(part, excerptChars)));
  return tokensAfter <= tokensOf(part) * rules.inputExcerptMaxShare ? { partId, tokensAfter, excerptChars } : null;
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

/* Excerpts in the place of what no compaction makes small enough. */

/** Outputs and inputs are each rounded up on their own when they are priced. */
const ROUNDING = 2;

/** Cuts the largest outputs, and where needed inputs, to what fits in `most` tokens; each names how to read the rest. */
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

/** The least that is kept of a long text of an input; below, a stub takes its place. Characters. */
const LEAST_INPUT_CHARS = 50;

/**
 * Cuts tool outputs, and inputs if asked to, until they save `excess` tokens: the largest first, each down to the same
 * allowance, excerpts too. Empty when even the least of all of them would not save enough.
 * @param vocabulary that the parts are priced in, and the excess
 */
export function planExcerpts(
  messages: readonly Message[],
  excess: number,
  { inputs = false, vocabulary = STORED_VOCABULARY } = {},
): PrunedPart[] {
  // A result that no call owns is not in the view: cutting it would save nothing.
  const outputs = pairToolResults(messages).values();
  const calls = messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool-call');
  const parts = [...outputs, ...(inputs ? calls : [])].flatMap((part) => cuttable(part, vocabulary) ?? []);
  const saved = (allowance: number) =>
    parts.reduce((sum, { tokens, least }) => sum + tokens - Math.min(tokens, Math.max(allowance, least)), 0);
  if (saved(0) < excess) return [];
  let [allowance, tooMuch] = [0, parts.reduce((most, { tokens }) => Math.max(most, tokens), 0)];
  while (tooMuch - allowance > 1) {
    const middle = Math.floor((allowance + tooMuch) / 2);
    if (saved(middle) >= excess) allowance = middle;
    else tooMuch = middle;
  }
  return parts
    .filter(({ tokens }) => tokens > allowance)
    .map(({ part, least }) => {
      const excerptChars = charsWithin(part, Math.max(allowance, least), vocabulary);
      return { partId: part.id, tokensAfter: shownTokens(prunedTo(part, excerptChars)), excerptChars };
    });
}

/** @param allowance at least what the part costs cut to the least */
function charsWithin(part: ToolPart, allowance: number, vocabulary: Vocabulary): number {
  const least = part.type === 'tool-call' ? LEAST_INPUT_CHARS : 0;
  const tokensAt = (excerptChars: number) => shownTokens(prunedTo(part, excerptChars), vocabulary);
  // Some inputs are long without a long text in them.
  if (least > 0 && tokensAt(least) > allowance) return 0;
  const whole = part.type === 'tool-call' ? JSON.stringify(part.content.input) : toolOutputText(part.content.output);
  let chars = Math.floor(((part.excerptChars ?? whole.length) * allowance) / Math.max(1, tokensOf(part)));
  // Until it is inside its allowance with the line about the rest.
  do chars = Math.max(least, Math.floor(chars * 0.8));
  while (chars > least && tokensAt(chars) > allowance);
  return chars;
}
