import type { FaultLog } from '#server/core/process';
import { holdsExcerpt } from '#server/context/excerpt';
import { withTokens } from '#server/context/part-tokens';
import { TOOL_NOT_LOADED } from '#server/core/conversation/labels';
import { orAborted } from '#server/core/async';
import { ThroughlineError, ToolError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { NewPart } from '#server/core/conversation/parts';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { stretch } from '#server/core/text/short-text';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import { visibleText } from '#server/core/text/visible-text';
import { type KeepFile, sanitizeToolResult } from '#server/site/media/sanitize-tool-result';
import { inSpan } from '#server/platform/telemetry/telemetry';
import { correctToolInput, inputProblem, withoutUnknown } from '#server/tools/schemas';
import {
  defineForModel,
  noSuchTool,
  type Tool,
  type Toolbox,
  type ToolContext,
  type ToolInputSchema,
} from '#server/tools/tool';
import { z } from 'zod';
import { TOOL_NAME_SEPARATOR } from '#server/core/conversation/tool-result';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

/** A call from the model; `error` is the reason why it cannot run (unknown tool, input that fits no schema). */
export interface PendingCall extends UnstoredCall {
  readonly partId: string;
}

/** A tool call before it is stored. */
export interface UnstoredCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly error?: string | undefined;
  /** The reason why it does not run, worded for the model. */
  readonly refusal?: string | undefined;
  /** Decision on a call that needed approval. */
  readonly decision?: ToolDecision | undefined;
}

/** Decision on a call that needed approval. */
export interface ToolDecision {
  readonly approved: boolean;
  readonly reason: string | null;
  /** Effect that the user was shown; null: none, or no approval was requested. */
  readonly effect: ToolEffect | null;
}

/**
 * `maxChars` is for tools without a limit of their own; no output is longer than `most`; a tool that takes longer than
 * `timeoutMs` is stopped. `toolOutputChars` sets the limit of individual tools and overrides their own.
 */
export type ToolLimits = OutputLimits & {
  readonly most: number;
  readonly timeoutMs: number;
  readonly toolOutputChars: Readonly<Record<string, number>>;
};

/** Receives errors that can only be faults of this program. */
export type OnFault = FaultLog['onFault'];

/** Limits and side effects for the result of a call. */
export interface ToolEffects extends FaultLog {
  readonly limits: ToolLimits;
  /** Stores an image of a result in the call's session. */
  readonly keepFile: KeepFile;
}

/** The stored result of a tool call. */
export type ToolResult = Extract<NewPart, { type: 'tool-result' }>;

/** Maximum characters of an error text. A choice, not measured. */
const MAX_ERROR_CHARS = 4_000;

/** A model that copies from its own pruned calls would overwrite the real text with the excerpt. */
const HOLDS_EXCERPT =
  'The input holds an excerpt ("[... cut. recall_output id: prt_...]"). Read the whole text with recall_output and send that.';

const NO_JSON = 'Invalid input: this is no JSON. Write it again, whole and with its quotes escaped.';

/**
 * Runs one call. Every outcome becomes a result that the model reads: a tool's error never ends the turn. Stops waiting
 * when the time limit is over or the context's signal aborts; the result then contains the message of the signal's
 * reason.
 */
export async function runToolCall(
  call: PendingCall,
  toolbox: Toolbox,
  context: ToolContext,
  effects: ToolEffects,
): Promise<ToolResult> {
  return (await runCall(call, toolbox, context, effects)).result;
}

/** Like `runToolCall`, with the error of ours that the tool threw; null: it threw none. */
export async function runCall(
  call: PendingCall,
  toolbox: Toolbox,
  context: ToolContext,
  { limits, keepFile, onFault }: ToolEffects,
): Promise<{ readonly result: ToolResult; readonly error: ThroughlineError | null }> {
  const startedAt = performance.now();
  // The model may write any name; only names of existing tools are traced.
  const tool = toolbox.find(call.toolName)?.name ?? 'unknown';
  const {
    output,
    truncated,
    error = null,
  } = await inSpan('tool call', { 'gen_ai.tool.name': tool }, async (add) => {
    const executed = await execute(call, toolbox, context, { limits, keepFile, onFault });
    add({ 'throughline.tool.outcome': executed.output.type.startsWith('error') ? 'error' : 'completed' });
    return executed;
  });
  const durationMs = Math.round(performance.now() - startedAt);
  return { result: toolResult(call, output, { durationMs, ...(truncated && { truncated }) }), error };
}

/** The result of a call that does not run. */
export function refusedCall(call: PendingCall, why: string): ToolResult {
  return toolResult(call, { type: 'error-text', value: why });
}

function toolResult(
  { toolCallId, toolName }: PendingCall,
  output: ToolOutput,
  facts: { durationMs?: number; truncated?: boolean } = {},
): ToolResult {
  const state = output.type.startsWith('error') ? 'error' : 'completed';
  return withTokens({ type: 'tool-result', state, content: { toolCallId, toolName, output, ...facts } });
}

async function execute(
  call: PendingCall,
  toolbox: Toolbox,
  context: ToolContext,
  { limits, keepFile, onFault }: ToolEffects,
): Promise<{ output: ToolOutput; truncated: boolean; error?: ThroughlineError }> {
  if (call.decision?.approved === false) return { output: denied(call.decision.reason), truncated: false };
  const tool = toolbox.find(call.toolName);
  if (!tool) return failure(noSuchTool(call.toolName, toolbox.tools));
  if (call.refusal !== undefined) return failure(call.refusal);
  if (call.error !== undefined && typeof call.input === 'string') return failure(NO_JSON);
  const problem = inputProblem(tool, call.input);
  if (problem !== null) return failure(problem);
  if (call.error !== undefined) return failure(call.error);
  if (holdsExcerpt(call.input)) return failure(HOLDS_EXCERPT);
  const input = tool.input.parse(call.input);
  try {
    const value = await withinTime(limits.timeoutMs, timeoutText(limits.timeoutMs), context.signal, (signal) =>
      unlessAborted(signal, () => tool.execute(input, { ...context, signal })),
    );
    return truncateOutput(await sanitizeToolResult(value, tool.name, keepFile), limitsOf(tool, limits));
  } catch (error) {
    if (error instanceof ThroughlineError) return { ...failure(error.message), error };
    onFault(`The tool ${tool.name} failed`, error);
    return failure('The tool failed for an internal reason. Check the current state before repeating it.');
  }
}

/**
 * Stops waiting when the signal aborts, even if the work ignores the signal.
 * @throws ToolError with the message of the signal's reason, regardless of the outcome of the work
 */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    signal.throwIfAborted();
    return await orAborted(work(), signal);
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
  return {
    ...limits,
    maxChars: Math.min(limits.toolOutputChars[tool.name] ?? tool.maxOutputChars ?? limits.maxChars, limits.most),
  };
}

/**
 * The result for an error. The message is limited because it may contain the output of a tool: the page of a failed
 * server, the names of all tools.
 */
function failure(message: string): { output: ToolOutput; truncated: boolean } {
  const limits = { maxChars: MAX_ERROR_CHARS, maxLines: Infinity, maxLineLength: Infinity, maxMatches: Infinity };
  return truncateOutput({ type: 'error-text', value: visibleText(message) }, limits);
}

/** Ends every output that was cut at its source. */
const TRUNCATION_NOTE = '\n\n[Output truncated - exceeded maximum length]';

/** Limits of one tool output; a longer one is cut. */
export interface OutputLimits {
  /** Maximum characters of the whole output. */
  readonly maxChars: number;
  /** Maximum lines of a text. */
  readonly maxLines: number;
  /** Maximum characters of one line of a text. */
  readonly maxLineLength: number;
  /** Maximum items of a list, anywhere in a JSON output. */
  readonly maxMatches: number;
}

/**
 * A tool's output within the limits: unchanged if it fits, else cut, with a note for the model. Lists lose their last
 * items; cut JSON becomes text. Images are not counted.
 */
export function truncateOutput(output: ToolOutput, limits: OutputLimits): { output: ToolOutput; truncated: boolean } {
  switch (output.type) {
    case 'text':
    case 'error-text': {
      const value = cutText(output.value, limits);
      return { output: { type: output.type, value }, truncated: value !== output.value };
    }
    case 'json':
    case 'error-json':
      return cutJson(output, limits);
    case 'content':
      return cutPieces(output.value, limits);
    case 'execution-denied':
      return { output, truncated: false };
  }
}

/** Cuts a text that is too long. */
function cutText(whole: string, limits: OutputLimits): string {
  const text = cutLines(whole, limits);
  return text !== whole || text.length > limits.maxChars ? withNote(text, limits.maxChars) : whole;
}

function cutJson(output: Extract<ToolOutput, { type: 'json' | 'error-json' }>, limits: OutputLimits) {
  const json = cutLists(output.value, limits.maxMatches);
  const text = JSON.stringify(json);
  if (json === output.value && text.length <= limits.maxChars) return { output, truncated: false };
  const type = output.type === 'json' ? 'text' : 'error-text';
  return { output: { type, value: withNote(text, limits.maxChars) } as const, truncated: true };
}

/** Cuts texts to the limit for all of them together; images are kept. */
function cutPieces(pieces: Extract<ToolOutput, { type: 'content' }>['value'], limits: OutputLimits) {
  let { maxChars } = limits;
  let truncated = false;
  const value = pieces.flatMap((piece) => {
    if (typeof piece['text'] !== 'string') return [piece];
    // JSON that accompanies an image is one line of any length.
    const lines = /^[[{]/.test(piece['text']) ? { maxLineLength: maxChars } : {};
    const text = maxChars > 0 ? cutText(piece['text'], { ...limits, ...lines, maxChars }) : '';
    truncated ||= text !== piece['text'];
    maxChars -= text.length;
    return text === '' ? [] : [{ ...piece, text }];
  });
  return { output: { type: 'content', value } as const, truncated };
}

function withNote(text: string, maxChars: number): string {
  return stretch(text, 0, Math.max(0, maxChars - TRUNCATION_NOTE.length)) + TRUNCATION_NOTE;
}

function cutLines(text: string, { maxLines, maxLineLength }: OutputLimits): string {
  const lines = text.split('\n');
  if (lines.length <= maxLines && lines.every((line) => line.length <= maxLineLength)) return text;
  return lines
    .slice(0, maxLines)
    .map((line) => (line.length <= maxLineLength ? line : stretch(line, 0, maxLineLength)))
    .join('\n');
}

/** Cuts lists that are too long. */
function cutLists(value: JsonValue, maxItems: number): JsonValue {
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => cutLists(item, maxItems));
    return items.length === value.length && items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, cutLists(item, maxItems)] as const);
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
}

/**
 * Runs work whose signal aborts with `outer`, or after `ms` milliseconds with a TimeoutError with this `message`. Waits
 * for the work in any case.
 */
export async function withinTime<T>(
  ms: number,
  message: string,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(new DOMException(message, 'TimeoutError')), ms);
  try {
    return await work(AbortSignal.any([outer, time.signal]));
  } finally {
    clearTimeout(timer);
  }
}

const UNITS = [
  { unit: 'hour', ms: 3_600_000, from: 2 },
  { unit: 'minute', ms: 60_000, from: 1 },
  { unit: 'second', ms: 1_000, from: 0 },
] as const;

/** A duration, rounded up: `90 seconds` is `2 minutes`. */
export function durationText(ms: number): ServerText {
  const { unit, ms: one } = UNITS.find(({ ms: each, from }) => ms >= each * from) ?? UNITS[2];
  const count = Math.max(1, Math.ceil(Math.round((ms / one) * 10) / 10));
  return serverText('duration', { count, unit });
}

/**
 * A decided call without the fields that its tool accepted when the user was asked and no longer accepts: an older
 * version ignored them, and the effect shown to the user does not contain them.
 */
export function applyDecision(call: PendingCall, toolbox: Toolbox): PendingCall {
  const tool = toolbox.find(call.toolName);
  return tool ? { ...call, input: withoutUnknown(tool, call.input) } : call;
}

/** A call with normalized input; see `correctToolInput`. */
export function normalizeToolInput(call: PendingCall, toolbox: Toolbox): PendingCall {
  const tool = toolbox.find(call.toolName);
  const input = tool ? correctToolInput(tool, call.input) : call.input;
  if (!tool || input === call.input) return call;
  // A call of a tool that is not loaded keeps its error.
  return { ...call, input, error: toolbox.tools.includes(tool) ? undefined : call.error };
}

/**
 * Handles a call of a tool that is not loaded; other calls are returned unchanged. One of our own tools runs without
 * being loaded if its input is valid, so that no other tool has to be removed for it. Otherwise the tool is loaded
 * first; the call then runs, or returns the schema that its input must match.
 * @param load returns the names of the removed tools; throws ToolError for a tool that cannot be loaded
 */
export async function loadCalledTool(
  call: PendingCall,
  toolbox: Toolbox,
  load: (name: string) => Promise<readonly string[]>,
): Promise<PendingCall> {
  const tool = toolbox.find(call.toolName);
  if (call.error === undefined || !tool || toolbox.tools.includes(tool)) return call;
  const { inputSchema } = defineForModel(tool);
  const isRight = tool.input.safeParse(call.input).success && hasFieldsOf(inputSchema, call.input);
  if (isRight && !tool.name.includes(TOOL_NAME_SEPARATOR)) return { ...call, error: undefined };
  let putAway: readonly string[];
  try {
    putAway = await load(tool.name);
  } catch (error) {
    if (error instanceof ThroughlineError) return { ...call, error: error.message };
    throw error;
  }
  if (isRight) return { ...call, error: undefined };
  const schema = JSON.stringify(inputSchema);
  const room = putAway.length === 0 ? '' : ` Put away for it: ${putAway.join(', ')}; load it again when you need it.`;
  const refusal = `${tool.name} ${TOOL_NOT_LOADED} It is loaded now: call it with an input of this schema: ${schema}${room}`;
  // Takes precedence over errors of the input, which was written without the schema.
  return { ...call, error: refusal, refusal };
}

const fieldsSchema = z.object({
  properties: z.record(z.string(), z.unknown()).catch({}),
  required: z.array(z.string()).catch([]),
});

/**
 * Returns whether an input that was written without its schema has the required fields of the schema and no unknown
 * ones.
 */
function hasFieldsOf(schema: ToolInputSchema, input: JsonValue): boolean {
  const { properties, required } = fieldsSchema.parse(schema);
  const written = Object.keys(typeof input === 'object' && input !== null ? input : {});
  return (
    written.every((field) => Object.hasOwn(properties, field)) && required.every((field) => written.includes(field))
  );
}
