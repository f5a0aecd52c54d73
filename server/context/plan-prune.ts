import type { Message } from '#server/core/messages';
import type { Part, ToolCallPart, ToolResultPart } from '#server/core/parts';
import type { PruneLimits } from '#server/context/budget';
import { createBoundedCache } from '#server/context/bounded-cache';
import { excerptInput } from '#server/context/excerpt-input';
import { countPartTokens, tokensOf, toolResultTokens } from '#server/context/part-tokens';
import { clearedOutputText } from '#server/context/view';

export interface PrunedPart {
  readonly partId: string;
  readonly tokensAfter: number;
  /** Of a call: the longest text of its input that stays whole, characters. */
  readonly excerptChars?: number;
}

export interface PrunePlan {
  /** The outputs to clear and the calls whose inputs to excerpt, oldest first, with what each will cost afterwards. */
  readonly parts: readonly PrunedPart[];
  readonly tokensSaved: number;
  /** Names of the tools whose outputs are cleared or inputs excerpted, each once. */
  readonly tools: readonly string[];
}

const NOTHING_TO_PRUNE: PrunePlan = { parts: [], tokensSaved: 0, tools: [] };

export interface PruneRules extends PruneLimits {
  /** Newest turns that are left alone. */
  readonly protectedTurns: number;
  /** Tools whose calls and outputs are never touched. */
  readonly exemptTools: ReadonlySet<string>;
  /** The longest text of an old input that stays whole, characters. */
  readonly inputExcerptChars: number;
  /** Calls below this are not looked at: an excerpt would cost about as much. Tokens. */
  readonly largeCallTokens: number;
  /** An excerpt must be at most this share of its call, else it hides more than it saves. */
  readonly worthwhileShare: number;
}

type ToolPart = ToolCallPart | ToolResultPart;

/**
 * Which old tool outputs to clear from the view, and which large old inputs to show as an excerpt only. Walks from the
 * newest message back: the newest turns and the newest `protect` tokens of calls and outputs stay, and so do outputs
 * that are errors, exempt tools, calls that still run and what is already pruned; an output of which an excerpt is left
 * is cleared. Empty when less than `minimum` tokens would be saved: a small saving does not pay for the lost prompt
 * cache.
 * @param messages the view's messages after the newest summary, in order
 */
export function planPrune(messages: readonly Message[], rules: PruneRules): PrunePlan {
  const prunable: { part: ToolPart; after: PrunedPart }[] = [];
  let newest = 0;
  for (const part of oldToolParts(messages, rules.protectedTurns)) {
    newest += tokensOf(part);
    if (newest <= rules.protect || rules.exemptTools.has(part.content.toolName)) continue;
    const after = part.type === 'tool-call' ? excerptCall(part, rules) : clearOutput(part);
    if (after && after.tokensAfter < tokensOf(part)) prunable.push({ part, after });
  }
  const tokensSaved = prunable.reduce((sum, { part, after }) => sum + tokensOf(part) - after.tokensAfter, 0);
  if (prunable.length === 0 || tokensSaved < rules.minimum) return NOTHING_TO_PRUNE;
  const oldestFirst = prunable.toReversed();
  return {
    parts: oldestFirst.map(({ after }) => after),
    tokensSaved,
    tools: [...new Set(oldestFirst.map(({ part }) => part.content.toolName))],
  };
}

/** Whole calls that have ended and outputs of which something is shown, before the newest `turns` turns, newest first. */
function oldToolParts(messages: readonly Message[], turns: number): ToolPart[] {
  const starts = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const end = turns === 0 ? messages.length : (starts.at(-turns) ?? 0);
  return messages
    .slice(0, end)
    .flatMap((message) => message.parts)
    .filter(isPrunable)
    .toReversed();
}

function isPrunable(part: Part): part is ToolPart {
  // A failed call's error stays readable; what it was called with may be as large as any input.
  if (part.type === 'tool-call') {
    return part.compactedAt === null && (part.state === 'completed' || part.state === 'error');
  }
  const isShown = part.compactedAt === null || part.excerptChars !== null;
  return part.type === 'tool-result' && part.state === 'completed' && isShown && isOutput(part);
}

function isOutput(part: ToolResultPart): boolean {
  return !part.content.output.type.startsWith('error') && part.content.output.type !== 'execution-denied';
}

/** What parts will cost: asked for all old parts at every step, though only the newest are new. */
const counts = createBoundedCache<number>(20_000);

function clearOutput({ id, content }: ToolResultPart): PrunedPart {
  const tokensAfter = counts(id, () => toolResultTokens(content.toolCallId, clearedOutputText(id)));
  return { partId: id, tokensAfter };
}

/** Null where it is not worth it. */
function excerptCall(part: ToolCallPart, rules: PruneRules): PrunedPart | null {
  const { inputExcerptChars: excerptChars, largeCallTokens, worthwhileShare } = rules;
  const { id, tokens, content } = part;
  if (tokensOf(part) < largeCallTokens) return null;
  // The input of a call that has ended stays the same; its own count makes sure.
  const tokensAfter = counts([id, tokens, excerptChars].join(' '), () => {
    const input = excerptInput(content.input, id, excerptChars);
    return countPartTokens({ type: 'tool-call', content: { ...content, input } });
  });
  return tokensAfter <= tokensOf(part) * worthwhileShare ? { partId: id, tokensAfter, excerptChars } : null;
}
