import { z } from 'zod';
import { ToolError } from '#server/core/errors';
import { requiredLine } from '#server/core/safe-text';
import { defineForModel, defineTool, type Tool } from '#server/tools/tool';
import { countRecurringTokens, countTokens } from '#server/context/tokens';
import { shorten } from '#server/core/short-text';

/* The room of our own tools in every request: which are offered where not all fit, and the tools that load others. */

/** Most of a model's usable tokens that instructions and tools take. */
const MAX_SHARE = 0.2;
/** Least for our tools, however long the instructions of a site are: with fewer nothing can be done. */
const LEAST_SHARE = 0.1;
const LEAST_TOKENS = 1_000;

/** Tokens for the definitions of our own tools. @param taken tokens of the instructions and of other tools */
export function roomForOwn(usable: number, taken: number): number {
  return Math.max(usable * MAX_SHARE - taken, Math.min(usable * LEAST_SHARE, LEAST_TOKENS));
}

const known = new WeakMap<Tool, number>();

/** Tokens of a definition in a request. */
export function definitionTokens(tool: Tool): number {
  const tokens = known.get(tool) ?? countTokens(JSON.stringify({ type: 'function', ...defineForModel(tool) }));
  known.set(tool, tokens);
  return tokens;
}

/** Tokens of a name in the list of what can be loaded. */
const nameTokens = ({ name }: Tool) => countRecurringTokens(`, ${name}`);

/** Tokens for our own tools, and the names of those that go first. */
interface OwnRoom {
  readonly room: number;
  /** Names of those that are always there; the others follow them. */
  readonly always: readonly string[];
  /** Names of the others, the one that stays longest first; those not named come last. */
  readonly order: readonly string[];
  /** Name of the one that was loaded or used last: it is there even where it alone takes more than the room. */
  readonly newest?: string | undefined;
  /** Tokens of the tool that loads others, without their names. */
  readonly loader: number;
}

/** Tells which tools there is room for. */
export interface FittingTools {
  /** All where they fit; else those of `order` up to the first that does not fit. In the order of our tools. */
  readonly offered: readonly Tool[];
  /** Selects those that fit at once, beside the ones that are always there; the first named go first. */
  readonly fit: (names: readonly string[]) => readonly string[];
}

/**
 * The tools that fit. They end at the first that does not fit: a small one behind it does not slip in, so that a tool
 * that moves to the front of `order` pushes out those at the end and brings in none but itself.
 */
export function withinRoom(own: readonly Tool[], { room, always, order, newest, loader }: OwnRoom): FittingTools {
  if (own.reduce((sum, tool) => sum + definitionTokens(tool), 0) <= room)
    return { offered: own, fit: (names) => names };
  const byName = new Map(own.map((tool) => [tool.name, tool]));
  const toolsOf = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? []);
  const cost = (tool: Tool) => definitionTokens(tool) - nameTokens(tool);
  let left = room - loader - own.reduce((sum, tool) => sum + nameTokens(tool), 0);
  const takeIfFits = (tool: Tool, isNewest = false): boolean => {
    const fits = isNewest || cost(tool) <= left;
    if (fits) left -= cost(tool);
    return fits;
  };
  const core = toolsOf(always).filter((tool) => takeIfFits(tool));
  const forOthers = left;
  const others = toolsOf([...new Set([...order, ...byName.keys()])]).filter((tool) => !core.includes(tool));
  const end = others.findIndex((tool) => !takeIfFits(tool, tool.name === newest));
  const chosen = new Set([...core, ...others.slice(0, end === -1 ? others.length : end)]);
  return {
    offered: own.filter((tool) => chosen.has(tool)),
    fit: (names) => {
      left = forOthers;
      const first = toolsOf(names).find((tool) => !core.includes(tool));
      return toolsOf(names)
        .filter((tool) => core.includes(tool) || takeIfFits(tool, tool === first))
        .map(({ name }) => name);
    },
  };
}

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
  return shorten(line, MAX_LINE);
}
