import type { Message } from '#server/core/messages';

/** The tools that a session's verbatim messages refer to; stored with every compaction. */
export interface WorkingContext {
  /** Names of tools that the verbatim messages refer to, sorted. */
  readonly tools: readonly string[];
  /** Tools that only compacted messages referred to. */
  readonly removedTools: readonly string[];
}

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
