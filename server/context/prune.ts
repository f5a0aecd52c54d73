import { pruneLimits, type PruneLimits } from '#server/context/budget';
import type { ContextSnapshot } from '#server/context/context-snapshot';
import { calmTokens, scale } from '#server/context/current-tokens';
import { tokensOf } from '#server/context/part-tokens';
import { isImage, unseenImage } from '#server/context/media-tokens';
import { rawTokens } from '#server/context/compaction-plan';
import type { ContextRequest, PrunedPart } from '#server/context/ports';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countTokens, STORED_VOCABULARY, type Vocabulary, vocabularyOf } from '#server/context/tokens';
import { cuttable, prunedTo, shownTokens, verbatimMessages } from '#server/context/view';
import { createBoundedCache } from '#server/core/bounded-map';
import { createYielder, yieldToEventLoop } from '#server/core/async';
import type { CompactionTrigger } from '#server/core/conversation/compactions';
import type { CompactionReason, PruneData } from '#server/core/conversation/events';
import { type Message, pairToolResults } from '#server/core/conversation/messages';
import { toolOutputText } from '#server/core/conversation/part-types/tool-output';
import type { Part, ToolCallPart, ToolResultPart } from '#server/core/conversation/parts';
import { isRequest } from '#server/core/conversation/part-text';

/** Result of a prune that cleared nothing. */
export const NOTHING_PRUNED: PruneData = { outputsPruned: 0, tokensSaved: 0, prunedTools: [], compactionId: null };

/** Tokens that clearing old images and outputs would save, without a minimum. */
export async function prunableTokens(snapshot: ContextSnapshot): Promise<number> {
  await countCleared(snapshot);
  const { stored, budget, settings, target } = snapshot;
  const rules = { ...settings, ...pruneLimits(budget, settings), minimum: 0, imagesFirst: false, leastGain: 0 };
  return scale(planPrune(stored.messages, rules).tokensSaved, target);
}

/**
 * Clears old images and tool outputs if that is worth the loss of the prompt cache. Clears only images if they are
 * enough, unless the user requested the prune.
 * @param hasSummary a prepared summary exists that frees more; it covers a smaller part of the view the longer it
 * waits, so text is not cleared
 */
export async function pruneSession(
  request: ContextRequest,
  trigger: CompactionTrigger,
  snapshot: ContextSnapshot,
  hasSummary: boolean,
): Promise<PruneData> {
  const { stored, budget, settings } = snapshot;
  await countCleared(snapshot);
  // A user who requests a prune wants space, and without compactions nothing else frees any.
  const isWanted = trigger === 'manual' || !settings.autoCompact;
  const plan = planPrune(stored.messages, {
    ...settings,
    ...pruneLimits(budget, settings),
    imagesFirst: trigger !== 'manual',
    leastGain: isWanted ? 0 : hasSummary ? Infinity : settings.pruneGain,
  });
  return savePrune(request, snapshot, trigger, plan);
}

/** Share of the refused tokens to aim for, because the error of our count is unknown. A choice, not measured. */
const REFUSED_SHARE = 0.5;

/** Tokens to aim for after a provider refused a request that seemed to fit, derived from the size of that request. */
export function refusedAim({ measured, budget }: ContextSnapshot): number {
  const refused = Math.max(0, measured.currentTokens - budget.fixed);
  return Math.min(budget.target, budget.fixed + Math.floor(refused * REFUSED_SHARE));
}

/** Stores a planned prune and reports it. */
async function savePrune(
  { session, listener }: ContextRequest,
  { measured, target }: ContextSnapshot,
  trigger: CompactionTrigger,
  { parts, tokensSaved: rawSaved, tools: prunedTools }: PrunePlan,
): Promise<PruneData> {
  if (parts.length === 0) return NOTHING_PRUNED;
  await yieldToEventLoop();
  const { modelId } = target;
  const tokensBefore = measured.currentTokens;
  const tokensSaved = scale(rawSaved, target);
  const tokensAfter = Math.max(0, tokensBefore - tokensSaved);
  const { id: compactionId } = await session.savePrune({ trigger, tokensBefore, tokensAfter, parts, modelId });
  const data = { outputsPruned: parts.length, tokensSaved, prunedTools, compactionId };
  listener?.onPrune?.(data);
  return data;
}

/** A tool call or its result. */
type ToolPart = ToolCallPart | ToolResultPart;

/** What a prune clears. */
interface PrunePlan {
  readonly parts: readonly PrunedPart[];
  /** In the stored vocabulary. */
  readonly tokensSaved: number;
  /** Names of the tools of these parts, without duplicates. */
  readonly tools: readonly string[];
}

/** Rules of one prune. */
export interface PruneRules extends PruneLimits, ContextSettings {
  /** Do not clear text if clearing images is already worth it. Text is considered again next time. */
  readonly imagesFirst: boolean;
  /**
   * Share that clearing text must save of what is then sent without cache: everything from the first cleared part on.
   */
  readonly leastGain: number;
}

/**
 * Plans which old images and tool outputs to clear from the view, and which large old inputs to shorten. Images are
 * cleared first: those of older turns that exceed the newest `images` tokens, once they amount to as much. The newest
 * turns and the newest `protect` tokens of calls and outputs are kept, as well as errors, exempt tools and running
 * calls. Empty when less than `minimum` tokens would be saved.
 * @param messages the messages of the view after the newest summary, in order
 * @returns images, outputs and calls, each oldest first, and the names of their tools without duplicates
 */
export function planPrune(messages: readonly Message[], rules: PruneRules): PrunePlan {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const older = messages.slice(0, starts.at(-rules.minTurnsToKeep) ?? 0);
  const newestFirst = older.flatMap(({ parts }) => parts).toReversed();
  // Notes of the engine may follow it. The newest request is never cut.
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
  const resentTokens = rawTokens(
    messages.slice(messages.findIndex(({ parts }) => parts.some(({ id }) => ids.has(id)))),
  );
  const saved = savedBy(both);
  const takesImages = images.length > 0 && savedBy(images) >= rules.images;
  const takesTexts = texts.length > 0 && saved >= Math.max(rules.minimum, rules.leastGain * (resentTokens - saved));
  const takesAll = takesTexts && !(takesImages && rules.imagesFirst);
  const pruned = (takesAll ? both : takesImages ? images : []).toReversed();
  const tools = pruned.flatMap(({ part: { content } }) => ('toolName' in content ? content.toolName : []));
  return { parts: pruned.map(({ after }) => after), tokensSaved: savedBy(pruned), tools: [...new Set(tools)] };
}

/** Tokens that clearing these parts saves. */
const savedBy = (prunable: readonly Prunable[]) => prunable.reduce((sum, { saved }) => sum + saved, 0);

/** Counts the cost of cleared outputs in advance, yielding to the event loop, so that a plan can use the counts. */
async function countCleared({ stored, settings }: ContextSnapshot): Promise<void> {
  const yieldIfDue = createYielder();
  for (const part of stored.messages.flatMap(({ parts }) => parts)) {
    if (part.type !== 'tool-result' || !isPrunable(part)) continue;
    shrunk(part, settings);
    await yieldIfDue();
  }
}

/** The parts except the newest ones that together have `protect` tokens. */
function behindNewest<P extends Part>(newestFirst: readonly P[], protect: number): P[] {
  let newest = 0;
  return newestFirst.filter((part) => (newest += tokensOf(part)) > protect);
}

/** A part that becomes smaller when it is cleared. */
interface Prunable {
  readonly part: Part;
  readonly after: PrunedPart;
  /** Tokens. */
  readonly saved: number;
}

/** The parts that become smaller when they are cleared, with what that saves. */
function smaller(parts: readonly Part[], settings: ContextSettings): Prunable[] {
  return parts.flatMap((part) => {
    const after = shrunk(part, settings);
    const saved = after ? tokensOf(part) - after.tokensAfter : 0;
    return after && saved > 0 ? [{ part, after, saved }] : [];
  });
}

/** Token counts of cleared parts. Every step needs those of all old parts, although only the newest parts are new. */
const counts = createBoundedCache<number>(20_000);

/** An image or output after it is cleared, or a call after its input is shortened. Null if that saves nothing. */
function shrunk(part: Part, { inputExcerptChars: excerptChars, ...rules }: ContextSettings): PrunedPart | null {
  const { id: partId, tokens } = part;
  if (part.type === 'file') {
    const line = () => unseenImage({ ...part, compactedAt: 0 }, true) ?? '';
    return { partId, tokensAfter: counts(partId, () => countTokens(line())) };
  }
  if (part.type === 'tool-result')
    return { partId, tokensAfter: counts(partId, () => shownTokens(prunedTo(part, null))) };
  if (part.type !== 'tool-call' || tokensOf(part) < rules.inputExcerptFrom) return null;
  // The input of a completed call does not change; its count is part of the key to be certain.
  const key = [partId, tokens, excerptChars].join(' ');
  const tokensAfter = counts(key, () => shownTokens(prunedTo(part, excerptChars)));
  return tokensAfter <= tokensOf(part) * rules.inputExcerptMaxShare ? { partId, tokensAfter, excerptChars } : null;
}

/** Returns whether a part is a completed call that was not shortened, or an output that is still shown. */
function isPrunable(part: Part): part is ToolPart {
  // The error of a failed call stays readable, but its input may be large.
  if (part.type === 'tool-call') {
    return part.compactedAt === null && (part.state === 'completed' || part.state === 'error');
  }
  if (part.type !== 'tool-result' || part.state !== 'completed') return false;
  const { type } = part.content.output;
  const isShown = part.compactedAt === null || part.excerptChars !== null;
  return isShown && !type.startsWith('error') && type !== 'execution-denied';
}

/** Tokens added to the excess, because outputs and inputs are each rounded up separately. */
const ROUNDING = 2;

/**
 * Cuts the largest outputs and, if necessary, inputs so that the request fits `most` tokens. Each excerpt names how to
 * read the rest.
 */
export async function excerptSession(
  request: ContextRequest,
  reason: CompactionReason,
  snapshot: ContextSnapshot,
  most: number,
): Promise<PruneData> {
  const { measured, budget, target, settings } = snapshot;
  // A report for this view does not apply after it is cut, and the estimate may be higher.
  const tokens = Math.max(measured.currentTokens, measured.estimatedTotal);
  const messages = verbatimMessages(snapshot.stored);
  // Space is reserved for reading on: the first page of the rest must not push the excerpts out again.
  const roomy = budget.usable - (budget.usable - budget.target) * settings.readingShare;
  const limits = [
    Math.min(roomy, calmTokens(budget.usable, settings), most),
    Math.min(budget.usable, (tokens + most) / 2),
  ];
  const vocabulary = vocabularyOf(target.modelId);
  const trigger = reason === 'provider-overflow' ? reason : 'tool-response';
  const tries = [false, true].flatMap((inputs) => limits.map((limit) => ({ inputs, limit })));
  for (const { inputs, limit } of tries) {
    // If a report says that the request costs more than we count, the savings are scaled accordingly.
    const share = (tokens - limit + ROUNDING) / tokens;
    const excess = Math.ceil((share * measured.estimatedTotal) / target.tokenFactor);
    const parts = planExcerpts(messages, excess, { inputs, vocabulary });
    if (parts.length > 0) return savePrune(request, snapshot, trigger, { parts, tokensSaved: excess, tools: [] });
  }
  return NOTHING_PRUNED;
}

/** Minimum length of a long text of an input; below that a stub replaces it. Characters. A choice, not measured. */
const MIN_INPUT_CHARS = 50;

/**
 * Cuts tool outputs, and inputs if requested, until `excess` tokens are saved: the largest first, all to the same
 * allowance, existing excerpts included. Empty if cutting everything to the minimum would not save enough.
 * @param vocabulary of the counts of the parts and of the excess
 */
export function planExcerpts(
  messages: readonly Message[],
  excess: number,
  { inputs = false, vocabulary = STORED_VOCABULARY } = {},
): PrunedPart[] {
  // A result without a call is not in the view, so cutting it would save nothing.
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

/**
 * Characters of a part that fit its allowance. @param allowance at least the tokens of the part after it is cut to the
 * minimum
 */
function charsWithin(part: ToolPart, allowance: number, vocabulary: Vocabulary): number {
  const least = part.type === 'tool-call' ? MIN_INPUT_CHARS : 0;
  const tokensAt = (excerptChars: number) => shownTokens(prunedTo(part, excerptChars), vocabulary);
  // Some inputs are long although no single text in them is.
  if (least > 0 && tokensAt(least) > allowance) return 0;
  const whole = part.type === 'tool-call' ? JSON.stringify(part.content.input) : toolOutputText(part.content.output);
  let chars = Math.floor(((part.excerptChars ?? whole.length) * allowance) / Math.max(1, tokensOf(part)));
  // Until it fits its allowance including the line about the rest.
  do chars = Math.max(least, Math.floor(chars * 0.8));
  while (chars > least && tokensAt(chars) > allowance);
  return chars;
}
