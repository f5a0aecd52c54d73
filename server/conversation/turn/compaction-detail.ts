import { readSummary } from '#server/context/compose-summary';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { ClearedOutput, CompactionDetail, KeptMessage } from '#server/core/conversation/context-report';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import { NotFoundError } from '#server/core/errors';
import type { Message } from '#server/core/conversation/messages';
import { partText } from '#server/core/conversation/part-text';
import { oneLine } from '#server/core/text/short-text';

/** Source of a session's messages and compactions. */
export interface CompactionSource {
  readonly messages: { loadFrom(sessionId: string, seq: number): Promise<Message[]> };
  readonly compactions: {
    list(sessionId: string): Promise<CompactionRecord[]>;
    isCompacting(sessionId: string): Promise<boolean>;
  };
}

/** Maximum length of a kept message's preview; characters. */
const PREVIEW_CHARS = 160;

/** One compaction or prune with all data that it created and kept. @throws NotFoundError */
export async function readCompactionDetail(
  { messages, compactions }: CompactionSource,
  sessionId: string,
  compactionId: string,
): Promise<CompactionDetail> {
  const records = await compactions.list(sessionId);
  const compaction = records.find(({ id }) => id === compactionId);
  if (!compaction) throw new NotFoundError('compaction', compactionId);
  const stored = await messages.loadFrom(sessionId, 0);
  const isFree = !(await compactions.isCompacting(sessionId));
  return {
    compaction,
    summary: summaryOf(compaction, stored),
    kept: keptBy(compaction, stored),
    cleared: clearedBy(compaction, stored),
    canUndo: isFree && stands(compaction, records),
  };
}

/**
 * Returns whether a record is active. Of summaries only the newest is active, because it includes the others. @param
 * records newest first
 */
function stands({ id, status, strategy }: CompactionRecord, records: readonly CompactionRecord[]): boolean {
  if (status !== 'completed' || strategy === PRUNE_STRATEGY) return status === 'completed';
  return records.find((other) => other.status === 'completed' && other.strategy !== PRUNE_STRATEGY)?.id === id;
}

function summaryOf({ summaryMessageId }: CompactionRecord, stored: readonly Message[]): CompactionDetail['summary'] {
  const message = stored.find(({ id }) => id === summaryMessageId);
  const marker = message?.parts.find((part) => part.type === 'compaction-marker');
  if (!message || !marker) return null;
  const { summary: text } = marker.content;
  const before = stored.filter(
    ({ seq, isSummary, supersededBy }) => seq < message.seq && !isSummary && supersededBy === null,
  );
  return { text, ...readSummary(text, before) };
}

/** In the order of the conversation. */
function keptBy(record: CompactionRecord, stored: readonly Message[]): KeptMessage[] {
  const summary = stored.find(({ id }) => id === record.summaryMessageId);
  if (!summary) return [];
  const apart = new Set([...record.keptBeforeSummary, ...record.keptAfterSummary]);
  const from = stored.find(({ id }) => id === record.firstKeptMessageId)?.seq ?? Infinity;
  return stored
    .filter(({ id, seq, isSummary }) => !isSummary && seq < summary.seq && (seq >= from || apart.has(id)))
    .map(({ id, role, parts }) => ({
      messageId: id,
      role,
      preview: oneLine(parts.map(partText).filter(Boolean).join(' '), PREVIEW_CHARS),
    }));
}

function clearedBy({ prunedPartIds }: CompactionRecord, stored: readonly Message[]): ClearedOutput[] {
  const pruned = new Set(prunedPartIds);
  return stored
    .flatMap(({ parts }) => parts)
    .filter((part) => part.type === 'tool-result' || part.type === 'tool-call' || part.type === 'file')
    .filter(({ id }) => pruned.has(id))
    .map(({ id, content, tokens, originalTokens }) => ({
      partId: id,
      toolName: 'toolName' in content ? content.toolName : (content.filename ?? content.mediaType),
      tokens: originalTokens ?? tokens ?? 0,
    }));
}
