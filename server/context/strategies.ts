import { z } from 'zod';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { type ContextBudget, budgetBelow } from '#server/context/budget';
import {
  type CompactionBudget,
  type CompactionPlan,
  type PlanInput,
  blocksOf,
  compactionBudget,
  cutView,
  headOf,
  rawTokens,
  splitView,
} from '#server/context/compaction-plan';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countTokens } from '#server/context/tokens';
import { verbatimMessages } from '#server/context/view';
import type { StrategyName } from '#server/core/admin/strategy-names';
import type { Message } from '#server/core/conversation/messages';
import { parseJson } from '#server/core/json';
import { isRequest } from '#server/core/conversation/part-text';

/** The usable text of a summarizer. */
export interface ModelResult {
  /** The plan, with the model's choice of messages to keep if it made one. */
  readonly plan: CompactionPlan;
  readonly text: string;
  /** Tokens of the conversation before and after, as the model reported them. */
  readonly claims?: { readonly originalTokens: number; readonly prunedTokens: number };
}

/** Tokens of a context window, and those of it that a conversation may use. */
interface UsableWindow {
  readonly usable: number;
  readonly contextWindow: number;
}

/**
 * Decides when and how to compact. To add a strategy, write its object here and add its name to `strategyNames`; the
 * types show the rest.
 */
export interface Strategy {
  readonly name: string;
  /**
   * Writer of the summary: a model, which may also choose the messages to keep; or, without a model, the facts or a
   * short note.
   */
  readonly writer: 'narrative' | 'pruning-agent' | 'ledger' | 'note';
  /**
   * Tokens of the next request above which the strategy compacts; never above `budget.usable`, where the request
   * overflows.
   */
  trigger(budget: UsableWindow, settings: ContextSettings): number;
  /**
   * Pure. Null if nothing is worth replacing.
   * @param summaryTokens tokens of the finished summary: a strategy that fills the view keeps as many of the newest turns
   * as fit beside it. Default: the summary is not written yet
   */
  plan(input: PlanInput, summaryTokens?: number): CompactionPlan | null;
  /**
   * Pure. Describes what is wrong with a model's result, as a short sentence; the model is then asked once more. Null:
   * nothing.
   */
  validate?(result: ModelResult, planned: CompactionPlan, settings: ContextSettings): ServerText | null;
}

/**
 * Tokens above which a request is compacted by its cautious count (`cautiousTokens`), which is higher than the expected
 * one. Usually the tokens at which the request overflows. A strategy with a lower trigger compares that with the expected
 * count; for it the limit is the window without the tokens reserved for the answer.
 */
export function limitOf(trigger: number, { usable, contextWindow, outputReserve }: ContextBudget): number {
  return trigger < usable ? contextWindow - outputReserve : usable;
}

/** The budget for the compactions of a strategy; `refused`: tokens of a request that its provider refused. */
export function budgetFor(
  strategy: Strategy,
  budget: ContextBudget,
  settings: ContextSettings,
  refused = Infinity,
): ContextBudget {
  return budgetBelow(Math.min(strategy.trigger(budget, settings), refused), budget, settings);
}

/**
 * The budget of a summary that is written in advance: also keeps free the tokens that may be added until it is needed.
 */
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
function shareOfWindow({ usable, contextWindow }: UsableWindow, share: number): number {
  return Math.min(usable, Math.floor(contextWindow * share));
}

/**
 * The default: waits for the overflow, has a model summarize the older messages, and fills the view with the newest turns
 * word for word.
 */
const reactiveOverflow: Strategy = {
  name: 'reactive-overflow',
  writer: 'narrative',
  trigger: (budget) => budget.usable,
  plan(input, summaryTokens) {
    const room = compactionBudget(input);
    const tokens = summaryTokens === undefined ? room.tailTokens : Infinity;
    return cutView(input.stored, room, { tokens, turns: input.settings.minTurnsToKeep, summaryTokens });
  },
};

/** Compacts early (at half of the window) and keeps the newest 30 % of the tokens, regardless of turn boundaries. */
const proactiveThreshold: Strategy = {
  name: 'proactive-threshold',
  writer: 'narrative',
  trigger: (budget, settings) => shareOfWindow(budget, settings.proactiveThreshold),
  plan(input) {
    const newest = rawTokens(verbatimMessages(input.stored)) * input.settings.proactiveKeepShare;
    return cutView(input.stored, compactionBudget(input), { tokens: newest, turns: Infinity });
  },
};

/** Tolerated factor between the token count that the model was given and the one that it reports. */
const CLAIM_FACTOR = 2;
/** Tolerated difference in the share that the model says it kept. */
const CLAIM_TOLERANCE = 0.3;

/** A selected model reads the conversation, chooses the messages to keep and summarizes the rest. */
const pruningAgent: Strategy = {
  name: 'pruning-agent',
  writer: 'pruning-agent',
  trigger: (budget, { pruningAgentThreshold }) => shareOfWindow(budget, pruningAgentThreshold),
  plan(input) {
    const newest = blocksOf(input.stored.messages).slice(-input.settings.pruningAgentKeepMessages).flat();
    const room = compactionBudget(input);
    // Half of the summary's token budget is for messages that the model chooses.
    const halved = { ...room, summaryTokens: Math.floor(room.summaryTokens / 2) };
    return cutView(input.stored, halved, { tokens: rawTokens(newest), turns: Infinity });
  },
  validate({ plan, text, claims }, planned, { pruningAgentMinReduction }) {
    const removed = rawTokens(plan.replaced) - countTokens(text);
    if (removed < rawTokens(planned.replaced) * pruningAgentMinReduction) return serverText('summary-removes-little');
    if (!claims) return serverText('summary-no-claims');
    const shown = rawTokens(headOf(planned));
    const { originalTokens, prunedTokens } = claims;
    const isNear = originalTokens <= shown * CLAIM_FACTOR && originalTokens >= shown / CLAIM_FACTOR;
    const difference = Math.abs(prunedTokens / originalTokens - (1 - removed / shown));
    return isNear && difference <= CLAIM_TOLERANCE ? null : serverText('summary-wrong-figures');
  },
};

/** No model, deterministic: like reactive-overflow, but the facts that code keeps are the whole summary. */
const ledger: Strategy = { ...reactiveOverflow, name: 'ledger', writer: 'ledger' };

/** No model: keeps the first request and the newest messages, and replaces the middle by a note. */
export const middleRemoval: Strategy = {
  name: 'middle-removal',
  writer: 'note',
  trigger: (budget, { middleRemovalThreshold }) => shareOfWindow(budget, middleRemovalThreshold),
  plan(input) {
    const { stored, settings } = input;
    const room = noteRoom(input);
    // After a summary, the oldest remaining request is not the first one, and the work done for it is gone.
    const first = (stored.summary === null ? verbatimMessages(stored) : stored.leading).find(isRequest);
    // A larger request can be found by recall.
    const keptBefore = first && rawTokens([first]) <= room.tokens * settings.firstRequestShare ? [first] : [];
    return cutView(stored, room, { turns: Infinity, keptBefore });
  },
};

/** The budget of a compaction whose summary is a note. */
function noteRoom(input: PlanInput): CompactionBudget {
  const room = compactionBudget(input);
  return { ...room, summaryTokens: Math.min(room.summaryTokens, input.settings.noteMaxTokens) };
}

/** All strategies that can be selected, by name. */
export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  'reactive-overflow': reactiveOverflow,
  'proactive-threshold': proactiveThreshold,
  'middle-removal': middleRemoval,
  ledger,
  'pruning-agent': pruningAgent,
};

/**
 * Keeps only the newest request, the newest step and a note, when nothing else fits. Not selectable in the settings.
 */
export const lastResort: Strategy = {
  ...middleRemoval,
  plan(input) {
    const plan = splitView(input.stored, noteRoom(input), { tokens: 0, turns: 1 });
    return plan && (plan.replaced.length > 0 || input.stored.summary) ? plan : null;
  },
};

/** Answer of the pruning agent: the ids of the messages to keep, and a summary of the others. */
const prunedConversationSchema = z.object({
  prunedConversation: z.array(z.object({ id: z.string() })),
  summary: z.string().trim().min(1),
  originalTokens: z.number().positive(),
  prunedTokens: z.number().min(0),
});

/**
 * The plan with the agent's choice of messages to keep after the summary. Null if the answer breaks a rule: invalid JSON,
 * an unknown id, a call separated from its result, no message to replace, or more tokens than `roomTokens` in the
 * messages that are kept.
 * @param roomTokens tokens of kept messages, counted with our tokenizer
 */
export function applyPrunedConversation(answer: string, plan: CompactionPlan, roomTokens: number): ModelResult | null {
  const bare = answer
    .trim()
    .replace(/^```(?:json)?\s*/i, '')
    .replace(/```$/, '');
  const parsed = prunedConversationSchema.safeParse(parseJson(bare));
  if (!parsed.success) return null;
  const { prunedConversation, summary, ...claims } = parsed.data;
  const chosen = new Set(prunedConversation.map(({ id }) => id));
  const all = [...headOf(plan), ...plan.tail];
  if ([...chosen].some((id) => !all.some((message) => message.id === id))) return null;

  const blocks = blocksOf(plan.replaced);
  const isChosen = (message: Message) => chosen.has(message.id);
  if (blocks.some((block) => block.some(isChosen) && !block.every(isChosen))) return null;
  const kept = blocks.filter((block) => block.every(isChosen)).flat();
  const replaced = plan.replaced.filter((message) => !kept.includes(message));
  const keptAfter = [...kept, ...plan.keptAfter].toSorted((a, b) => a.seq - b.seq);
  if (replaced.length === 0 || rawTokens([...keptAfter, ...plan.tail]) > roomTokens) return null;
  return { plan: { ...plan, replaced, keptAfter }, text: summary, claims };
}
