import type { WorkingContext } from '#server/core/compactions';
import type { Message } from '#server/core/messages';

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
