import { countRecurringTokens, countTokens } from '#server/context/tokens';
import { type Tool, defineForModel } from '#server/tools/tool';

/* How much of every request our own tools may take, and which of them are offered where not all fit. */

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
export interface OwnRoom {
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
