import { compactionOf } from '#lib/chat-message';
import type { ChatPart } from '#lib/chat-message';
import { toolCallOf } from '#lib/tool-call';
import type { ToolCall } from '#lib/tool-call';
import type { CompactionData } from '#server/core/events';

interface Keyed {
  /** Stable while the message grows. */
  readonly key: string;
}

/** What an answer is made of, as it is shown: neighbouring tool calls belong together. */
export type MessageBlock = Keyed &
  (
    | { readonly kind: 'text'; readonly text: string; readonly isOpen: boolean }
    | { readonly kind: 'reasoning'; readonly text: string; readonly isOpen: boolean }
    | { readonly kind: 'tools'; readonly calls: readonly ToolCall[] }
    | { readonly kind: 'question'; readonly call: ToolCall }
    | { readonly kind: 'compaction'; readonly compaction: CompactionData }
    | { readonly kind: 'file'; readonly url: string; readonly mediaType: string; readonly filename: string | undefined }
    | { readonly kind: 'note'; readonly text: string }
  );

/** Text of a message that the user sent while the answer was being written. */
function noteText(part: Extract<ChatPart, { type: 'steering-message' }>): string {
  return part.parts.flatMap((inner) => (inner.type === 'text' ? [inner.text] : [])).join('\n\n');
}

function toBlock(part: ChatPart, key: string): MessageBlock | null {
  const call = toolCallOf(part);
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
    case 'file':
      return 'url' in part
        ? { key, kind: 'file', url: part.url, mediaType: part.mediaType, filename: part.filename }
        : null;
    case 'steering-message':
      return 'parts' in part ? { key, kind: 'note', text: noteText(part) } : null;
    default:
      return null;
  }
}

/** Turns the parts of a message into blocks; parts that show nothing (step boundaries, empty text) fall away. */
export function messageBlocks(parts: readonly ChatPart[]): MessageBlock[] {
  const blocks: MessageBlock[] = [];
  for (const [index, part] of parts.entries()) {
    const block = toBlock(part, String(index));
    const last = blocks.at(-1);
    if (!block) continue;
    if (block.kind === 'tools' && last?.kind === 'tools') {
      blocks[blocks.length - 1] = { ...last, calls: [...last.calls, ...block.calls] };
    } else {
      blocks.push(block);
    }
  }
  return blocks;
}

/** Whether the end of an answer shows by itself that work goes on (text arrives, a tool runs, a summary is made). */
export function showsProgress(parts: readonly ChatPart[]): boolean {
  const last = messageBlocks(parts).at(-1);
  if (!last) return false;
  if (last.kind === 'tools') return last.calls.some((call) => call.state === 'running');
  if (last.kind === 'compaction') return last.compaction.phase === 'start';
  return (last.kind === 'text' || last.kind === 'reasoning') && last.isOpen;
}
