import { z } from 'zod';
import { ToolError } from '#server/core/errors';
import { requiredLine } from '#server/core/safe-text';
import { defineTool, type Tool } from '#server/tools/tool';

/** Result of loading tools. */
export interface LoadOutcome {
  /** Named tools that are offered from now on. */
  readonly loaded: readonly string[];
  /** Named tools for which there is no room beside the others. */
  readonly didNotFit: readonly string[];
  /** Had to make room. */
  readonly putAway: readonly string[];
  readonly unknown: readonly string[];
  /** Their definitions alone take more than is left for all. */
  readonly tooLarge: readonly string[];
}

/** Tools that are not offered until they are loaded into a conversation. */
export interface OnDemandTools {
  readonly all: () => readonly Tool[];
  /** @throws ToolError where none of them can be loaded */
  load(sessionId: string, names: readonly string[]): Promise<LoadOutcome>;
}

const MAX_FOUND = 20;
/** Characters of a listed description. */
const MAX_LINE = 120;

/** @param servers whose tools they are, for the description */
export function createFindTools({ all }: OnDemandTools, servers: string): Tool {
  return defineTool({
    name: 'find_tools',
    description: `More tools, of connected servers (${servers}): names that fit the words. Load them to use them.`,
    input: z.object({ query: z.string().max(200) }),
    execute: ({ query }) => {
      const found = rank(all(), query);
      return Promise.resolve({
        tools: found.slice(0, MAX_FOUND).map(({ name, description }) => ({ name, does: firstLine(description) })),
        ...(found.length > MAX_FOUND && { more: found.length - MAX_FOUND }),
      });
    },
  });
}

export const LOAD_TOOLS = 'load_tools';

/** @param loadable what it says that it loads */
export function createLoadTools(tools: OnDemandTools, loadable: readonly string[]): Tool {
  return defineTool({
    name: LOAD_TOOLS,
    description: `Load these to call them in your next step: ${loadable.join(', ')}.`,
    input: z.object({ names: z.array(requiredLine(100)).min(1).max(20) }),
    execute: async ({ names }, { origin }) => {
      if (origin.sessionId === undefined) throw new ToolError('Tools can only be loaded in a conversation.');
      const { loaded, ...rest } = await tools.load(origin.sessionId, names);
      const notes = Object.entries(rest).filter(([, some]) => some.length > 0);
      return {
        loaded: [...loaded],
        ...Object.fromEntries(notes.map(([key, some]) => [key, [...some]])),
        ...(rest.didNotFit.length + rest.putAway.length > 0 && { note: whatToDo(rest) }),
      };
    },
  });
}

function whatToDo({ didNotFit, putAway }: Pick<LoadOutcome, 'didNotFit' | 'putAway'>): string {
  return [
    didNotFit.length === 0
      ? ''
      : 'Not all fit at once: call what is loaded, and load the next one by itself; both go in one answer.',
    putAway.length === 0 ? '' : 'What was put away made room; load it again when you need it.',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** Tools with the most matching words, a word of the name above one of the description; all where no word is given. */
function rank(tools: readonly Tool[], query: string): readonly Tool[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return tools;
  return tools
    .map((tool) => ({ tool, score: words.reduce((sum, word) => sum + scoreOf(tool, word), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ tool }) => tool);
}

function scoreOf({ name, description }: Tool, word: string): number {
  if (name.toLowerCase().includes(word)) return 3;
  return description.toLowerCase().includes(word) ? 1 : 0;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1).toWellFormed()}…`;
}
