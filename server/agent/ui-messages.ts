import type { UIMessage } from 'ai';
import type { CompactionRecord } from '#server/core/compactions';
import type { CompactionComplete, ThroughlineDataParts } from '#server/core/events';
import type { Message } from '#server/core/messages';
import type { ToolResultPart } from '#server/core/parts';
import { pairToolResults } from '#server/context/pair-tool-results';
import { NOTE_LABEL } from '#server/context/view';
import { toolOutputText } from '#server/core/part-text';

/** What the browser knows of a message beside its parts. */
export interface MessageMetadata {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly status: Message['status'];
  readonly modelId?: string;
  readonly error?: string;
}

export type ThroughlineUIMessage = UIMessage<MessageMetadata, ThroughlineDataParts>;
type UIPart = ThroughlineUIMessage['parts'][number];

interface Draft {
  id: string;
  role: 'user' | 'assistant';
  metadata: MessageMetadata;
  parts: UIPart[];
  /** Starts with a summary; takes the id of the first answer. */
  awaitsId?: boolean;
}

/**
 * Stored messages as the chat shows them: all steps of a turn fold into one assistant message, as the live stream
 * did; a compaction is a line in its place, a note of the engine is not shown at all. Cleared outputs are shown in full: pruning only concerns the model.
 * @param messages in order, summaries included
 */
export function toUIMessages(
  messages: readonly Message[],
  compactions: readonly CompactionRecord[],
): ThroughlineUIMessage[] {
  const results = pairToolResults(messages);
  const bySummary = new Map(compactions.map((compaction) => [compaction.summaryMessageId, compaction]));
  const drafts: Draft[] = [];
  for (const message of messages) {
    if (message.role === 'tool' || isNote(message)) continue;
    if (message.role === 'user') {
      drafts.push({ id: message.id, role: 'user', metadata: metadataOf(message), parts: userParts(message) });
      continue;
    }
    const parts = message.isSummary ? compactionParts(bySummary.get(message.id)) : assistantParts(message, results);
    const open = drafts.at(-1);
    if (open?.role === 'assistant') extend(open, message, parts);
    else drafts.push(startAnswer(message, parts));
  }
  return drafts
    .filter((draft) => draft.parts.length > 0 || draft.metadata.error)
    .map(({ awaitsId: _, ...rest }) => rest);
}

/** Written by the engine in the user's role: within an answer, unlike what a user writes, whatever its words. */
function isNote({ role, parentId, parts: [first] }: Message): boolean {
  return role === 'user' && parentId !== null && first?.type === 'text' && first.content.text.startsWith(NOTE_LABEL);
}

function startAnswer(message: Message, parts: UIPart[]): Draft {
  return { id: message.id, role: 'assistant', metadata: metadataOf(message), parts, awaitsId: message.isSummary };
}

function extend(open: Draft, message: Message, parts: UIPart[]): void {
  for (const part of parts) open.parts.push(part);
  if (message.isSummary) return;
  if (open.awaitsId) open.id = message.id;
  open.awaitsId = false;
  open.metadata = { ...metadataOf(message), createdAt: open.metadata.createdAt };
}

function metadataOf(message: Message): MessageMetadata {
  const { createdAt, status, modelId, error } = message;
  return { createdAt, status, ...(modelId !== null && { modelId }), ...(error !== null && { error }) };
}

function userParts(message: Message): UIPart[] {
  return message.parts.flatMap((part): UIPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.content.text }];
    if (part.type !== 'file') return [];
    const { mediaType, url, filename } = part.content;
    return [{ type: 'file', mediaType, url, ...(filename !== undefined && { filename }) }];
  });
}

function assistantParts(message: Message, results: ReadonlyMap<string, ToolResultPart>): UIPart[] {
  const parts = message.parts.flatMap((part): UIPart[] => {
    if (part.type === 'text' || part.type === 'reasoning') {
      return part.content.text === '' ? [] : [{ type: part.type, text: part.content.text, state: 'done' }];
    }
    if (part.type !== 'tool-call') return [];
    const { toolCallId, toolName, input } = part.content;
    const common = { type: `tool-${toolName}` as const, toolCallId, input };
    const result = results.get(part.id);
    if (!result) {
      const isOpen = message.status === 'streaming' || part.state === 'running' || part.state === 'pending';
      return [
        isOpen ? { ...common, state: 'input-available' } : { ...common, state: 'output-error', errorText: UNFINISHED },
      ];
    }
    const { output } = result.content;
    if (output.type === 'text' || output.type === 'json' || output.type === 'content') {
      return [{ ...common, state: 'output-available', output: output.value }];
    }
    return [{ ...common, state: 'output-error', errorText: toolOutputText(output) }];
  });
  return parts.length === 0 ? [] : [{ type: 'step-start' }, ...parts];
}

const UNFINISHED = 'Interrupted before a result was recorded.';

function compactionParts(record: CompactionRecord | undefined): UIPart[] {
  if (!record || record.status !== 'completed') return [];
  const data: CompactionComplete = {
    phase: 'complete',
    tokensBefore: record.tokensBefore,
    tokensAfter: record.tokensAfter,
    messagesCompacted: record.messagesCompacted,
    wasPruned: false,
    wasSummarized: record.modelId !== null,
    round: record.round,
    compactionId: record.id,
    strategy: record.strategy,
    durationMs: record.durationMs,
  };
  return [{ type: 'data-compaction', id: record.id, data }];
}
