import { mediaTokens, withMediaSize } from '#server/context/media-tokens';
import { countTokens, type Vocabulary } from '#server/context/tokens';
import { addedText } from '#server/core/conversation/added-text';
import { definitionOf, type NewPart, type Part, type PartBody } from '#server/core/conversation/parts';

/* Counts the tokens of the parts of messages. */

/** Tokens of role, separators and end marks of each message. OpenAI documents 3 to 4 tokens; other providers are close. */
export const MESSAGE_OVERHEAD = 4;
/**
 * Tokens of names, types, brackets and an id of usual length around a tool call or result. In 430 reports of a real session
 * (tests/integration/estimator.test.ts) both together took 36 of our tokens, 8 of which are the overhead of their
 * messages.
 */
const TOOL_OVERHEAD = 14;
/** Tokens of an id of usual length; a longer id counts in full. */
const USUAL_ID_TOKENS = 24;

/** Tokens of a tool result with the output `text`. */
export function toolResultTokens(toolCallId: string, text: string, vocabulary?: Vocabulary): number {
  return toolOverhead(toolCallId, vocabulary) + countTokens(text, vocabulary);
}

/** Tokens that a part adds to a request, before the factor of a model. Counted and stored when the part is written. */
export function countPartTokens(part: PartBody, vocabulary?: Vocabulary): number {
  if (part.type === 'file') return mediaTokens(part.content, null);
  const texts = definitionOf(part.type).modelTexts?.(part.content) ?? [addedText(part) ?? ''];
  const tokens = texts.reduce((sum, text) => sum + countTokens(text, vocabulary), 0);
  return 'toolCallId' in part.content ? toolOverhead(part.content.toolCallId, vocabulary) + tokens : tokens;
}

/** Tokens of a tool call or result in addition to its content. */
function toolOverhead(toolCallId: string, vocabulary?: Vocabulary): number {
  return TOOL_OVERHEAD + Math.max(0, countTokens(toolCallId, vocabulary) - USUAL_ID_TOKENS);
}

/** Tokens of a stored part as the model sees it now: the stored count, or a new count if it has none. */
export const tokensOf = (part: Part): number => part.tokens ?? countPartTokens(part);

/** The part with its token count, and for a file its size, ready to be stored. */
export function withTokens<P extends NewPart>(part: P): P {
  if (part.type !== 'file') return { ...part, tokens: countPartTokens(part) };
  const content = withMediaSize(part.content);
  return { ...part, content, tokens: mediaTokens(content, null) };
}
