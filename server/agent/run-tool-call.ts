import { ThroughlineError, ToolError } from '#server/core/errors';
import { holdsExcerpt } from '#server/context/excerpt-input';
import type { JsonValue } from '#server/core/json';
import type { NewPart, ToolOutput } from '#server/core/parts';
import { withTokens } from '#server/context/part-tokens';
import { findTool } from '#server/tools/index';
import type { Tool, ToolContext } from '#server/tools/tool';
import { type OutputLimits, truncateOutput } from '#server/agent/truncate-output';
import { withinTime } from '#server/agent/within-time';

/** A call as the model made it; `error` says why it cannot run (unknown tool, input that fits no schema). */
export interface PendingCall {
  readonly partId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly error?: string | undefined;
  /** Of a call that waited for the user. */
  readonly decision?: { readonly approved: boolean; readonly reason: string | null } | undefined;
}

/**
 * `maxChars` is for tools that set no limit of their own; no output is longer than `most`; one that takes longer than
 * `timeoutMs` is stopped.
 */
export type ToolLimits = OutputLimits & { readonly most: number; readonly timeoutMs: number };

/** Told of what only a fault of ours can be. */
export type OnFault = (message: string, error: unknown) => void;

export type ToolResult = Extract<NewPart, { type: 'tool-result' }>;

/** A model that copies from its own pruned calls would write the gap over the real text. */
const HOLDS_EXCERPT =
  'The input holds an excerpt ("[... cut. recall_output id: prt_...]"). Read the whole text with recall_output and send that.';

/**
 * Runs one call. Whatever happens becomes a result the model reads: a tool's error never ends the turn. It is not
 * waited for once its time is over or the context's signal aborts; the result then says what the signal's reason says.
 * @param limits longest output; a tool may ask for fewer characters
 */
export async function runToolCall(
  call: PendingCall,
  context: ToolContext,
  limits: ToolLimits,
  onFault: OnFault,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const { output, truncated } = await execute(call, context, limits, onFault);
  const durationMs = Math.round(performance.now() - startedAt);
  return toolResult(call, output, { durationMs, ...(truncated && { truncated }) });
}

/** What a call gets that is not run. */
export function refusedCall(call: PendingCall, why: string): ToolResult {
  return toolResult(call, { type: 'error-text', value: why });
}

function toolResult(
  { toolCallId, toolName }: PendingCall,
  output: ToolOutput,
  facts: { durationMs?: number; truncated?: boolean } = {},
): ToolResult {
  const state = output.type === 'error-text' ? 'error' : 'completed';
  return withTokens({ type: 'tool-result', state, content: { toolCallId, toolName, output, ...facts } });
}

async function execute(
  call: PendingCall,
  context: ToolContext,
  limits: ToolLimits,
  onFault: OnFault,
): Promise<{ output: ToolOutput; truncated: boolean }> {
  if (call.decision?.approved === false) return { output: denied(call.decision.reason), truncated: false };
  const tool = findTool(call.toolName);
  if (!tool) return failure(`There is no tool "${call.toolName}".`);
  if (call.error !== undefined) return failure(call.error);
  if (holdsExcerpt(call.input)) return failure(HOLDS_EXCERPT);
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) return failure(`Invalid input: ${parsed.error.issues.map(describeIssue).join('; ')}`);
  try {
    const value = await withinTime(limits.timeoutMs, timeoutText(limits.timeoutMs), context.signal, (signal) =>
      unlessAborted(signal, () => tool.execute(parsed.data, { ...context, signal })),
    );
    return truncateOutput(value, limitsOf(tool, limits));
  } catch (error) {
    if (error instanceof ThroughlineError) return failure(error.message);
    onFault(`The tool ${tool.name} failed`, error);
    return failure('The tool failed for an internal reason. Check the current state before repeating it.');
  }
}

/**
 * Gives up waiting when the signal aborts, also for work that does not listen to it.
 * @throws ToolError with the words of the signal's reason, whatever the work made of it
 */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work(), aborted]);
  } catch (error) {
    if (signal.aborted) throw new ToolError((signal.reason as Error).message);
    throw error;
  }
}

function timeoutText(timeoutMs: number): string {
  return `Stopped: the tool did not finish within ${timeoutMs / 1_000} seconds. Check the current state before repeating it.`;
}

function denied(reason: string | null): ToolOutput {
  return reason === null ? { type: 'execution-denied' } : { type: 'execution-denied', reason };
}

function limitsOf(tool: Tool, limits: ToolLimits): OutputLimits {
  return { ...limits, maxChars: Math.min(tool.maxOutputChars ?? limits.maxChars, limits.most) };
}

function failure(message: string): { output: ToolOutput; truncated: boolean } {
  return { output: { type: 'error-text', value: message }, truncated: false };
}

function describeIssue(issue: { path: PropertyKey[]; message: string }): string {
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
