import type { ChatPart } from '#lib/chat-message';

export type ToolState =
  | 'running'
  /** For the user's word: it has not been run. */
  | 'waiting'
  /** By the user; others of its turn still wait. */
  | 'approved'
  | 'denied'
  | 'done'
  | 'error';

/** One tool call as the interface sees it, whatever shape the stream gave it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly state: ToolState;
  /** Still being written while `running`: any field may be missing or cut. */
  readonly input: unknown;
  readonly output: unknown;
  readonly error: string | null;
  /** Why it was denied, if somebody said so. */
  readonly reason: string | null;
}

const outputTypes = new Set(['json', 'text', 'content', 'error-json', 'error-text']);

/** A field of a value that may be anything. */
export function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** A non-empty string field of a value that may be anything. */
export function textField(value: unknown, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = field(value, key);
    if (typeof found === 'string' && found.trim() !== '') return found.trim();
  }
  return undefined;
}

/** Outputs travel bare or wrapped as `{type, value}`; JSON may arrive as its text. */
export function unwrapOutput(output: unknown): unknown {
  const type = field(output, 'type');
  const inner =
    typeof type === 'string' && outputTypes.has(type) && 'value' in Object(output) ? field(output, 'value') : output;
  if (typeof inner !== 'string' || !/^\s*[[{]/.test(inner)) return inner;
  try {
    return JSON.parse(inner) as unknown;
  } catch {
    return inner;
  }
}

const states: Readonly<Record<string, ToolState>> = {
  'approval-requested': 'waiting',
  'output-available': 'done',
  'output-error': 'error',
  'output-denied': 'denied',
};

function stateOf(state: string, approval: unknown): ToolState {
  if (state === 'approval-responded') return field(approval, 'approved') === true ? 'approved' : 'denied';
  return states[state] ?? 'running';
}

/** The tool call a part stands for, or null when it is another kind of part. */
export function toolCallOf(part: ChatPart): ToolCall | null {
  if (!('toolCallId' in part) || !('state' in part)) return null;
  const output = 'output' in part ? unwrapOutput(part.output) : undefined;
  const failedOutput = textField('output' in part ? part.output : undefined, 'type')?.startsWith('error-') ?? false;
  const approval = 'approval' in part ? part.approval : undefined;
  const errorText = 'errorText' in part && part.errorText !== undefined ? part.errorText : null;
  return {
    id: part.toolCallId,
    name: part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length),
    state: failedOutput ? 'error' : stateOf(part.state, approval),
    input: 'input' in part ? part.input : undefined,
    output,
    error: errorText ?? (failedOutput ? (typeof output === 'string' ? output : JSON.stringify(output)) : null),
    reason: textField(approval, 'reason') ?? null,
  };
}
