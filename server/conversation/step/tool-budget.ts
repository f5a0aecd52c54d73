import { z } from 'zod';
import { ToolError } from '#server/core/errors';
import { requiredLine } from '#server/core/text/safe-text';
import { defineForModel, defineTool, type Tool } from '#server/tools/tool';
import { countRecurringTokens, countTokens } from '#server/context/tokens';
import { shorten } from '#server/core/text/short-text';

/*
 * The token budget of our own tools in every request: which are offered if not all fit, and the tools that load others.
 */

/** Maximum share of a model's usable tokens for instructions and tools. A choice, not measured. */
const MAX_SHARE = 0.2;
/**
 * Minimum for our tools, regardless of the length of a site's instructions: the assistant cannot work with fewer. A
 * choice, not measured.
 */
const LEAST_SHARE = 0.1;
const LEAST_TOKENS = 1_000;

/** Tokens for the definitions of our own tools. @param taken tokens of the instructions and of other tools */
export function roomForOwn(usable: number, taken: number): number {
  return Math.max(usable * MAX_SHARE - taken, Math.min(usable * LEAST_SHARE, LEAST_TOKENS));
}

const known = new WeakMap<Tool, number>();

/** Tokens of a tool definition in a request. */
export function definitionTokens(tool: Tool): number {
  const tokens = known.get(tool) ?? countTokens(JSON.stringify({ type: 'function', ...defineForModel(tool) }));
  known.set(tool, tokens);
  return tokens;
}

/** Tokens of a name in the list of loadable tools. */
const nameTokens = ({ name }: Tool) => countRecurringTokens(`, ${name}`);

/** Tokens for our own tools, and the names of those with priority. */
interface OwnRoom {
  readonly room: number;
  /** Names of tools that are always offered; the others follow them. */
  readonly always: readonly string[];
  /** Names of the others, in descending priority; those not named come last. */
  readonly order: readonly string[];
  /** Name of the tool that was loaded or used last: it is offered even if it alone exceeds the token budget. */
  readonly newest?: string | undefined;
  /** Tokens of the tool that loads others, without their names. */
  readonly loader: number;
}

/** The tools that fit the token budget. */
export interface FittingTools {
  /** All tools if they fit; else those of `order` up to the first that does not fit. In the order of our tools. */
  readonly offered: readonly Tool[];
  /** Selects those that fit together with the tools that are always offered; the first named have priority. */
  readonly fit: (names: readonly string[]) => readonly string[];
}

/**
 * The tools that fit. The list ends at the first that does not fit, even if a later one is small enough, so that a tool
 * that moves to the front of `order` removes those at the end and adds only itself.
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
  /** Requested tools that are offered from now on. */
  readonly loaded: readonly string[];
  /** Requested tools that do not fit together with the others. */
  readonly didNotFit: readonly string[];
  /** Tools that were removed to free tokens. */
  readonly putAway: readonly string[];
  readonly unknown: readonly string[];
  /** Tools whose definition alone exceeds the token budget of all. */
  readonly tooLarge: readonly string[];
}

/** Tools that are only offered after they are loaded into a conversation. */
export interface OnDemandTools {
  readonly all: (sessionId: string) => readonly Tool[];
  /** @throws ToolError if none of them can be loaded */
  load(sessionId: string, names: readonly string[]): Promise<LoadOutcome>;
}

/** Maximum number of tools in the list of `find_tools`. A choice, not measured. */
const MAX_FOUND = 20;
/** Maximum characters of a description in the list. A choice, not measured. */
const MAX_LINE = 120;

/** @param servers names of the tool servers, for the description */
export function createFindTools({ all }: OnDemandTools, servers: string): Tool {
  return defineTool({
    name: 'find_tools',
    description: `More tools, of connected servers (${servers}): names that fit the words. Load them to use them.`,
    input: z.object({ query: z.string().max(200) }),
    execute: ({ query }, { origin }) => {
      const found = rank(origin.sessionId === undefined ? [] : all(origin.sessionId), query);
      return Promise.resolve({
        tools: found.slice(0, MAX_FOUND).map(({ name, description }) => ({ name, does: firstLine(description) })),
        ...(found.length > MAX_FOUND && { more: found.length - MAX_FOUND }),
      });
    },
  });
}

/** Name of the tool that loads other tools. */
export const LOAD_TOOLS = 'load_tools';

/** @param loadable names of the loadable tools, for the description */
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

/**
 * Tools with the most matching words; a match in the name ranks above one in the description. All tools if the query is
 * empty.
 */
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
