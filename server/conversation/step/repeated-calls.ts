import { createHash } from 'node:crypto';
import type { PendingCall, ToolResult } from '#server/conversation/step/run-tool-call';
import { withTokens } from '#server/context/part-tokens';
import { type ToolOutput, toolOutputText } from '#server/core/conversation/part-types/tool-output';
import { oneLine } from '#server/core/text/short-text';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

/**
 * Number of steps with the same call and result after which the model gets a note. A second call is often intended. A
 * choice, not measured.
 */
const TOLD_AT = 3;
/**
 * Number of such steps after which the turn ends, if a step makes no other call: the model ignored the note. A choice,
 * not measured.
 */
const ENDS_AT = 6;

interface Repeated {
  readonly toolName: string;
  readonly result: string;
  /** Number of steps of the turn in which the call had this result. */
  readonly steps: number;
}

/** Detects calls that a turn repeats with the same input and the same result, even with other calls in between. */
export class RepeatedCalls {
  readonly #calls = new Map<string, Repeated>();
  /** Calls of the running step. */
  readonly #step = new Map<string, Repeated>();

  /** Counts a result. @returns the result, from the third time on with a note about the repetition */
  add({ toolName, input }: PendingCall, result: ToolResult): ToolResult {
    const call = hashOf([toolName, input]);
    const hash = hashOf(result.content.output);
    const before = this.#calls.get(call);
    const steps = (before?.result === hash ? before.steps : 0) + 1;
    this.#step.set(call, { toolName, result: hash, steps });
    if (steps < TOLD_AT) return result;
    return withTokens({
      ...result,
      content: { ...result.content, output: withNote(result.content.output, again(steps, result.content.output)) },
    });
  }

  /** Call it when all results of a step are available. @returns the reason to end the turn; null: the turn continues */
  endStep(): ServerText | null {
    const calls = [...this.#step.values()];
    for (const [call, repeated] of this.#step) this.#calls.set(call, repeated);
    this.#step.clear();
    return calls.length > 0 && calls.every(({ steps }) => steps >= ENDS_AT)
      ? serverText('turn-stuck', { tools: namesOf(calls), count: ENDS_AT })
      : null;
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex');
}

function namesOf(calls: readonly Repeated[]): string {
  return [...new Set(calls.map(({ toolName }) => toolName))].join(', ');
}

/** Maximum characters of the result that the note quotes. A choice, not measured. */
const RESULT_CHARS = 120;

function again(times: number, output: ToolOutput): string {
  const had = oneLine(toolOutputText(output), RESULT_CHARS);
  const hasFailed = output.type !== 'json' && output.type !== 'text' && output.type !== 'content';
  const next = hasFailed
    ? 'It will fail again: change the input as the result says, take another tool, or tell the user what does not work'
    : 'It will not change: answer from this result, ask for something else, or tell the user what is missing';
  return `This same call was made ${times} times, with the same result each time: ${had} ${next}.`;
}

/** The output with a note at its end; an object stays an object. */
export function withNote(output: ToolOutput, note: string): ToolOutput {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { ...output, value: `${output.value}\n\n[${note}]` };
    case 'json':
    case 'error-json': {
      const { value } = output;
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return { ...output, value: { ...value, note } };
      return { type: output.type === 'json' ? 'text' : 'error-text', value: `${JSON.stringify(value)}\n\n[${note}]` };
    }
    case 'content':
      return { ...output, value: [...output.value, { type: 'text', text: `[${note}]` }] };
    case 'execution-denied':
      return { ...output, reason: `${toolOutputText(output)}\n\n[${note}]` };
  }
}

/**
 * Markup with which models begin a call; a server that knows the model converts it to a call, others pass it on as
 * text.
 */
const OPENINGS = [
  '<tool_call>',
  '<tool_calls>',
  '<tool_use>',
  '<function_call>',
  '<function_calls>',
  '<function=',
  '<invoke ',
  '[TOOL_CALLS]',
  '<|tool_call',
  '<|python_tag|>',
  '<|channel|>commentary to=functions.',
  '<｜tool▁calls▁begin｜>',
];
/** `"name": "x"`, `name="x"`, `<function=x>`, `functions.x`, `x(` after the markup. */
const NAMES = /(?:["']?(?:name|function)["']?\s{0,5}[:=]\s{0,5}["']?|functions\.|sep｜>|^\s{0,5})([\w-]{1,100})/g;
/** End of a call's markup. */
const CLOSED = /[>}\])]$/;
/** A whole answer in a fenced code block. */
const FENCED = /^```\w{0,20}\n([\s\S]*?)\n?```$/;
/** A call in Python syntax: `[name(a="b")]`. */
const PYTHON = /^\[?([\w-]{1,100})\([\s\S]*\)\]?$/;
/** Longer answers are not calls; characters. A choice, not measured. */
const MOST_CHARS = 100_000;

/**
 * Name of the tool in an answer that is, or ends in, a call written as text; null for any other. Decided by form alone:
 * JSON or markup with the name of an offered tool.
 */
export function writtenCall(answer: string, isOffered: (name: string) => boolean): string | null {
  const text = answer.trim();
  if (text === '' || text.length > MOST_CHARS) return null;
  const whole = FENCED.exec(text)?.[1]?.trim() ?? text;
  const names = [...namesInJson(whole), ...namesInMarkup(text), ...(PYTHON.exec(whole)?.slice(1) ?? [])];
  return names.find(isOffered) ?? null;
}

function namesInJson(text: string): string[] {
  if (!/^[[{]/.test(text)) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    const calls: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    return calls.flatMap(namesOfCall);
  } catch {
    return [];
  }
}

/** Names in an object with a name and arguments, in any of the known notations for calls. */
function namesOfCall(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const call = value as Readonly<Record<string, unknown>>;
  if (Array.isArray(call['tool_calls'])) return call['tool_calls'].flatMap(namesOfCall);
  if (typeof call['function'] === 'object') return namesOfCall(call['function']);
  const name = [call['name'], call['tool'], call['tool_name'], call['function']].find(
    (each) => typeof each === 'string',
  );
  const hasInput = ['arguments', 'parameters', 'input', 'args', 'tool_input'].some((key) => key in call);
  return name !== undefined && hasInput ? [name] : [];
}

function namesInMarkup(text: string): string[] {
  const starts = OPENINGS.map((opening) => ({ opening, at: text.indexOf(opening) })).filter(({ at }) => at !== -1);
  const first = starts.toSorted((a, b) => a.at - b.at)[0];
  if (!first || !CLOSED.test(text)) return [];
  const opening =
    first.opening.endsWith('=') || first.opening.endsWith('.') ? first.at : first.at + first.opening.length;
  return [...text.slice(opening).matchAll(NAMES)].map(([, name = '']) => name);
}
