import type { Message } from '#server/core/messages';
import type { Budget } from '#server/context/budget';
import { type ModelTarget, scale } from '#server/context/current-tokens';
import { MESSAGE_OVERHEAD, tokensOf } from '#server/context/part-tokens';
import { NOTE_LABEL } from '#server/context/view';

export interface CompactionPlan {
  /** Everything before the cut, in order: what the summarizer reads. */
  readonly head: readonly Message[];
  /** Of the head, what the summary replaces in the view: all but the newest request. */
  readonly replaced: readonly Message[];
  /** What the view holds behind the summary: the newest request, wherever the cut falls, and everything after it. */
  readonly kept: readonly Message[];
  /** First message after the cut; every call from here on has its results here too. */
  readonly firstKept: Message;
  /** Tokens the whole summary message may have, in our vocabulary. */
  readonly summaryTokens: number;
}

/** Of what compaction may fill, the share of the summary; the rest is for the verbatim tail. */
const SUMMARY_SHARE = 0.45;
/** More is no better: 2,000 narrative tokens plus ledger and the user's words. */
const MAX_SUMMARY_TOKENS = 8_000;

/**
 * Decides what a compaction replaces and what it keeps: the newest `turnsToKeep` turns within a token budget, and
 * fewer messages when they do not fit, cut only where no call is parted from its result. The newest step always
 * stays. Null when there is nothing to replace.
 * @param messages the view's messages after the newest summary, in order
 */
export function planCompaction(
  messages: readonly Message[],
  budget: Budget,
  target: ModelTarget,
  turnsToKeep: number,
): CompactionPlan | null {
  const room = Math.max(0, budget.target - budget.fixed) / target.tokenFactor;
  const summaryTokens = Math.floor(Math.min(room * SUMMARY_SHARE, MAX_SUMMARY_TOKENS));
  const request = messages.findLast(isRequest);
  const tail = newestBlocks(blocksOf(messages), room - summaryTokens, turnsToKeep, request);
  const head = messages.slice(0, messages.length - tail.length);
  const replaced = head.filter((message) => message !== request);
  const [firstKept] = tail;
  if (replaced.length === 0 || !firstKept) return null;
  const kept = request && head.includes(request) ? [request, ...tail] : tail;
  return { head, replaced, kept, firstKept, summaryTokens };
}

/** A message of the user's own; notes of the engine are not. */
export function isRequest(message: Message): boolean {
  if (message.role !== 'user' || message.isSummary) return false;
  const text = message.parts.find((part) => part.type === 'text')?.content.text ?? '';
  return !text.startsWith(NOTE_LABEL);
}

/** Tokens of stored messages in the view, for this model. */
export function messageTokens(messages: readonly Message[], target: ModelTarget): number {
  return scale(
    messages.reduce((sum, message) => sum + rawTokens(message), 0),
    target,
  );
}

/** What may not be parted: an assistant message with its results, or one message of another kind. */
function blocksOf(messages: readonly Message[]): Message[][] {
  const blocks: Message[][] = [];
  for (const message of messages) {
    const previous = blocks.at(-1);
    if (message.role === 'tool' && previous) previous.push(message);
    else blocks.push([message]);
  }
  return blocks;
}

function newestBlocks(
  blocks: readonly Message[][],
  budget: number,
  turnsToKeep: number,
  request: Message | undefined,
): Message[] {
  const kept: Message[][] = [];
  // The newest request stays in the view wherever the cut falls, so its tokens are spent first.
  let tokens = request ? rawTokens(request) : 0;
  let turns = 0;
  for (const block of blocks.toReversed()) {
    if (turns === turnsToKeep) break;
    const isNewestRequest = block[0] === request;
    if (!isNewestRequest) tokens += block.reduce((sum, message) => sum + rawTokens(message), 0);
    if (tokens > budget && kept.length > 0) break;
    kept.unshift(block);
    if (block[0] && isRequest(block[0])) turns += 1;
  }
  return kept.flat();
}

function rawTokens(message: Message): number {
  return message.parts.reduce((sum, part) => sum + tokensOf(part), MESSAGE_OVERHEAD);
}
