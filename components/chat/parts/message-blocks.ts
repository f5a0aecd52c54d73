import { type ChatPart, compactionOf, countOfPart, originalTexts } from '#components/api/chat-message.ts';
import type { CompactionData } from '#server/core/conversation/events';
import type { PartBody } from '#server/core/conversation/parts';
import { type FileBlock, type ToolCall, toolCallOf } from '#components/chat/parts/tool-call.ts';

interface Keyed {
  /** Stable while the message grows. */
  readonly key: string;
}

/** One message of the user, or several that were sent together. */
export interface UserWords {
  readonly text: string;
  /** The original messages, if several were joined. */
  readonly originals: readonly string[] | null;
  readonly files: readonly FileBlock[];
}

/** Visible piece of an answer; consecutive tool calls form one block. */
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
    | { readonly kind: 'part'; readonly part: PartBody }
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

/** @param messageCount number of joined messages, as the server reports it */
export function userWords(parts: readonly ChatPart[], messageCount: number | undefined): UserWords {
  const text = parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim();
  return { text, originals: originalTexts(text, messageCount), files: parts.flatMap(fileOf) };
}

/** True for a block of a user's message that `userWords` does not contain. */
export function isBesideWords({ kind }: MessageBlock): boolean {
  return kind !== 'text' && kind !== 'file';
}

/** A message that the user sent during the answer. */
function noteWords({ parts }: Extract<ChatPart, { type: 'steering-message' }>): UserWords {
  return userWords(parts, countOfPart(parts));
}

function toBlock(part: ChatPart, key: string): MessageBlock | null {
  const call = toolCallOf(part);
  // A message has one approval block, which keeps its key when its first call is decided.
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
    case 'data-part':
      return 'data' in part ? { key, kind: 'part', part: part.data as PartBody } : null;
    default:
      return null;
  }
}

/** Moves calls that wait for approval to the end of the message, so that they are shown and decided together. */
function waitingLast(parts: readonly ChatPart[]): [number, ChatPart][] {
  const isWaiting = ([, part]: [number, ChatPart]) => 'state' in part && part.state === 'approval-requested';
  const entries = [...parts.entries()];
  return [...entries.filter((entry) => !isWaiting(entry)), ...entries.filter(isWaiting)];
}

/** Converts the parts of a message into blocks; parts without content (step boundaries, empty text) are dropped. */
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
 * True if the end of an answer itself shows that work continues (streaming text, a running tool, a running compaction).
 */
export function showsProgress(parts: readonly ChatPart[]): boolean {
  const last = messageBlocks(parts).at(-1);
  if (!last) return false;
  if (last.kind === 'tools') return last.calls.some((call) => call.state === 'running');
  if (last.kind === 'compaction') return last.compaction.phase === 'start';
  return (last.kind === 'text' || last.kind === 'reasoning') && last.isOpen;
}
