import { type OnFault, type PendingCall, unlessAborted, withinTime } from '#server/conversation/step/run-tool-call';
import { completeEffect } from '#server/tools/shown-effect';
import { policyOf } from '#server/conversation/step/toolboxes';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { ThroughlineError } from '#server/core/errors';
import { isJsonObject, toJson } from '#server/core/json';
import { targetNames } from '#server/core/site/document-names';
import type { ServerText } from '#server/core/coded-message';
import { allows, type Scope } from '#server/core/admin/access-rights';
import { type ToolEffect, toolEffectSchema } from '#server/core/conversation/tool-effect';
import type { EffectContext, Tool, Toolbox } from '#server/tools/tool';

/** Maximum wait for the effect before the user is asked; milliseconds. A choice, not measured. */
const EFFECT_TIME_MS = 5_000;
/** Maximum number of changes of one target that are checked; calls of one step do not make more. */
const MAX_CHANGES = 100;

/** The effect of a call, or the reason why it is impossible; neither if its tool cannot determine it. */
export type CallEffect =
  | { readonly effect: ToolEffect | null; readonly refusal: null }
  | { readonly effect: null; readonly refusal: string };

/** Determines what a call would do, with all differences. Never throws. */
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
    return { effect: completeEffect(await withPaths(effect, context.content)), refusal: null };
  } catch (error) {
    if (error instanceof ThroughlineError) return { effect: null, refusal: error.message };
    onFault(`The effect of ${tool.name} could not be worked out`, error);
    return { effect: null, refusal: 'Not done: for an internal reason the user could not be shown what it would do.' };
  }
}

/** Maximum number of targets that get a link to their preview. A choice, not measured. */
const MAX_PATHS = 20;

/** The effect with the paths of its pages and posts. */
async function withPaths(effect: ToolEffect, content: EffectContext['content']): Promise<ToolEffect> {
  const paths = await Promise.all(
    effect.targets.slice(0, MAX_PATHS).map(async ({ type, id }) => {
      const entry = type === 'page' || type === 'post' ? await content.find(id).catch(() => null) : null;
      return entry && content.pathOf(entry, 'draft').catch(() => null);
    }),
  );
  const targets = effect.targets.map((target, index) => {
    const path = paths[index] ?? null;
    return path === null ? target : { ...target, path };
  });
  return { ...effect, targets };
}

/** Returns whether a call needs approval by its tool's own rule; true if the tool cannot determine it. */
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
    // The call is impossible and returns its error when it runs.
    if (error instanceof ThroughlineError) return false;
    onFault(`Whether a call of ${tool.name} has to ask could not be found out`, error);
    return true;
  }
}

/** Check of an approved call: the reason why it may no longer run, or the revision that it must match. */
type ApprovalCheck = { readonly refusal: string } | { readonly refusal: null; readonly ifRevision?: number };

/**
 * Checks that a call is still what the user approved: it must affect the same targets as when the approval was
 * requested, and nothing but the calls approved with it may have changed these.
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
  // No effect was shown, because the call depends on calls approved with it.
  if (!asked || !tool.effect || !parsed.success) return { refusal: null };
  try {
    const present = await tool.effect(parsed.data, context);
    const { targets } = present;
    const refusal = (await changeOf(asked, targets, context, approved)) ?? differenceFrom(asked, present);
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

/**
 * Reports that a call would change something other than was shown, although nothing that it names was changed since.
 */
function differenceFrom(asked: ToolEffect, present: ToolEffect): string | null {
  const revisions = new Map(present.targets.map(({ id, revision }) => [id, revision]));
  const isUnchanged = asked.targets.every(({ id, revision }) => revisions.get(id) === revision);
  // Calls approved together change the effect of the later ones; older versions stored shortened values.
  if (asked.digest === undefined || !isUnchanged) return null;
  // In the stored form: the schema determines the order of fields.
  const { changes } = toolEffectSchema.parse(toJson(completeEffect(present)));
  const isSame = JSON.stringify(asked.changes) === JSON.stringify(changes);
  return isSame ? null : `Not done: it would change something else than what was approved. ${LOOK_AGAIN}`;
}

const LOOK_AGAIN = 'Look at it as it is now; the call may be made again.';

interface AskOptions {
  readonly toolbox: Toolbox;
  readonly settings: ContextSettings;
  /** Rights of the caller. The administrator's `always` applies to callers who may change the site themselves. */
  readonly scopes: readonly Scope[];
  /** Ends the search for effects. */
  readonly signal: AbortSignal;
}

/** What decides whether calls need approval, besides the settings. */
export interface CallFacts {
  /** Returns whether this call needs approval if the administrator has set no policy. */
  asks(call: PendingCall, tool: Tool): Promise<boolean>;
  /** The effect of a call; null if it is not known. */
  shownEffect(call: PendingCall, tool: Tool, signal: AbortSignal): Promise<ToolEffect | null>;
  /** Ids of what the turn has changed so far without approval, except what it created. */
  changedSoFar(): Promise<readonly string[]>;
}

/** A call that can run, with its tool. */
interface OpenCall {
  readonly call: PendingCall;
  readonly tool: Tool;
}

/** A call that needs the user's approval. */
export interface AskingCall {
  readonly call: PendingCall;
  /** True if it needs approval only because too many things would change; alone it would run. */
  readonly isForBulk: boolean;
}

/**
 * The calls of one step that need the user's approval: those that need it by their kind and, if the step and the
 * earlier changes of the turn affect too many things, all calls that change something. A policy that the administrator
 * set for a tool overrides this.
 */
export async function callsThatAsk(
  calls: readonly PendingCall[],
  facts: CallFacts,
  { toolbox, settings, scopes, signal }: AskOptions,
): Promise<readonly AskingCall[]> {
  const { toolPolicies, toolBulkLimit } = settings;
  const open = calls.flatMap((call) => {
    const tool = toolbox.find(call.toolName);
    const canRun = call.decision === undefined && call.error === undefined && tool;
    return canRun && policyOf(toolPolicies, tool) !== 'off' ? [{ call, tool }] : [];
  });
  const writing = open.filter(({ tool }) => tool.writes);
  const changed = writing.length === 0 ? [] : await facts.changedSoFar();
  const mayBeMany = writing.some(({ call, tool }) => changesSeveral(call, tool));
  const isBulk =
    (mayBeMany || writing.length + changed.length > toolBulkLimit) &&
    (await countThings(writing, facts, changed, signal)) > toolBulkLimit;
  const asking: AskingCall[] = [];
  for (const { call, tool } of open) {
    const isSet = isDecided(tool, toolPolicies, scopes);
    const asksItself = isSet ? policyOf(toolPolicies, tool) === 'ask' : await facts.asks(call, tool);
    const isForBulk = !asksItself && !isSet && isBulk && tool.writes === true;
    if (asksItself || isForBulk) asking.push({ call, isForBulk });
  }
  return asking;
}

function changesSeveral({ input }: PendingCall, tool: Tool): boolean {
  const parsed = tool.changesSeveral && tool.input.safeParse(input);
  return parsed?.success === true && tool.changesSeveral?.(parsed.data) === true;
}

/** Returns whether the administrator's policy decides about all calls of a tool by a caller with these scopes. */
export function isDecided(
  tool: Tool,
  toolPolicies: ContextSettings['toolPolicies'],
  scopes: readonly Scope[],
): boolean {
  if (!Object.hasOwn(toolPolicies, tool.name)) return false;
  return policyOf(toolPolicies, tool) === 'ask' || allows(scopes, 'content:write');
}

/** Counts the distinct things that the calls change: eight sections of one page are one thing. */
async function countThings(
  calls: readonly OpenCall[],
  facts: CallFacts,
  changed: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const things = new Set(changed);
  for (const open of calls) {
    const effect = await facts.shownEffect(open.call, open.tool, signal);
    for (const thing of thingsOf(open, effect)) things.add(thing);
  }
  return things.size;
}

function thingsOf({ call, tool }: OpenCall, effect: ToolEffect | null): readonly string[] {
  const { input } = call;
  const named = isJsonObject(input) ? input : {};
  if (tool.changesAnotherEachTime?.(named)) return [call.partId];
  if (effect && effect.targets.length > 0) return effect.targets.map(({ id }) => id);
  // The target is new, or does not exist until the preceding calls have run.
  const { ref } = named;
  return [effect === null && typeof ref === 'string' ? ref : call.partId];
}

/** Returns whether a call needs approval, or would by its tool's default. */
export function isSensitive({ writes = false, policy = 'always' }: Tool, { decision }: PendingCall): boolean {
  if (decision?.approved === false) return false;
  return writes && (policy !== 'always' || decision !== undefined);
}

/** Name of the target of a call; null if the call does not name one. */
export function targetOf({ decision, input }: PendingCall): string | ServerText | null {
  const names = targetNames(decision?.effect?.targets ?? []);
  if (names !== null) return names;
  const ref = typeof input === 'object' && input !== null && 'ref' in input ? input['ref'] : null;
  return typeof ref === 'string' ? ref : null;
}
