import type { Message } from '#server/core/messages';
import type { ToolResultPart } from '#server/core/parts';
import { toolOutputText } from '#server/core/part-text';
import { pairToolResults } from '#server/context/pair-tool-results';
import { toolResultTokens, tokensOf } from '#server/context/part-tokens';
import { excerptedOutputText } from '#server/context/view';

export interface Excerpt {
  readonly partId: string;
  readonly tokensAfter: number;
  readonly excerptChars: number;
}

/** Shares of an output shrink by this until its excerpt, with the line about the rest, is inside its allowance. */
const SHRINK = 0.8;

/**
 * Cuts whole tool outputs so that together they save at least `excess` tokens: the largest first, each down to the
 * same allowance, small ones stay whole. Empty when even nothing of them left would not save enough.
 * @param excess tokens above the limit, in our vocabulary
 */
export function planExcerpts(messages: readonly Message[], excess: number): Excerpt[] {
  // A result that no call owns is not in the view: cutting it would save nothing.
  const outputs = [...pairToolResults(messages).values()]
    .filter((part) => part.compactedAt === null)
    .toSorted((a, b) => tokensOf(b) - tokensOf(a));
  let count = 1;
  while (count < outputs.length && !isEnough(outputs.slice(0, count), tokensOf(at(outputs, count)), excess)) count += 1;
  const largest = outputs.slice(0, count);
  const total = largest.reduce((sum, part) => sum + tokensOf(part), 0);
  const allowance = Math.floor((total - excess) / count);
  const excerpts = largest.map((part) => excerptOf(part, allowance));
  const saved = total - excerpts.reduce((sum, excerpt) => sum + (excerpt?.tokensAfter ?? 0), 0);
  return excerpts.every((excerpt) => excerpt !== null) && saved >= excess ? excerpts : [];
}

function at(outputs: readonly ToolResultPart[], index: number): ToolResultPart {
  const part = outputs[index];
  if (!part) throw new RangeError(`No output ${index}.`);
  return part;
}

/** Whether cutting these down to `tokens` each saves the excess. */
function isEnough(parts: readonly ToolResultPart[], tokens: number, excess: number): boolean {
  return parts.reduce((sum, part) => sum + tokensOf(part) - tokens, 0) >= excess;
}

/** Null when not even an empty excerpt is inside the allowance. */
function excerptOf(part: ToolResultPart, allowance: number): Excerpt | null {
  const text = toolOutputText(part.content.output);
  let chars = Math.floor((text.length * allowance) / Math.max(1, tokensOf(part)));
  for (;;) {
    chars = Math.floor(chars * SHRINK);
    const tokensAfter = toolResultTokens(part.content.toolCallId, excerptedOutputText(text, chars, part.id));
    if (tokensAfter <= allowance) return { partId: part.id, tokensAfter, excerptChars: chars };
    if (chars <= 0) return null;
  }
}
