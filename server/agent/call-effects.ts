import { type OnFault, type PendingCall, unlessAborted, withinTime } from '#server/agent/run-tool-call';
import { policyOf } from '#server/agent/toolboxes';
import type { ContextSettings } from '#server/context/settings/context-settings';
import type { FieldChange } from '#server/core/changes';
import { ThroughlineError } from '#server/core/errors';
import { isJsonObject, type JsonValue } from '#server/core/json';
import { allows, type Scope } from '#server/core/access-rights';
import { shorten } from '#server/core/short-text';
import type { ToolEffect } from '#server/core/tool-effect';
import type { EffectContext, Tool, Toolbox } from '#server/tools/tool';

/** Longest wait until somebody is asked; milliseconds. */
const EFFECT_TIME_MS = 5_000;
/** Changes of one target that are looked through; more of them were not made by calls of one step. */
const MAX_CHANGES = 100;

/** The effect of a call, or why it cannot be done; neither where its tool cannot tell. */
export type CallEffect =
  { readonly effect: ToolEffect | null; readonly refusal: null } | { readonly effect: null; readonly refusal: string };

/** Works out what a call would do, in a size that can be shown. Never throws. */
export async function effectOf(
  call: PendingCall,
  tool: Tool | undefined,
  context: EffectContext,
  { signal, onFault }: { signal: AbortSignal; onFault: OnFault },
): Promise<CallEffect> {
  const parsed = tool?.input.safeParse(call.input);
  if (!tool?.effect || !parsed?.success) return { effect: null, refusal: null };
  try {
    const work = () => tool.effect!(parsed.data, context);
    const late = 'It took too long to find out what it would do.';
    const effect = await withinTime(EFFECT_TIME_MS, late, signal, (inTime) => unlessAborted(inTime, work));
    return { effect: shortenEffect(effect), refusal: null };
  } catch (error) {
    if (error instanceof ThroughlineError) return { effect: null, refusal: error.message };
    onFault(`The effect of ${tool.name} could not be worked out`, error);
    return { effect: null, refusal: 'Not done: for an internal reason the user could not be shown what it would do.' };
  }
}

/** Returns whether a call asks by its tool's own rule; true where the tool cannot tell. */
export async function asksByItself(
  call: PendingCall,
  tool: Tool,
  context: EffectContext,
  onFault: OnFault,
): Promise<boolean> {
  const parsed = tool.input.safeParse(call.input);
  if (!tool.asks || !parsed.success) return tool.policy === 'ask';
  try {
    return await tool.asks(parsed.data, context);
  } catch (error) {
    // It cannot be done, and says so when it is tried.
    if (error instanceof ThroughlineError) return false;
    onFault(`Whether a call of ${tool.name} has to ask could not be found out`, error);
    return true;
  }
}

/** The check of an approved call: why it may no longer run, or the revision that it has to meet. */
type ApprovalCheck = { readonly refusal: string } | { readonly refusal: null; readonly ifRevision?: number };

/**
 * Checks that a call is still what the user approved: it has to touch what it touched when he was asked, and nothing
 * but the calls approved with it may have changed that.
 * @param options.approved part ids of the calls that were approved together
 */
export async function checkApproval(
  call: PendingCall,
  tool: Tool,
  context: EffectContext,
  { approved, onFault }: { approved: ReadonlySet<string>; onFault: OnFault },
): Promise<ApprovalCheck> {
  const asked = call.decision?.effect;
  const parsed = tool.input.safeParse(call.input);
  // Nothing was shown of what calls approved with it were to make first.
  if (!asked || !tool.effect || !parsed.success) return { refusal: null };
  try {
    const { targets } = await tool.effect(parsed.data, context);
    const refusal = await changeOf(asked, targets, context, approved);
    if (refusal !== null) return { refusal };
    const [only, ...others] = targets;
    return { refusal: null, ...(only && others.length === 0 && { ifRevision: only.revision }) };
  } catch (error) {
    if (error instanceof ThroughlineError) return { refusal: error.message };
    onFault(`What a call of ${tool.name} would do could not be compared`, error);
    return { refusal: `Not done: whether it is still what the user approved could not be found out. ${LOOK_AGAIN}` };
  }
}

async function changeOf(
  asked: ToolEffect,
  targets: ToolEffect['targets'],
  { content }: EffectContext,
  approved: ReadonlySet<string>,
): Promise<string | null> {
  const known = new Map(asked.targets.map(({ id, revision }) => [id, revision]));
  const isSame = targets.length === known.size && targets.every(({ id }) => known.has(id));
  if (!isSame) return `Not done: the user approved something else (${asked.summary}). ${LOOK_AGAIN}`;
  for (const { id, revision, title } of targets) {
    const before = known.get(id) ?? 0;
    if (before === revision) continue;
    const changes = await content.changes({ targetId: id, limit: MAX_CHANGES });
    const since = changes.filter((change) => change.revision > before);
    const isOurs = since.every(({ origin: { approvalId } }) => approvalId !== undefined && approved.has(approvalId));
    if (since.length === 0 || !isOurs)
      return `Not done: "${title}" was changed after the user was asked. ${LOOK_AGAIN}`;
  }
  return null;
}

const LOOK_AGAIN = 'Look at it as it is now; the call may be made again.';

interface AskOptions {
  readonly toolbox: Toolbox;
  readonly settings: Pick<ContextSettings, 'toolPolicies' | 'toolBulkLimit'>;
  /** Rights of the caller. The administrator's `always` is for those who may change the site themselves. */
  readonly scopes: readonly Scope[];
  /** Returns whether this call asks where the administrator has set nothing. */
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
  { toolbox, settings, scopes, asks, effectOf: findEffect, changedSoFar }: AskOptions,
): Promise<readonly AskingCall[]> {
  const { toolPolicies, toolBulkLimit } = settings;
  const open = calls.flatMap((call) => {
    const tool = toolbox.find(call.toolName);
    const canRun = call.decision === undefined && call.error === undefined && tool;
    return canRun && policyOf(toolPolicies, tool) !== 'off' ? [{ call, tool }] : [];
  });
  const writing = open.filter(({ tool }) => tool.writes);
  const changed = writing.length === 0 ? [] : await changedSoFar();
  const mayBeMany = writing.some(({ call, tool }) => changesSeveral(call, tool));
  const isBulk =
    (mayBeMany || writing.length + changed.length > toolBulkLimit) &&
    (await countThings(writing, findEffect, changed)) > toolBulkLimit;
  const asking: AskingCall[] = [];
  for (const { call, tool } of open) {
    const isSet = isDecided(tool, toolPolicies, scopes);
    const asksItself = isSet ? policyOf(toolPolicies, tool) === 'ask' : await asks(call, tool);
    const isForBulk = !asksItself && !isSet && isBulk && tool.writes === true;
    if (asksItself || isForBulk) asking.push({ call, isForBulk });
  }
  return asking;
}

function changesSeveral({ input }: PendingCall, tool: Tool): boolean {
  const parsed = tool.changesSeveral && tool.input.safeParse(input);
  return parsed?.success === true && tool.changesSeveral?.(parsed.data) === true;
}

/** Returns whether the administrator's policy decides for all calls of a tool by a caller with these scopes. */
export function isDecided(
  tool: Tool,
  toolPolicies: ContextSettings['toolPolicies'],
  scopes: readonly Scope[],
): boolean {
  if (!Object.hasOwn(toolPolicies, tool.name)) return false;
  return policyOf(toolPolicies, tool) === 'ask' || allows(scopes, 'content:write');
}

/** Counts the different things changed with the calls: eight sections of one page are one thing. */
async function countThings(
  calls: readonly OpenCall[],
  findEffect: (call: PendingCall) => Promise<ToolEffect | null>,
  changed: readonly string[],
): Promise<number> {
  const things = new Set(changed);
  for (const open of calls) for (const thing of thingsOf(open, await findEffect(open.call))) things.add(thing);
  return things.size;
}

function thingsOf({ call, tool }: OpenCall, effect: ToolEffect | null): readonly string[] {
  const { input } = call;
  const named = isJsonObject(input) ? input : {};
  if (tool.changesAnotherEachTime?.(named)) return [call.partId];
  if (effect && effect.targets.length > 0) return effect.targets.map(({ id }) => id);
  // Something new, or something that is not there before the calls in front of it have run.
  const { ref } = named;
  return [effect === null && typeof ref === 'string' ? ref : call.partId];
}

/**
 * Limits of the effect that a person reads before deciding; the whole is in the preview. Characters of one value,
 * numbers of lines.
 */
const VALUE_CHARS = 600;
const MOST_SHOWN_CHANGES = 30;
const MAX_REFERENCES = 30;
const MAX_WARNINGS = 20;

/** The effect in a size that can be stored and shown; what was left out is counted. Its targets are all there. */
export function shortenEffect(effect: ToolEffect): ToolEffect {
  const { summary, targets, changes, references, warnings } = effect;
  const left = [
    leftOut(changes.length - MOST_SHOWN_CHANGES, 'more change is not listed.', 'more changes are not listed.'),
    leftOut(references.length - MAX_REFERENCES, 'more reference is not listed.', 'more references are not listed.'),
  ].flat();
  return {
    summary: cut(summary),
    targets: targets.map((target) => ({ ...target, title: cut(target.title) })),
    changes: changes.slice(0, MOST_SHOWN_CHANGES).map(shortenChange),
    references: references.slice(0, MAX_REFERENCES).map((reference) => ({ ...reference, text: cut(reference.text) })),
    warnings: [...warnings.slice(0, MAX_WARNINGS).map(cut), ...left],
  };
}

function leftOut(count: number, one: string, several: string): string[] {
  return count > 0 ? [`${count} ${count === 1 ? one : several}`] : [];
}

function shortenChange(change: FieldChange): FieldChange {
  return { ...change, before: shortenValue(change.before), after: shortenValue(change.after) };
}

function shortenValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cut(value);
  const text = JSON.stringify(value);
  return text.length <= VALUE_CHARS ? value : cut(text);
}

function cut(text: string): string {
  return shorten(text, VALUE_CHARS);
}
