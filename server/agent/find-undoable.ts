import type { ContentBackend } from '#server/content/content-backend';
import type { CompactionRecord } from '#server/core/compactions';
import { PRUNE_STRATEGY } from '#server/core/engine-words';
import type { Undoable } from '#server/core/site-lists';

interface UndoableSources {
  readonly content: Pick<ContentBackend, 'newestStanding'>;
  readonly compactions: {
    /** The newest first. */
    list(sessionId: string, query: { most: number; status: 'completed' }): Promise<CompactionRecord[]>;
  };
}

const number = new Intl.NumberFormat('en-US');
const counted = (count: number, noun: string) => `${number.format(count)} ${noun}${count === 1 ? '' : 's'}`;

function summaryOf({
  strategy,
  prunedPartIds,
  messagesCompacted,
  tokensBefore,
  tokensAfter,
}: CompactionRecord): string {
  const tokens = `${number.format(tokensBefore)} → ${number.format(tokensAfter)} tokens`;
  return strategy === PRUNE_STRATEGY
    ? `Cleared ${counted(prunedPartIds.length, 'old result')} (${tokens})`
    : `Summarized ${counted(messagesCompacted, 'message')} (${tokens})`;
}

/**
 * Finds what an undo in this session takes back: its newest active change to the site, or its newest active compaction
 * or prune, whichever is later. Null when there is neither. A newest compaction has nothing built on it, so it can be
 * undone.
 */
export async function findUndoable(sources: UndoableSources, sessionId: string): Promise<Undoable | null> {
  const change = await sources.content.newestStanding(sessionId);
  const [record] = await sources.compactions.list(sessionId, { most: 1, status: 'completed' });
  if (record && (change === null || record.createdAt >= change.createdAt)) {
    const kind = record.strategy === PRUNE_STRATEGY ? 'prune' : 'compaction';
    return { kind, id: record.id, summary: summaryOf(record), createdAt: record.createdAt };
  }
  if (change === null) return null;
  return { kind: 'change', id: change.id, summary: change.summary, createdAt: change.createdAt };
}
