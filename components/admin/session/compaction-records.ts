import { translator } from '#components/i18n.ts';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';

const t = translator('admin.rounds');

/** True for a prune: it cleared tool outputs and wrote no summary. */
export function isPrune(record: Pick<CompactionRecord, 'strategy'>): boolean {
  return record.strategy === PRUNE_STRATEGY;
}

/** Name of a record: `Round 3`, `Prune`, `Attempt at round 4`. */
export function recordName(record: Pick<CompactionRecord, 'strategy' | 'status' | 'round'>): string {
  if (isPrune(record)) return t('prune');
  return record.status === 'failed' ? t('attempt', { round: record.round }) : t('round', { round: record.round });
}

/**
 * Reduction of the context in percent of the tokens before; below 0 if the context grew. Null for a failed compaction.
 */
export function gainPercent({
  status,
  tokensBefore,
  tokensAfter,
}: Pick<CompactionRecord, 'status' | 'tokensBefore' | 'tokensAfter'>): number | null {
  if (status === 'failed' || tokensBefore === 0) return null;
  return ((tokensBefore - tokensAfter) / tokensBefore) * 100;
}

/** Records from the newest to the oldest. */
export function newestFirst(records: readonly CompactionRecord[]): readonly CompactionRecord[] {
  return records.toSorted((a, b) => b.createdAt - a.createdAt || (b.id > a.id ? 1 : -1));
}

/** The newest active record, the one that an undo affects. */
export function newestActive(records: readonly CompactionRecord[]): CompactionRecord | null {
  return newestFirst(records).find((record) => record.status === 'completed') ?? null;
}
