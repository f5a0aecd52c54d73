import { selectionText, situationText } from '#server/core/engine-words';
import { toolOutputText } from '#server/core/part-text';
import type { NewPart, Part, PartBody } from '#server/core/parts';
import { mediaTokens, withMediaSize } from '#server/context/media-tokens';
import { countTokens, type Vocabulary } from '#server/context/tokens';

/** Role, separators and end marks around each message. OpenAI documents 3 to 4, others are close. */
export const MESSAGE_OVERHEAD = 4;
/**
 * Names, types, brackets and an id of usual length around a tool call or result: in 430 reports of a real session
 * (tests/integration/estimator.test.ts) 36 of our tokens for the two, of which 8 are their messages' own.
 */
const TOOL_OVERHEAD = 14;
/** Tokens of an id of usual length; a longer id counts in full. */
const USUAL_ID_TOKENS = 24;

/** Tokens of a tool result whose output reads `text`. */
export function toolResultTokens(toolCallId: string, text: string, vocabulary?: Vocabulary): number {
  return toolOverhead(toolCallId, vocabulary) + countTokens(text, vocabulary);
}

/** Tokens that a part adds to a request, before any per-model factor; counted when it is written, and stored then. */
export function countPartTokens(part: PartBody, vocabulary?: Vocabulary): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return countTokens(part.content.text, vocabulary);
    case 'tool-call': {
      const { toolCallId, toolName, input } = part.content;
      const content = countTokens(toolName, vocabulary) + countTokens(JSON.stringify(input), vocabulary);
      return toolOverhead(toolCallId, vocabulary) + content;
    }
    case 'tool-result':
      return toolResultTokens(part.content.toolCallId, toolOutputText(part.content.output), vocabulary);
    case 'file':
      return mediaTokens(part.content, null);
    case 'situation':
      return part.content.text.trim() === '' ? 0 : countTokens(situationText(part.content.text), vocabulary);
    case 'selection':
      return countTokens(selectionText(part.content), vocabulary);
    case 'compaction-marker':
      return countTokens(part.content.summary, vocabulary);
    case 'step-start':
      return 0;
  }
}

function toolOverhead(toolCallId: string, vocabulary?: Vocabulary): number {
  return TOOL_OVERHEAD + Math.max(0, countTokens(toolCallId, vocabulary) - USUAL_ID_TOKENS);
}

/** Tokens of a stored part as the model sees it now: its stored count, or counted here when it has none. */
export function tokensOf(part: Part): number {
  return part.tokens ?? countPartTokens(part);
}

/** The part with its tokens counted, and a file's size read, for callers about to store it. */
export function withTokens<P extends NewPart>(part: P): P {
  if (part.type !== 'file') return { ...part, tokens: countPartTokens(part) };
  const content = withMediaSize(part.content);
  return { ...part, content, tokens: mediaTokens(content, null) };
}
