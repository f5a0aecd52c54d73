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
  /** The least recently loaded first. */
  readonly loaded: readonly string[];
  readonly mostUsed: readonly string[];
  /** Tokens of the tool that loads others, without their names. */
  readonly loader: number;
}

/**
 * The tools that fit, in their order: the newest loaded first, then those that are used most; all where they fit.
 */
export function withinRoom(own: readonly Tool[], { room, loaded, mostUsed, loader }: OwnRoom): readonly Tool[] {
  if (own.reduce((sum, tool) => sum + definitionTokens(tool), 0) <= room) return own;
  const order = [...loaded.toReversed(), ...mostUsed];
  const place = ({ name }: Tool) => (order.includes(name) ? order.indexOf(name) : Infinity);
  const wanted = own.toSorted((one, other) => place(one) - place(other) || 0);
  const chosen = new Set<Tool>();
  let left = room - loader - own.reduce((sum, tool) => sum + nameTokens(tool), 0);
  for (const tool of wanted) {
    const cost = definitionTokens(tool) - nameTokens(tool);
    if (cost > left) continue;
    left -= cost;
    chosen.add(tool);
  }
  return own.filter((tool) => chosen.has(tool));
}
