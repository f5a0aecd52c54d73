import type { Message } from '#server/core/messages';

/** What a session works with at the moment; stored with every compaction. */
export interface WorkingContext {
  /** Names of tools that the verbatim messages refer to, sorted. */
  readonly tools: readonly string[];
  /** Tools that only compacted messages referred to. */
  readonly removedTools: readonly string[];
  /** Id of the page or post that was touched last, kept when the kept messages name none; null before any. */
  readonly focus: string | null;
}

/** Short ids of pages and posts, as tools take and give them. */
const ENTRY_ID = /\b(?:pag|pos)_[a-z0-9]{6}\b/g;

/** The working context after a compaction. */
export function workingContext(
  kept: readonly Message[],
  replaced: readonly Message[],
  previous: WorkingContext | null,
): WorkingContext {
  const tools = toolNames(kept);
  const removedTools = [...toolNames(replaced)].filter((name) => !tools.has(name));
  return {
    tools: [...tools].toSorted(),
    removedTools: removedTools.toSorted(),
    focus: newestEntry(kept) ?? newestEntry(replaced) ?? previous?.focus ?? null,
  };
}

function toolNames(messages: readonly Message[]): Set<string> {
  const calls = messages.flatMap((message) => message.parts).filter((part) => part.type === 'tool-call');
  return new Set(calls.map((part) => part.content.toolName));
}

/** An entry that a call named counts, not every one that a listing happened to hold. */
function newestEntry(messages: readonly Message[]): string | null {
  const texts = messages
    .flatMap((message) => message.parts)
    .flatMap((part) => {
      if (part.type === 'tool-call') return [JSON.stringify(part.content.input)];
      return part.type === 'tool-result' && 'value' in part.content.output
        ? [leadingId(part.content.output.value)]
        : [];
    });
  return texts.flatMap((text) => text.match(ENTRY_ID) ?? []).at(-1) ?? null;
}

/** The result of a write or read of one entry has its id on the first level. */
function leadingId(value: unknown): string {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : '';
  return typeof id === 'string' ? id : '';
}
