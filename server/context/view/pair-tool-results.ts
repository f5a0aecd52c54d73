import type { Message } from '#server/core/messages';
import type { ToolCallPart, ToolResultPart } from '#server/core/parts';

/**
 * Finds the result of every tool call. A call owns the first later result with its id, up to the next call that
 * reuses the id (real transcripts do). Results that no call owns are orphans and absent from the map.
 * @returns results by the call's part id
 */
export function pairToolResults(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  const pairs = new Map<string, ToolResultPart>();
  const open = new Map<string, ToolCallPart>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'tool-call') open.set(part.content.toolCallId, part);
    if (part.type !== 'tool-result') continue;
    const call = open.get(part.content.toolCallId);
    if (!call) continue;
    pairs.set(call.id, part);
    open.delete(part.content.toolCallId);
  }
  return pairs;
}
