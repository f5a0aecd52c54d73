import { ThroughlineError } from '#server/core/errors';
import { holdsExcerpt } from '#server/context/excerpt-input';
import type { JsonValue } from '#server/core/json';
import type { NewPart, ToolOutput } from '#server/core/parts';
import { withTokens } from '#server/context/part-tokens';
import { findTool } from '#server/tools/index';
import type { Tool, ToolContext } from '#server/tools/tool';
import { type OutputLimits, truncateOutput } from '#server/agent/truncate-output';

/** A call as the model made it; `error` says why it cannot run (unknown tool, input that fits no schema). */
export interface PendingCall {
  readonly partId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly error?: string | undefined;
}

/** `maxChars` is for tools that set no limit of their own; no output is longer than `most`. */
export type ToolLimits = OutputLimits & { readonly most: number };

export type ToolResult = Extract<NewPart, { type: 'tool-result' }>;

/** A model that copies from its own pruned calls would write the gap over the real text. */
const HOLDS_EXCERPT =
  'The input holds an excerpt ("[... cut. recall_output id: prt_...]"). Read the whole text with recall_output and send that.';

/**
 * Runs one call. Whatever happens becomes a result the model reads: a tool's error never ends the turn.
 * @param limits longest output; a tool may ask for fewer characters
 */
export async function runToolCall(call: PendingCall, context: ToolContext, limits: ToolLimits): Promise<ToolResult> {
  const startedAt = performance.now();
  const { output, truncated } = await execute(call, context, limits);
  return withTokens({
    type: 'tool-result',
    state: output.type === 'error-text' ? 'error' : 'completed',
    content: {
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output,
      ...(truncated && { truncated }),
      durationMs: Math.round(performance.now() - startedAt),
    },
  });
}

async function execute(
  call: PendingCall,
  context: ToolContext,
  limits: ToolLimits,
): Promise<{ output: ToolOutput; truncated: boolean }> {
  const tool = findTool(call.toolName);
  if (!tool) return failure(`There is no tool "${call.toolName}".`);
  if (call.error !== undefined) return failure(call.error);
  if (holdsExcerpt(call.input)) return failure(HOLDS_EXCERPT);
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) return failure(`Invalid input: ${parsed.error.issues.map(describeIssue).join('; ')}`);
  try {
    return truncateOutput(await tool.execute(parsed.data, context), limitsOf(tool, limits));
  } catch (error) {
    if (error instanceof ThroughlineError) return failure(error.message);
    return failure('The tool failed for an internal reason. Check the current state before repeating it.');
  }
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
