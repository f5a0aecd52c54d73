import type { Message } from '#server/core/messages';
import type { Part, ToolCallPart, ToolResultPart } from '#server/core/parts';
import type { PruneLimits } from '#server/context/budget';
import { excerptInput } from '#server/context/excerpt-input';
import { countPartTokens, tokensOf, toolResultTokens } from '#server/context/part-tokens';
import { clearedOutputText } from '#server/context/view';

export interface PrunePlan {
  /** The outputs to clear and the calls whose inputs to excerpt, oldest first, with what each will cost afterwards. */
  readonly parts: readonly { readonly partId: string; readonly tokensAfter: number }[];
  readonly tokensSaved: number;
  /** Names of the tools whose outputs are cleared or inputs excerpted, each once. */
  readonly tools: readonly string[];
}

const NOTHING_TO_PRUNE: PrunePlan = { parts: [], tokensSaved: 0, tools: [] };

/** Calls below this are not looked at: an excerpt would cost about as much. Tokens. */
const LARGE_CALL = 150;
/** An excerpt must be at most this share of its call, else it hides more than it saves. */
const WORTHWHILE_SHARE = 0.5;

export interface PruneRules extends PruneLimits {
  /** Newest turns that are left alone. */
  readonly protectedTurns: number;
  /** Tools whose calls and outputs are never touched. */
  readonly exemptTools: ReadonlySet<string>;
}

type ToolPart = ToolCallPart | ToolResultPart;

/**
 * Which old tool outputs to clear from the view, and which large old inputs to show as an excerpt only. Walks from the
 * newest message back: the newest turns and the newest `protect` tokens of calls and outputs stay, and so do outputs
 * that are errors, exempt tools, calls that still run and what is already pruned. Empty when less than `minimum` tokens
 * would be saved: a small saving does not pay for the lost prompt cache.
 * @param messages the view's messages after the newest summary, in order
 */
export function planPrune(messages: readonly Message[], rules: PruneRules): PrunePlan {
  const prunable: { part: ToolPart; tokensAfter: number }[] = [];
  let newest = 0;
  for (const part of oldToolParts(messages, rules.protectedTurns)) {
    newest += tokensOf(part);
    if (newest <= rules.protect || rules.exemptTools.has(part.content.toolName)) continue;
    const tokensAfter = part.type === 'tool-call' ? excerptedTokens(part) : clearedTokens(part);
    if (tokensAfter < tokensOf(part)) prunable.push({ part, tokensAfter });
  }
  const tokensSaved = prunable.reduce((sum, { part, tokensAfter }) => sum + tokensOf(part) - tokensAfter, 0);
  if (prunable.length === 0 || tokensSaved < rules.minimum) return NOTHING_TO_PRUNE;
  const oldestFirst = prunable.toReversed();
  return {
    parts: oldestFirst.map(({ part, tokensAfter }) => ({ partId: part.id, tokensAfter })),
    tokensSaved,
    tools: [...new Set(oldestFirst.map(({ part }) => part.content.toolName))],
  };
}

/** Unpruned calls that have ended and completed outputs, before the newest `turns` turns, newest first. */
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
  if (part.compactedAt !== null) return false;
  // A failed call's error stays readable; what it was called with may be as large as any input.
  if (part.type === 'tool-call') return part.state === 'completed' || part.state === 'error';
  return part.type === 'tool-result' && part.state === 'completed' && isOutput(part);
}

function isOutput(part: ToolResultPart): boolean {
  return !part.content.output.type.startsWith('error') && part.content.output.type !== 'execution-denied';
}

function clearedTokens({ id, content }: ToolResultPart): number {
  return toolResultTokens(content.toolCallId, clearedOutputText(id));
}

/** What the call costs with its input excerpted; Infinity where that is not worth it. */
function excerptedTokens(part: ToolCallPart): number {
  if (tokensOf(part) < LARGE_CALL) return Infinity;
  const content = { ...part.content, input: excerptInput(part.content.input, part.id) };
  const tokens = countPartTokens({ type: 'tool-call', content });
  return tokens <= tokensOf(part) * WORTHWHILE_SHARE ? tokens : Infinity;
}
