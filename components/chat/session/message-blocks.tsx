import { type ChatPart, compactionOf, countOfPart, originalTexts } from '#components/api/chat-message';
import type { CompactionData } from '#server/core/events';
import type { ToolEffect } from '#server/core/tool-effect';

interface Keyed {
  /** Stable while the message grows. */
  readonly key: string;
}

export interface FileBlock {
  readonly url: string;
  readonly mediaType: string;
  readonly filename: string | undefined;
  /** Pixels of an image, where they are known. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** One message of the user, or several sent together. */
export interface UserWords {
  readonly text: string;
  /** The messages it was made of, where it is several in one. */
  readonly originals: readonly string[] | null;
  readonly files: readonly FileBlock[];
}

/** Visible piece of an answer; neighbouring tool calls form one block. */
export type MessageBlock = Keyed &
  (
    | { readonly kind: 'text'; readonly text: string; readonly isOpen: boolean }
    | { readonly kind: 'reasoning'; readonly text: string; readonly isOpen: boolean }
    | { readonly kind: 'tools'; readonly calls: readonly ToolCall[] }
    | { readonly kind: 'approval'; readonly calls: readonly ToolCall[] }
    | { readonly kind: 'question'; readonly call: ToolCall }
    | { readonly kind: 'compaction'; readonly compaction: CompactionData }
    | ({ readonly kind: 'file' } & FileBlock)
    | { readonly kind: 'note'; readonly words: UserWords }
  );

function fileOf(part: ChatPart): FileBlock[] {
  if (part.type !== 'file' || !('url' in part)) return [];
  const { width, height } = part.providerMetadata?.['throughline'] ?? {};
  return [
    {
      url: part.url,
      mediaType: part.mediaType,
      filename: part.filename,
      width: typeof width === 'number' ? width : undefined,
      height: typeof height === 'number' ? height : undefined,
    },
  ];
}

/** @param messageCount how many messages the server says these are */
export function userWords(parts: readonly ChatPart[], messageCount: number | undefined): UserWords {
  const text = parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim();
  return { text, originals: originalTexts(text, messageCount), files: parts.flatMap(fileOf) };
}

/** A message that the user sent while the answer was being written. */
function noteWords({ parts }: Extract<ChatPart, { type: 'steering-message' }>): UserWords {
  return userWords(parts, countOfPart(parts));
}

function toBlock(part: ChatPart, key: string): MessageBlock | null {
  const call = toolCallOf(part);
  // A message has one of these, and it stays the same one when its first call is decided.
  if (call?.state === 'waiting') return { key: 'approval', kind: 'approval', calls: [call] };
  if (call) return call.name === 'ask_user' ? { key, kind: 'question', call } : { key, kind: 'tools', calls: [call] };
  const compaction = compactionOf(part);
  if (compaction) return { key, kind: 'compaction', compaction };
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const text = 'text' in part ? part.text : '';
      const isOpen = 'state' in part && part.state === 'streaming';
      return text.trim() === '' ? null : { key, kind: part.type, text, isOpen };
    }
    case 'file': {
      const [file] = fileOf(part);
      return file ? { key, kind: 'file', ...file } : null;
    }
    case 'steering-message':
      return 'parts' in part ? { key, kind: 'note', words: noteWords(part) } : null;
    default:
      return null;
  }
}

/** Calls that wait for the user can be decided together, so they stand together, behind what their step has done. */
function waitingLast(parts: readonly ChatPart[]): [number, ChatPart][] {
  const isWaiting = ([, part]: [number, ChatPart]) => 'state' in part && part.state === 'approval-requested';
  const entries = [...parts.entries()];
  return [...entries.filter((entry) => !isWaiting(entry)), ...entries.filter(isWaiting)];
}

/** Turns the parts of a message into blocks; parts that show nothing (step boundaries, empty text) fall away. */
export function messageBlocks(parts: readonly ChatPart[]): MessageBlock[] {
  const blocks: MessageBlock[] = [];
  for (const [index, part] of waitingLast(parts)) {
    const block = toBlock(part, String(index));
    const last = blocks.at(-1);
    if (!block) continue;
    if (
      (block.kind === 'tools' && last?.kind === 'tools') ||
      (block.kind === 'approval' && last?.kind === 'approval')
    ) {
      blocks[blocks.length - 1] = { ...last, calls: [...last.calls, ...block.calls] };
    } else {
      blocks.push(block);
    }
  }
  return blocks;
}

/**
 * True if the end of an answer shows by itself that work continues (streaming text, a running tool, a running
 * compaction).
 */
export function showsProgress(parts: readonly ChatPart[]): boolean {
  const last = messageBlocks(parts).at(-1);
  if (!last) return false;
  if (last.kind === 'tools') return last.calls.some((call) => call.state === 'running');
  if (last.kind === 'compaction') return last.compaction.phase === 'start';
  return (last.kind === 'text' || last.kind === 'reasoning') && last.isOpen;
}

export type ToolState =
  | 'running'
  /** Waiting for approval, not run. */
  | 'waiting'
  /** Approved by the user; other calls of the turn still wait. */
  | 'approved'
  | 'denied'
  | 'done'
  | 'error';

/** A tool call as the interface shows it, in whatever form it arrived. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly state: ToolState;
  /** Still being written while `running`: any field may be missing or cut. */
  readonly input: unknown;
  /** Output without images. */
  readonly output: unknown;
  /** Images of the output that are stored as attachments. */
  readonly images: readonly FileBlock[];
  readonly error: string | null;
  /** Reason for the denial, if one was given. */
  readonly reason: string | null;
  /** Effect of a waiting call; null: unknown. */
  readonly effect: ToolEffect | null;
  /** Milliseconds it took; null while unknown. */
  readonly durationMs: number | null;
  /** Part of the output the model no longer sees; null: none. */
  readonly cleared: 'whole' | 'excerpt' | null;
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

/** Outputs travel bare or wrapped as `{type, value}`; JSON may arrive as its text. Of several pieces, the texts. */
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

/** Only stored attachments: a tool result must not make the browser load an address. */
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
    images: 'output' in part ? imagesOf(part.output) : [],
    error: errorText ?? (failedOutput ? (typeof output === 'string' ? output : JSON.stringify(output)) : null),
    reason: textField(approval, 'reason') ?? null,
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

function factsOf(facts: unknown): Pick<ToolCall, 'durationMs' | 'cleared'> {
  const [durationMs, cleared] = [field(facts, 'durationMs'), field(facts, 'cleared')];
  return {
    durationMs: typeof durationMs === 'number' ? durationMs : null,
    cleared: cleared === 'whole' || cleared === 'excerpt' ? cleared : null,
  };
}
