import type { JsonValue } from '#server/core/json';
import type { NewPart, Part, PartBody, ToolOutput } from '#server/core/parts';
import { countTokens } from '#server/context/tokens';

/** Role, separators and end marks around each message; on the high side of what providers add (3 to 8). */
export const MESSAGE_OVERHEAD = 8;
/** Names, types and brackets around a tool call or result, beside its id. */
const TOOL_OVERHEAD = 24;
/** An image or file until its real size is read: the middle of what providers charge for a photo. */
const FILE_TOKENS = 1_100;

/** The text of a tool output as a model reads it. */
export function toolOutputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'execution-denied':
      return output.reason ?? 'The user denied this tool call.';
    case 'json':
    case 'error-json':
    case 'content':
      return JSON.stringify(output.value);
  }
}

/** Tokens of a tool result whose output reads `text`. */
export function toolResultTokens(toolCallId: string, text: string): number {
  return TOOL_OVERHEAD + countTokens(toolCallId) + countTokens(text);
}

/**
 * Tokens that a part adds to a request, before any per-model factor. Counted once, when the part is written, and
 * stored with it.
 */
export function countPartTokens(part: PartBody): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return countTokens(part.content.text);
    case 'tool-call':
      return TOOL_OVERHEAD + countTokens(part.content.toolCallId) + countCall(part.content);
    case 'tool-result':
      return toolResultTokens(part.content.toolCallId, toolOutputText(part.content.output));
    case 'file':
      return FILE_TOKENS;
    case 'compaction-marker':
      return countTokens(part.content.summary);
    case 'step-start':
      return 0;
  }
}

function countCall({ toolName, input }: { toolName: string; input: JsonValue }): number {
  return countTokens(toolName) + countTokens(JSON.stringify(input));
}

/** Tokens of a stored part as the model sees it now: its stored count, or counted here when it has none. */
export function tokensOf(part: Part): number {
  return part.tokens ?? countPartTokens(part);
}

/** The part with its tokens counted, for callers about to store it. */
export function withTokens<P extends NewPart>(part: P): P {
  return { ...part, tokens: countPartTokens(part) };
}
