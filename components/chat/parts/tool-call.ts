import type { ChatPart } from '#components/api/chat-message.ts';
import type { CodedMessage } from '#server/core/coded-message';
import { isCodedMessage } from '#server/core/message-data';
import type { ToolEffect } from '#server/core/conversation/tool-effect';

/** A file in the output of a tool, as the chat shows it. */
export interface FileBlock {
  readonly url: string;
  readonly mediaType: string;
  readonly filename: string | undefined;
  /** Pixels of an image, if known. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** State of a tool call in the chat. */
export type ToolState =
  | 'running'
  /** Waiting for approval, not run. */
  | 'waiting'
  /** Approved by the user; other calls of the turn still wait. */
  | 'approved'
  | 'denied'
  | 'done'
  | 'error';

/** A tool call as the interface shows it, independent of the form in which it arrived. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly state: ToolState;
  /** The model is still writing the input. */
  readonly isWriting: boolean;
  /** Incomplete while `isWriting`: any field may be missing or cut. */
  readonly input: unknown;
  /** Output without images. */
  readonly output: unknown;
  /** Images of the output that are stored as attachments. */
  readonly images: readonly FileBlock[];
  readonly error: string | null;
  /** Reason for the denial, if one was given. */
  readonly reason: string | null;
  /** Id of its approval, which a decision names; null if it needed none. */
  readonly approvalId: string | null;
  /** Effect of a waiting call; null: unknown. */
  readonly effect: ToolEffect | null;
  /** Milliseconds it took; null while unknown. */
  readonly durationMs: number | null;
  /** Part of the output the model no longer sees; null: none. */
  readonly cleared: 'whole' | 'excerpt' | null;
  /** Summary of what it changed; null: it has none. */
  readonly summary: CodedMessage | null;
}

const outputTypes = new Set(['json', 'text', 'content', 'error-json', 'error-text']);

/** A field of a value of unknown type. */
export function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** A non-empty string field of a value of unknown type. */
export function textField(value: unknown, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = field(value, key);
    if (typeof found === 'string' && found.trim() !== '') return found.trim();
  }
  return undefined;
}

/** Unwraps an output of the form `{type, value}`; JSON may arrive as its text. Of several pieces, returns the texts. */
export function unwrapOutput(output: unknown): unknown {
  const type = field(output, 'type');
  const pieces = piecesOf(output);
  if (pieces) {
    const texts = pieces
      .filter((piece) => imageOf(piece) === null)
      .map((piece) => unwrapText(field(piece, 'text') ?? piece));
    return texts.length > 1 ? texts : texts[0];
  }
  const inner =
    typeof type === 'string' && outputTypes.has(type) && 'value' in Object(output) ? field(output, 'value') : output;
  return unwrapText(inner);
}

function unwrapText(inner: unknown): unknown {
  if (typeof inner !== 'string' || !/^\s*[[{]/.test(inner)) return inner;
  try {
    return JSON.parse(inner) as unknown;
  } catch {
    return inner;
  }
}

function piecesOf(output: unknown): readonly unknown[] | null {
  const value = field(output, 'type') === 'content' ? field(output, 'value') : null;
  return Array.isArray(value) ? value : null;
}

function imagesOf(output: unknown): FileBlock[] {
  return (piecesOf(output) ?? []).flatMap((piece) => imageOf(piece) ?? []);
}

/** Only for stored attachments: a tool result must not make the browser load an address. */
function imageOf(piece: unknown): FileBlock | null {
  const [url, mediaType] = [textField(piece, 'url'), textField(piece, 'mediaType')];
  if (!url?.startsWith('/api/attachments/') || !mediaType?.startsWith('image/')) return null;
  const size = (key: string) => {
    const pixels = field(piece, key);
    return typeof pixels === 'number' ? pixels : undefined;
  };
  return { url, mediaType, filename: textField(piece, 'filename'), width: size('width'), height: size('height') };
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

/** The tool call of a part, or null for another kind of part. */
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
    isWriting: part.state === 'input-streaming',
    input: 'input' in part ? part.input : undefined,
    output,
    images: 'output' in part ? imagesOf(part.output) : [],
    error: errorText ?? (failedOutput ? (typeof output === 'string' ? output : JSON.stringify(output)) : null),
    reason: textField(approval, 'reason') ?? null,
    approvalId: textField(approval, 'id') ?? null,
    effect: effectOf(field(approval, 'descriptor')),
    ...factsOf('resultProviderMetadata' in part ? part.resultProviderMetadata?.['throughline'] : undefined),
  };
}

function effectOf(descriptor: unknown): ToolEffect | null {
  const lists = ['targets', 'changes', 'references', 'warnings'].map((key) => field(descriptor, key));
  return typeof field(descriptor, 'summary') === 'string' && lists.every(Array.isArray)
    ? (descriptor as ToolEffect)
    : null;
}

function factsOf(facts: unknown): Pick<ToolCall, 'durationMs' | 'cleared' | 'summary'> {
  const [durationMs, cleared, summary] = ['durationMs', 'cleared', 'summary'].map((name) => field(facts, name));
  return {
    durationMs: typeof durationMs === 'number' ? durationMs : null,
    cleared: cleared === 'whole' || cleared === 'excerpt' ? cleared : null,
    summary: isCodedMessage(summary) ? summary : null,
  };
}
