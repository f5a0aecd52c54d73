import type { Budget } from '#server/context/budget';
import type { ModelTarget } from '#server/context/current-tokens';
import { MESSAGE_OVERHEAD, tokensOf } from '#server/context/part-tokens';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { type StoredView, verbatimMessages } from '#server/context/view';
import { NOTE_LABEL } from '#server/core/engine-words';
import type { Message } from '#server/core/messages';
import { isSaid } from '#server/core/part-text';

/**
 * The messages that a compaction replaces and keeps. Every message of the former view is in exactly one of the lists.
 */
export interface CompactionPlan {
  /** Stays in front of the summary. */
  readonly keptBefore: readonly Message[];
  /** The summary stands for these. */
  readonly replaced: readonly Message[];
  /** Older messages that stay behind the summary: the newest request, should the cut be inside its turn. */
  readonly keptAfter: readonly Message[];
  /** Everything from the cut on; every call in it has its result in it. Never empty. */
  readonly tail: readonly [Message, ...Message[]];
  /** Tokens the whole summary message may have, in our vocabulary. */
  readonly summaryTokens: number;
}

/** How much of the newest messages stays. */
export interface TailRule {
  /** In our vocabulary, the newest request included. */
  readonly tokens: number;
  /** At most so many turns. */
  readonly turns: number;
}

/** Tokens (our vocabulary) that summary and verbatim messages may have together, and the summary's part of them. */
export function compactionRoom(
  budget: Budget,
  target: ModelTarget,
  { summaryShare, summaryMaxTokens }: Pick<ContextSettings, 'summaryShare' | 'summaryMaxTokens'>,
) {
  const room = Math.max(0, budget.target - budget.fixed) / target.tokenFactor;
  const summaryTokens = Math.floor(Math.min(room * summaryShare, summaryMaxTokens));
  return { summaryTokens, tailTokens: room - summaryTokens };
}

/**
 * Cuts the view: the newest messages stay as the rule says, cut only where no call is parted from its result, the
 * newest step always, and the newest request wherever it is. Null when nothing would be replaced.
 * @param keptBefore of the messages in front of the cut, those that stay before the summary
 */
export function cutView(
  stored: StoredView,
  rule: TailRule,
  summaryTokens: number,
  keptBefore: readonly Message[] = [],
): CompactionPlan | null {
  const plan = splitView(stored, rule, summaryTokens, keptBefore);
  return plan && plan.replaced.length > 0 ? plan : null;
}

/** As `cutView`, also where nothing is left to replace but an earlier summary. Null in an empty view. */
export function splitView(
  stored: StoredView,
  rule: TailRule,
  summaryTokens: number,
  keptBefore: readonly Message[] = [],
): CompactionPlan | null {
  const request = verbatimMessages(stored).findLast(isRequest);
  const [first, ...rest] = newestBlocks(blocksOf(stored.messages), rule, request).flat();
  if (!first) return null;
  const tail: CompactionPlan['tail'] = [first, ...rest];
  const head = verbatimMessages(stored).filter((message) => !tail.includes(message));
  const stays = (message: Message) => keptBefore.includes(message);
  const keptAfter = head.filter((message) => message === request && !stays(message));
  const replaced = head.filter((message) => !stays(message) && !keptAfter.includes(message));
  return { keptBefore: head.filter(stays), replaced, keptAfter, tail, summaryTokens };
}

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
export function keptBy({ keptBefore, keptAfter, tail }: CompactionPlan): Message[] {
  return [...keptBefore, ...keptAfter, ...tail];
}

/** Tokens of stored messages in the view, in our vocabulary. */
export function rawTokens(messages: readonly Message[]): number {
  const ofMessage = (message: Message) => message.parts.reduce((sum, part) => sum + tokensOf(part), MESSAGE_OVERHEAD);
  return messages.reduce((sum, message) => sum + ofMessage(message), 0);
}

/** Groups messages that may not be parted: an assistant message with its results, or one message of another kind. */
export function blocksOf(messages: readonly Message[]): Message[][] {
  const blocks: Message[][] = [];
  for (const message of messages) {
    const previous = blocks.at(-1);
    if (message.role === 'tool' && previous) previous.push(message);
    else blocks.push([message]);
  }
  return blocks;
}

function newestBlocks(blocks: readonly Message[][], rule: TailRule, request: Message | undefined): Message[][] {
  const kept: Message[][] = [];
  // The newest request stays wherever the cut falls, so its tokens are spent first.
  let tokens = request ? rawTokens([request]) : 0;
  let turns = 0;
  for (const block of blocks.toReversed()) {
    if (turns === rule.turns) break;
    tokens += rawTokens(block.filter((message) => message !== request));
    if (tokens > rule.tokens && kept.length > 0) break;
    kept.unshift(block);
    if (block[0] && isRequest(block[0])) turns += 1;
  }
  return kept;
}

/** The tools that a session's verbatim messages refer to; stored with every compaction. */
export interface WorkingContext {
  /** Names of tools that the verbatim messages refer to, sorted. */
  readonly tools: readonly string[];
  /** Tools that only compacted messages referred to. */
  readonly removedTools: readonly string[];
}

/** The working context after a compaction. */
export function workingContext(kept: readonly Message[], replaced: readonly Message[]): WorkingContext {
  const tools = toolNames(kept);
  const removedTools = [...toolNames(replaced)].filter((name) => !tools.has(name));
  return { tools: [...tools].toSorted(), removedTools: removedTools.toSorted() };
}

function toolNames(messages: readonly Message[]): Set<string> {
  const calls = messages.flatMap((message) => message.parts).filter((part) => part.type === 'tool-call');
  return new Set(calls.map((part) => part.content.toolName));
}
