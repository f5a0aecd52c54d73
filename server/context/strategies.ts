import { type ContextBudget, type ModelTarget, budgetBelow, viewShares } from '#server/context/budget';
import { MESSAGE_OVERHEAD, tokensOf } from '#server/context/part-tokens';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countRecurringTokens, countTokens, newestWithin } from '#server/context/tokens';
import { markerOf, type StoredView, verbatimMessages } from '#server/context/view';
import type { StrategyName } from '#server/core/compactions';
import { NOTE_LABEL } from '#server/core/engine-words';
import type { Message } from '#server/core/messages';
import { isSaid } from '#server/core/part-text';

export interface ModelResult {
  /** The plan with the model's choice of what stays, where it has one. */
  readonly plan: CompactionPlan;
  readonly text: string;
  /** Tokens of the conversation before and after, by the model's own account. */
  readonly claims?: { readonly originalTokens: number; readonly prunedTokens: number };
}

/** Decides when and how to compact. To add one: its object here, its name in `strategyNames`; types show the rest. */
export interface Strategy {
  readonly name: string;
  /** Writer of the summary: a model, which may also choose what stays; without one, the facts or a short note. */
  readonly writer: 'narrative' | 'pruning-agent' | 'ledger' | 'note';
  /** Tokens of the next request above which it compacts; never above `budget.usable`, the overflow itself. */
  trigger(budget: ContextBudget, settings: ContextSettings): number;
  /** Pure. Null when there is nothing worth replacing. */
  plan(input: PlanInput): CompactionPlan | null;
  /** Pure. What is wrong with a model's result, as a short sentence: it is asked for once more then. Null: nothing. */
  validate?(result: ModelResult, planned: CompactionPlan, settings: ContextSettings): string | null;
}

/** The budget for the compactions of a strategy; `refused`: tokens of a request that its provider did not take. */
export function budgetFor(
  strategy: Strategy,
  budget: ContextBudget,
  settings: ContextSettings,
  refused = Infinity,
): ContextBudget {
  return budgetBelow(Math.min(strategy.trigger(budget, settings), refused), budget, settings);
}

/** The budget of a summary that is written ahead: what may be added until it is needed is left free as well. */
export function budgetAhead(strategy: Strategy, { budget, settings }: PlanInput, currentTokens: number): ContextBudget {
  const below = budgetFor(strategy, budget, settings);
  const ahead = Math.max(0, below.fixed + below.room - currentTokens);
  return { ...below, target: below.target - Math.min(ahead, below.room - below.target + below.fixed) };
}

/** Tokens above which the strategy's next summary is prepared in the background; always below its trigger. */
export function softLimit(strategy: Strategy, budget: ContextBudget, settings: ContextSettings): number {
  const { fixed, room } = budgetFor(strategy, budget, settings);
  return fixed + room * settings.aheadShare;
}

/** A trigger at a share of the window, never above the overflow. */
function shareOfWindow({ usable, contextWindow }: ContextBudget, share: number): number {
  return Math.min(usable, Math.floor(contextWindow * share));
}

/** The default: waits for the overflow, keeps the newest turns verbatim and has the rest told by a model. */
const reactiveOverflow: Strategy = {
  name: 'reactive-overflow',
  writer: 'narrative',
  trigger: (budget) => budget.usable,
  plan(input) {
    const room = compactionRoom(input);
    return cutView(input.stored, room, { tokens: room.tailTokens, turns: input.settings.minTurnsToKeep });
  },
};

/** Compacts early (at half of the window), keeps the newest 30 % of the tokens whatever turns they belong to. */
const proactiveThreshold: Strategy = {
  name: 'proactive-threshold',
  writer: 'narrative',
  trigger: (budget, settings) => shareOfWindow(budget, settings.proactiveThreshold),
  plan(input) {
    const newest = rawTokens(verbatimMessages(input.stored)) * input.settings.proactiveKeepShare;
    return cutView(input.stored, compactionRoom(input), { tokens: newest, turns: Infinity });
  },
};

/** Most that its figures may be off: times the tokens that it is told, and by which the share that it kept may differ. */
const CLAIM_FACTOR = 2;
const CLAIM_TOLERANCE = 0.3;

/** A chosen model reads the conversation and says which messages stay and what the rest was about. */
const pruningAgent: Strategy = {
  name: 'pruning-agent',
  writer: 'pruning-agent',
  trigger: (budget, { pruningAgentThreshold }) => shareOfWindow(budget, pruningAgentThreshold),
  plan(input) {
    const newest = blocksOf(input.stored.messages).slice(-input.settings.pruningAgentKeepMessages).flat();
    const room = compactionRoom(input);
    // Half of the summary's room is for messages that the model chooses.
    const halved = { ...room, summaryTokens: Math.floor(room.summaryTokens / 2) };
    return cutView(input.stored, halved, { tokens: rawTokens(newest), turns: Infinity });
  },
  validate({ plan, text, claims }, planned, { pruningAgentMinReduction }) {
    const removed = rawTokens(plan.replaced) - countTokens(text);
    if (removed < rawTokens(planned.replaced) * pruningAgentMinReduction) return 'It takes out too little.';
    if (!claims) return 'It does not say what it took out.';
    const shown = rawTokens(headOf(planned));
    const { originalTokens, prunedTokens } = claims;
    const isNear = originalTokens <= shown * CLAIM_FACTOR && originalTokens >= shown / CLAIM_FACTOR;
    const off = Math.abs(prunedTokens / originalTokens - (1 - removed / shown));
    return isNear && off <= CLAIM_TOLERANCE ? null : 'Its figures are not those of its choice.';
  },
};

/** No model, deterministic: as reactive-overflow, but the facts that code keeps are the whole summary. */
const ledger: Strategy = { ...reactiveOverflow, name: 'ledger', writer: 'ledger' };

/** No model: the first request and the newest messages stay, the middle is taken out with a note in its place. */
export const middleRemoval: Strategy = {
  name: 'middle-removal',
  writer: 'note',
  trigger: (budget, { middleRemovalThreshold }) => shareOfWindow(budget, middleRemovalThreshold),
  plan(input) {
    const { stored, settings } = input;
    const room = noteRoom(input);
    // Behind a summary the oldest request that is left may be any one, and what was done for it is gone.
    const first = (stored.summary === null ? verbatimMessages(stored) : stored.leading).find(isRequest);
    // A larger one is found by recall.
    const keptBefore = first && rawTokens([first]) <= room.tokens * settings.firstRequestShare ? [first] : [];
    return cutView(stored, room, { turns: Infinity, keptBefore });
  },
};

function noteRoom(input: PlanInput): CompactionRoom {
  const room = compactionRoom(input);
  return { ...room, summaryTokens: Math.min(room.summaryTokens, input.settings.noteMaxTokens) };
}

export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  'reactive-overflow': reactiveOverflow,
  'proactive-threshold': proactiveThreshold,
  'middle-removal': middleRemoval,
  ledger,
  'pruning-agent': pruningAgent,
};

/** Leaves the newest request and the newest step alone, and a note, where nothing else fits. Nobody chooses it. */
export const lastResort: Strategy = {
  ...middleRemoval,
  plan(input) {
    const plan = splitView(input.stored, noteRoom(input), { tokens: 0, turns: 1 });
    return plan && (plan.replaced.length > 0 || input.stored.summary) ? plan : null;
  },
};

/* The cut of a view. */

/** The messages that a compaction replaces and keeps: every one of the former view is in exactly one of the lists. */
export interface CompactionPlan {
  readonly keptBefore: readonly Message[];
  readonly replaced: readonly Message[];
  /** Older messages that stay behind the summary: the request of the turn that is cut. */
  readonly keptAfter: readonly Message[];
  /** Everything from the cut on; every call in it has its result in it. Never empty. */
  readonly tail: readonly [Message, ...Message[]];
  /** Tokens the whole summary message may have, in our vocabulary. */
  readonly summaryTokens: number;
  /** The cut goes through a turn: a part of it is replaced, its request leads the tail. */
  readonly cutsTurn: boolean;
}

/** Amount of the newest messages to keep. */
export interface TailRule {
  /** At most so many tokens, in our vocabulary; default: as the room allows. */
  readonly tokens?: number | undefined;
  /** Least number of turns, where they fit; the cut goes through one that does not. No more where little is to go. */
  readonly turns: number;
  readonly keptBefore?: readonly Message[] | undefined;
}

export interface PlanInput {
  readonly stored: StoredView;
  readonly budget: ContextBudget;
  readonly target: ModelTarget;
  readonly settings: ContextSettings;
}

export type CompactionRoom = ReturnType<typeof compactionRoom>;

/** Tokens, in our vocabulary, that a compaction may fill, and of them the most for the summary and for the tail. */
export function compactionRoom({ stored, budget, target: { tokenFactor }, settings }: PlanInput) {
  const room = Math.floor(budget.room / tokenFactor);
  const now = rawTokens(verbatimMessages(stored)) + summaryTokensOf(stored);
  return {
    tokens: Math.floor((budget.target - budget.fixed) / tokenFactor),
    summaryTokens: viewShares(room, settings).summary,
    tailTokens: Math.floor(room * settings.tailShare),
    /** True if there is more than a compaction leaves. Where there is not, somebody asked for it, and wants the room. */
    isFull: now > room * settings.targetShare,
  };
}

/**
 * Cuts the view: as many of the newest turns stay as fit. Where that is fewer than the rule asks for, the cut goes
 * through the next one, never between a call and its result, and its request stays. So do the newest request and the
 * newest step, always. Null when nothing would be replaced.
 */
export function cutView(stored: StoredView, room: CompactionRoom, rule: TailRule): CompactionPlan | null {
  const plan = splitView(stored, room, rule);
  return plan && plan.replaced.length > 0 ? plan : null;
}

/**
 * Cuts a view as `cutView` does, also where nothing is left to replace but an earlier summary. Null in an empty view.
 */
function splitView(stored: StoredView, room: CompactionRoom, rule: TailRule): CompactionPlan | null {
  const { keptBefore = [], tokens = Infinity, turns } = rule;
  const expected = Math.min(room.summaryTokens, expectedSummary(stored));
  const most = Math.min(tokens, room.tokens - expected - rawTokens(keptBefore));
  const [first, ...rest] = newestTurns(stored, { tokens: most, least: turns, most: room.isFull ? Infinity : turns });
  if (!first) return null;
  const plan = planAt(verbatimMessages(stored), [first, ...rest], keptBefore);
  const left = room.tokens - rawTokens(keptBy(plan));
  return { ...plan, summaryTokens: Math.min(room.summaryTokens, Math.max(expected, left)) };
}

/** A cut in front of this tail; of a turn that it goes through, the request stays. */
export function planAt(
  verbatim: readonly Message[],
  tail: CompactionPlan['tail'],
  keptBefore: readonly Message[],
): Omit<CompactionPlan, 'summaryTokens'> {
  const older = verbatim.filter((message) => !tail.includes(message));
  const request = isRequest(tail[0]) ? undefined : older.findLast(isRequest);
  const stays = (message: Message) => keptBefore.includes(message);
  const keptAfter = older.filter((message) => message === request && !stays(message));
  const replaced = older.filter((message) => message !== request && !stays(message));
  return { keptBefore: older.filter(stays), replaced, keptAfter, tail, cutsTurn: request !== undefined };
}

/** Whole turns that fit together, then, where they are too few, the newest steps of the next one beside its request. */
function newestTurns(
  stored: StoredView,
  { tokens, least, most }: { readonly tokens: number; readonly least: number; readonly most: number },
): Message[] {
  const turns = grouped(stored.messages, (message) => !isRequest(message)).slice(-most);
  let kept: Message[] = [];
  let left = tokens;
  for (const [index, turn] of turns.toReversed().entries()) {
    // Of a turn that was cut before, the request stands in front.
    const request = verbatimMessages(stored).findLast((message) => isRequest(message) && message.seq <= turn[0].seq);
    const whole = rawTokens(request && request !== turn[0] ? [request, ...turn] : turn);
    if (whole > left && index >= least) break;
    if (whole > left) {
      const steps = blocksOf(turn.filter((message) => message !== request));
      left -= request ? rawTokens([request]) : 0;
      const fitting = newestWithin(steps, left, rawTokens);
      // The newest step stays, and a turn that is a request alone, larger than there is room.
      const newest = fitting.length > 0 || kept.length > 0 ? fitting.flat() : (steps.at(-1) ?? turn);
      kept = [...newest, ...kept];
      break;
    }
    kept = [...turn, ...kept];
    left -= whole;
  }
  return kept;
}

function grouped(messages: readonly Message[], belongs: (message: Message) => boolean): [Message, ...Message[]][] {
  const groups: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const newest = groups.at(-1);
    if (newest && belongs(message)) newest.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** Tokens of title, headings and what a model tells, and of the line that a call leaves in the record. */
const FRAME_TOKENS = 1_500;
const LINE_TOKENS = 40;

/** Tokens that the next summary is expected to need: what the last one has, and the words and calls since. */
function expectedSummary(stored: StoredView): number {
  const parts = verbatimMessages(stored).flatMap(({ role, parts: all }) =>
    all.filter(({ type }) => type === 'tool-call' || role === 'user'),
  );
  const since = parts.reduce((sum, part) => sum + (part.type === 'text' ? tokensOf(part) : LINE_TOKENS), 0);
  return Math.max(FRAME_TOKENS, summaryTokensOf(stored)) + since;
}

const summaryTokensOf = (stored: StoredView): number => countRecurringTokens(markerOf(stored)?.summary ?? '');

/** A message in which the user says or shows something, in whatever part of it; notes of the engine are none. */
export function isRequest({ role, isSummary, parentId, parts }: Message): boolean {
  if (role !== 'user' || isSummary) return false;
  // The engine's notes answer a request; a user may begin a message with the same words.
  const isNote = (text: string) => parentId !== null && text.startsWith(NOTE_LABEL);
  return parts.some((part) => part.type === 'file' || (isSaid(part) && !isNote(part.content.text)));
}

/** Everything in front of the cut, in order: what stays of it and what is replaced. */
export function headOf({ keptBefore, replaced, keptAfter }: CompactionPlan): Message[] {
  return [...keptBefore, ...replaced, ...keptAfter].toSorted((a, b) => a.seq - b.seq);
}

/** Everything of the view that stays as it is, in the order of the new view. */
export function keptBy({ keptBefore, keptAfter, tail }: Omit<CompactionPlan, 'summaryTokens'>): Message[] {
  return [...keptBefore, ...keptAfter, ...tail];
}

/** Tokens of stored messages in the view, in our vocabulary. */
export function rawTokens(messages: readonly Message[]): number {
  const ofMessage = (message: Message) => message.parts.reduce((sum, part) => sum + tokensOf(part), MESSAGE_OVERHEAD);
  return messages.reduce((sum, message) => sum + ofMessage(message), 0);
}

/** Groups messages that may not be parted: an assistant message with its results, or one message of another kind. */
export const blocksOf = (messages: readonly Message[]): Message[][] => grouped(messages, ({ role }) => role === 'tool');

/** Names of tools, sorted, after a compaction; stored with it. */
export interface WorkingContext {
  /** The verbatim messages refer to these. */
  readonly tools: readonly string[];
  /** Tools that only compacted messages referred to. */
  readonly removedTools: readonly string[];
}

export function workingContext(kept: readonly Message[], replaced: readonly Message[]): WorkingContext {
  const calls = (messages: readonly Message[]) =>
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? part.content.toolName : [])));
  const tools = new Set(calls(kept));
  const removed = [...new Set(calls(replaced))].filter((name) => !tools.has(name));
  return { tools: [...tools].toSorted(), removedTools: removed.toSorted() };
}
