import type { ContextSettings } from '#server/context/context-settings';
import { allows, type Scope } from '#server/core/principal';
import type { ToolEffect } from '#server/core/tool-effect';
import type { PendingCall } from '#server/agent/run-tool-call';
import { policyOf } from '#server/agent/tool-set';
import type { Tool, Toolbox } from '#server/tools/tool';

interface AskOptions {
  readonly toolbox: Toolbox;
  readonly settings: Pick<ContextSettings, 'toolPolicies' | 'toolBulkLimit'>;
  /** Of whoever has them called. The administrator's `always` is for those who may change the site themselves. */
  readonly scopes: readonly Scope[];
  /** Whether this call asks where the administrator has set nothing. */
  readonly asks: (call: PendingCall, tool: Tool) => Promise<boolean>;
  readonly effectOf: (call: PendingCall) => Promise<ToolEffect | null>;
  /** Ids of what the turn has changed so far without being asked, what it made itself left out. */
  readonly changedSoFar: () => Promise<readonly string[]>;
}

/** A call that could run, with its tool. */
interface OpenCall {
  readonly call: PendingCall;
  readonly tool: Tool;
}

/** A call that the user has to agree to. */
export interface AskingCall {
  readonly call: PendingCall;
  /** Only because too many things would be changed; by itself it would run. */
  readonly isForBulk: boolean;
}

/**
 * The calls of one step that the user has to agree to: those that ask by what they are, and, where they and what the
 * turn changed before would be too many things, all that change something. What the administrator has set for a tool
 * goes before all this.
 */
export async function callsThatAsk(
  calls: readonly PendingCall[],
  { toolbox, settings, scopes, asks, effectOf, changedSoFar }: AskOptions,
): Promise<readonly AskingCall[]> {
  const { toolPolicies, toolBulkLimit } = settings;
  const open = calls.flatMap((call) => {
    const tool = toolbox.find(call.toolName);
    const canRun = call.decision === undefined && call.error === undefined && tool;
    return canRun && policyOf(toolPolicies, tool) !== 'off' ? [{ call, tool }] : [];
  });
  const writing = open.filter(({ tool }) => tool.writes);
  const changed = writing.length === 0 ? [] : await changedSoFar();
  const isBulk =
    writing.length + changed.length > toolBulkLimit && (await countThings(writing, effectOf, changed)) > toolBulkLimit;
  const asking: AskingCall[] = [];
  for (const { call, tool } of open) {
    const isSet = isDecided(tool, toolPolicies, scopes);
    const asksItself = isSet ? policyOf(toolPolicies, tool) === 'ask' : await asks(call, tool);
    const isForBulk = !asksItself && !isSet && isBulk && tool.writes === true;
    if (asksItself || isForBulk) asking.push({ call, isForBulk });
  }
  return asking;
}

/** Whether the administrator has said for all calls of a tool, made by somebody with these scopes, whether they ask. */
export function isDecided(
  tool: Tool,
  toolPolicies: ContextSettings['toolPolicies'],
  scopes: readonly Scope[],
): boolean {
  if (!Object.hasOwn(toolPolicies, tool.name)) return false;
  return policyOf(toolPolicies, tool) === 'ask' || allows(scopes, 'content:write');
}

/** How many different things are changed with the calls: eight sections of one page are one thing. */
async function countThings(
  calls: readonly OpenCall[],
  effectOf: (call: PendingCall) => Promise<ToolEffect | null>,
  changed: readonly string[],
): Promise<number> {
  const things = new Set(changed);
  for (const open of calls) for (const thing of thingsOf(open, await effectOf(open.call))) things.add(thing);
  return things.size;
}

function thingsOf({ call, tool }: OpenCall, effect: ToolEffect | null): readonly string[] {
  const { input } = call;
  const named = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
  if (tool.changesAnotherEachTime?.(named)) return [call.partId];
  if (effect && effect.targets.length > 0) return effect.targets.map(({ id }) => id);
  // Something new, or something that is not there before the calls in front of it have run.
  const { ref } = named;
  return [effect === null && typeof ref === 'string' ? ref : call.partId];
}
