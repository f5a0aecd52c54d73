import { ThroughlineError } from '#server/core/errors';
import type { ToolEffect } from '#server/core/tool-effect';
import { type OnFault, type PendingCall, unlessAborted } from '#server/agent/run-tool-call';
import { shortenEffect } from '#server/agent/shorten-effect';
import { withinTime } from '#server/agent/within-time';
import type { EffectContext, Tool } from '#server/tools/tool';

/** Nobody waits longer to be asked; milliseconds. */
const EFFECT_TIME_MS = 5_000;
/** Changes of one target that are looked through; more of them were not made by calls of one step. */
const MAX_CHANGES = 100;

/** What a call would do, or why it cannot be done; neither where its tool cannot tell. */
export type CallEffect =
  { readonly effect: ToolEffect | null; readonly refusal: null } | { readonly effect: null; readonly refusal: string };

/** What a call would do, in a size that can be shown. Never throws. */
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

/** Whether a call asks where the administrator has set nothing; where that cannot be told it does. */
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

/** Whether an approved call may still run, and on which revision of what it is about. */
type ApprovalCheck = { readonly refusal: string } | { readonly refusal: null; readonly ifRevision?: number };

/**
 * Whether a call is still what the user approved: it has to touch what it touched when he was asked, and nothing but the
 * calls approved with it may have changed that.
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
