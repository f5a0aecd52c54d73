import { type ContextBudget, createBudget, type ModelTarget, viewShares } from '#server/context/budget';
import { fixedTokens } from '#server/context/current-tokens';
import { MESSAGE_OVERHEAD, tokensOf } from '#server/context/part-tokens';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countRecurringTokens } from '#server/context/tokens';
import { markerOf, type StoredView, verbatimMessages } from '#server/context/view';
import type { Message } from '#server/core/conversation/messages';
import { isRequest } from '#server/core/conversation/part-text';
import { newestWithin } from '#server/core/text/excerpt';

/*
 * Decides which messages of a view a compaction replaces and which it keeps. A view is what the model gets of a
 * session: verbatim messages (as they are stored) and the summary of the newest compaction, whose marker names what it
 * replaced. The cut is the position before the tail. Tokens of this file are counted in `STORED_VOCABULARY`
 * (tokens.ts).
 */

/** How a compaction divides the view. */
export interface ViewCut {
  /** Messages that are kept before the summary, as the strategy wants: for example the first request. */
  readonly keptBefore: readonly Message[];
  /** Messages that the summary replaces. */
  readonly replaced: readonly Message[];
  /** Older messages that are kept after the summary: the request of the turn that is cut. */
  readonly keptAfter: readonly Message[];
  /** Everything from the cut on, including the result of each of its calls. Never empty. */
  readonly tail: readonly [Message, ...Message[]];
  /** The cut divides a turn: a part of the turn is replaced, and its request precedes the tail. */
  readonly cutsTurn: boolean;
}

/**
 * The messages that a compaction replaces and keeps: every message of the previous view is in exactly one of the lists.
 */
export interface CompactionPlan extends ViewCut {
  /** Maximum tokens of the whole summary message. */
  readonly summaryTokens: number;
}

/** Amount of the newest messages to keep. */
export interface TailRule {
  /** Maximum tokens; default: limited by the token budget only. */
  readonly tokens?: number | undefined;
  /**
   * Minimum number of turns, if they fit; a turn that does not fit is cut. When little has to be removed, no more than
   * this are kept.
   */
  readonly turns: number;
  /** Messages to keep before the summary. Default: none. */
  readonly keptBefore?: readonly Message[] | undefined;
  /** Tokens of the summary, if they are known. Default: estimated. */
  readonly summaryTokens?: number | undefined;
}

/** A measured session, as strategies plan a compaction of it. */
export interface PlanInput {
  readonly stored: StoredView;
  readonly budget: ContextBudget;
  readonly target: ModelTarget;
  readonly settings: ContextSettings;
}

/** What a compaction may fill, in tokens. */
export interface CompactionBudget {
  /** Of the whole view. */
  readonly tokens: number;
  readonly summaryTokens: number;
  readonly tailTokens: number;
  /** Of all messages and the summary before the strategy compacts again. */
  readonly room: number;
  /** Of a summary and a large newest step together. */
  readonly besideLarge: number;
  /**
   * True if the view is larger than the result of a compaction. Otherwise the user requested the compaction to free
   * tokens.
   */
  readonly isFull: boolean;
}

/** Tokens that a compaction may fill, with the maximum for the summary and for the tail. */
export function compactionBudget({ stored, budget, target: { tokenFactor }, settings }: PlanInput): CompactionBudget {
  const now = rawTokens(verbatimMessages(stored)) + summaryTokensOf(stored);
  const tokens = Math.max(0, Math.floor((budget.target - budget.fixed) / tokenFactor));
  return {
    tokens,
    summaryTokens: viewShares(Math.floor(budget.view / tokenFactor), settings).summary,
    tailTokens: Math.floor(tokens * settings.tailShare),
    room: Math.floor(budget.room / tokenFactor),
    besideLarge: Math.floor(((budget.room + budget.fixed) * BESIDE_LARGE_SHARE - budget.fixed) / tokenFactor),
    isFull: now > tokens,
  };
}

/** Tokens of the newest messages that a compaction for a model keeps at least. */
export function tailTokensOf(target: ModelTarget, settings: ContextSettings): number {
  const { view } = createBudget(target, settings, fixedTokens(target));
  return Math.floor((view / target.tokenFactor) * settings.tailShare);
}

/**
 * Cuts the view: keeps as many of the newest turns as fit. If these are fewer than the rule requires, cuts through the
 * next one, never between a call and its result, and keeps its request. Always keeps the newest request and the newest
 * step. Null if nothing would be replaced.
 */
export function cutView(stored: StoredView, limits: CompactionBudget, rule: TailRule): CompactionPlan | null {
  const plan = splitView(stored, limits, rule);
  return plan && plan.replaced.length > 0 ? plan : null;
}

/** Cuts a view like `cutView`, even if only an earlier summary is left to replace. Null for an empty view. */
export function splitView(stored: StoredView, limits: CompactionBudget, rule: TailRule): CompactionPlan | null {
  const { keptBefore = [], tokens = Infinity, turns } = rule;
  const expected =
    rule.summaryTokens === undefined
      ? Math.min(limits.summaryTokens, expectedSummary(stored))
      : rule.summaryTokens + SPARE_TOKENS;
  const most = Math.min(tokens, limits.tokens - expected - rawTokens(keptBefore));
  const [first, ...rest] = newestTurns(stored, { tokens: most, least: turns, most: limits.isFull ? Infinity : turns });
  if (!first) return null;
  const plan = planAt(verbatimMessages(stored), [first, ...rest], keptBefore);
  const room = summaryRoom(plan, limits);
  // A finished summary may also grow into what the turns beside it leave.
  const left = rule.summaryTokens === undefined ? 0 : limits.tokens - rawTokens(keptBy(plan)) - SPARE_TOKENS;
  return { ...plan, summaryTokens: Math.max(room, left) };
}

/** Tokens that a finished summary may grow by, and that roundings take. A choice, not measured. */
const SPARE_TOKENS = 50;
/** Share of what a compaction leaves that the summary takes even beside a large newest step. A choice, not measured. */
const MIN_SUMMARY_SHARE = 0.5;
/** Share of the token budget that this summary and the step may fill together. A choice, not measured. */
const MAX_FILLED_SHARE = 0.85;
/** A newest step above this share of what a compaction leaves is large. A choice, not measured. */
const LARGE_STEP_SHARE = 1 / 3;
/** Share of all tokens before the strategy compacts again that a request with a large newest step may take. */
const BESIDE_LARGE_SHARE = 0.7;

/**
 * Tokens that the messages of a cut leave for the summary. Beside a large newest step, which the next prune or compaction
 * clears, it also takes tokens above the target: the words of all other turns are in it.
 */
function summaryRoom(cut: ViewCut, { tokens, summaryTokens, tailTokens, room, besideLarge }: CompactionBudget): number {
  const kept = rawTokens(keptBy(cut));
  const beside = Math.max(
    Math.min(tokens * MIN_SUMMARY_SHARE, room * MAX_FILLED_SHARE - kept),
    kept > tokens * LARGE_STEP_SHARE ? besideLarge - kept : 0,
  );
  return Math.floor(Math.min(summaryTokens, Math.max(tokens - kept, beside, tailTokens)));
}

/** A plan with the cut before this tail; if the cut divides a turn, its request is kept. */
function planAt(verbatim: readonly Message[], tail: CompactionPlan['tail'], keptBefore: readonly Message[]): ViewCut {
  const older = verbatim.filter((message) => !tail.includes(message));
  const request = isRequest(tail[0]) ? undefined : older.findLast(isRequest);
  const isKeptBefore = (message: Message) => keptBefore.includes(message);
  const keptAfter = older.filter((message) => message === request && !isKeptBefore(message));
  const replaced = older.filter((message) => message !== request && !isKeptBefore(message));
  return { keptBefore: older.filter(isKeptBefore), replaced, keptAfter, tail, cutsTurn: request !== undefined };
}

/** Whole turns that fill less than this share of their tokens are too few. A choice, not measured. */
const MIN_FILLED_SHARE = 0.5;

/**
 * The newest whole turns that fit together; if these are too few, also the newest steps of the next turn with its
 * request.
 */
function newestTurns(
  stored: StoredView,
  { tokens, least, most }: { readonly tokens: number; readonly least: number; readonly most: number },
): Message[] {
  const turns = grouped(stored.messages, (message) => !isRequest(message)).slice(-most);
  let kept: Message[] = [];
  let left = tokens;
  for (const [index, turn] of turns.toReversed().entries()) {
    // If the turn was cut before, its request is earlier in the view.
    const request = verbatimMessages(stored).findLast((message) => isRequest(message) && message.seq <= turn[0].seq);
    const whole = rawTokens(request && request !== turn[0] ? [request, ...turn] : turn);
    if (whole > left && index >= least && left <= tokens * (1 - MIN_FILLED_SHARE)) break;
    if (whole > left) {
      const steps = blocksOf(turn.filter((message) => message !== request));
      left -= request ? rawTokens([request]) : 0;
      const fitting = newestWithin(steps, left, rawTokens);
      // Always keeps the newest step, and a turn that consists of a request alone, even if it exceeds the token budget.
      const newest = fitting.length > 0 || kept.length > 0 ? fitting.flat() : (steps.at(-1) ?? turn);
      kept = [...newest, ...kept];
      break;
    }
    kept = [...turn, ...kept];
    left -= whole;
  }
  return kept;
}

/** Groups adjacent messages: each that `belongs` joins the group before it, any other begins one. */
function grouped(messages: readonly Message[], belongs: (message: Message) => boolean): [Message, ...Message[]][] {
  const groups: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const newest = groups.at(-1);
    if (newest && belongs(message)) newest.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** Expected tokens of title, headings and narrative. A choice, not measured: a narrative has at most 2,000. */
const FRAME_TOKENS = 1_500;
/** Expected tokens of the record line of one call. A choice, not measured. */
const LINE_TOKENS = 40;

/** Expected tokens of the next summary: those of the last one, plus the user's words and the calls since. */
function expectedSummary(stored: StoredView): number {
  const parts = verbatimMessages(stored).flatMap(({ role, parts: all }) =>
    all.filter(({ type }) => type === 'tool-call' || role === 'user'),
  );
  const since = parts.reduce((sum, part) => sum + (part.type === 'text' ? tokensOf(part) : LINE_TOKENS), 0);
  return Math.max(FRAME_TOKENS, summaryTokensOf(stored)) + since;
}

/** Tokens of the summary in the view; 0 without one. */
const summaryTokensOf = (stored: StoredView): number => countRecurringTokens(markerOf(stored)?.summary ?? '');

/** Everything before the cut, in order: what is kept and what is replaced. */
export function headOf({ keptBefore, replaced, keptAfter }: CompactionPlan): Message[] {
  return [...keptBefore, ...replaced, ...keptAfter].toSorted((a, b) => a.seq - b.seq);
}

/** Everything in the view that is kept unchanged, in the order of the new view. */
export function keptBy({ keptBefore, keptAfter, tail }: ViewCut): Message[] {
  return [...keptBefore, ...keptAfter, ...tail];
}

/** Tokens of stored messages in the view. */
export function rawTokens(messages: readonly Message[]): number {
  const ofMessage = (message: Message) => message.parts.reduce((sum, part) => sum + tokensOf(part), MESSAGE_OVERHEAD);
  return messages.reduce((sum, message) => sum + ofMessage(message), 0);
}

/** Groups messages that must not be separated: an assistant message with its results, or a single other message. */
export const blocksOf = (messages: readonly Message[]): Message[][] => grouped(messages, ({ role }) => role === 'tool');
