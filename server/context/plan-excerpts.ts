import type { PrunedPart } from '#server/context/ports';
import { tokensOf } from '#server/context/part-tokens';
import { STORED_VOCABULARY, type Vocabulary } from '#server/context/tokens';
import { pairToolResults } from '#server/context/tool-results';
import { prunedTo, shownTokens } from '#server/context/view';
import type { Message } from '#server/core/messages';
import { toolOutputText } from '#server/core/part-text';
import type { Part, ToolCallPart, ToolResultPart } from '#server/core/parts';

/** An excerpt shrinks by this until it is inside its allowance, with the line about the rest. */
const SHRINK = 0.8;
/** The least that is kept of a long text of an input; below, a stub takes its place. Characters. */
const LEAST_INPUT_CHARS = 50;

export type ToolPart = ToolCallPart | ToolResultPart;

interface Cuttable {
  readonly part: ToolPart;
  readonly tokens: number;
  readonly least: number;
}

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
  const allowance = largestAllowance(parts, excess);
  if (allowance === null) return [];
  return parts
    .filter(({ tokens }) => tokens > allowance)
    .map(({ part, least }) => {
      const excerptChars = charsWithin(part, Math.max(allowance, least), vocabulary);
      return { partId: part.id, tokensAfter: shownTokens(prunedTo(part, excerptChars)), excerptChars };
    });
}

/** The messages as they are when every output and input of them is cut to the least. */
export function cutToLeast(messages: readonly Message[], vocabulary: Vocabulary): Message[] {
  const leastOf = (part: Part): Part => {
    const cut = part.type === 'tool-call' || part.type === 'tool-result' ? cuttable(part, vocabulary) : null;
    return cut ? { ...prunedTo(cut.part, 0), tokens: cut.least } : part;
  };
  return messages.map((message) => ({ ...message, parts: message.parts.map(leastOf) }));
}

function cuttable(part: ToolPart, vocabulary: Vocabulary): Cuttable | null {
  if (part.compactedAt !== null && (part.excerptChars ?? 0) === 0) return null;
  const tokens = tokensOf(part);
  const least = shownTokens(prunedTo(part, 0), vocabulary);
  return least < tokens ? { part, tokens, least } : null;
}

/** The most that each may have for all to save the excess; null when they cannot. */
function largestAllowance(parts: readonly Cuttable[], excess: number): number | null {
  const saved = (allowance: number) =>
    parts.reduce((sum, { tokens, least }) => sum + tokens - Math.min(tokens, Math.max(allowance, least)), 0);
  if (saved(0) < excess) return null;
  let [enough, tooMuch] = [0, parts.reduce((most, { tokens }) => Math.max(most, tokens), 0)];
  while (tooMuch - enough > 1) {
    const middle = Math.floor((enough + tooMuch) / 2);
    if (saved(middle) >= excess) enough = middle;
    else tooMuch = middle;
  }
  return enough;
}

/** @param allowance at least what the part costs cut to the least */
function charsWithin(part: ToolPart, allowance: number, vocabulary: Vocabulary): number {
  const least = part.type === 'tool-call' ? LEAST_INPUT_CHARS : 0;
  const tokensAt = (excerptChars: number) => shownTokens(prunedTo(part, excerptChars), vocabulary);
  // Some inputs are long without a long text in them.
  if (least > 0 && tokensAt(least) > allowance) return 0;
  const whole = part.type === 'tool-call' ? JSON.stringify(part.content.input) : toolOutputText(part.content.output);
  let chars = Math.floor(((part.excerptChars ?? whole.length) * allowance) / Math.max(1, tokensOf(part)));
  do chars = Math.max(least, Math.floor(chars * SHRINK));
  while (chars > least && tokensAt(chars) > allowance);
  return chars;
}
