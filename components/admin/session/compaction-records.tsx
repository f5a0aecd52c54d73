import { adminStrings } from '#components/admin/words';
import type { CompactionRecord } from '#server/core/compactions';
import { PRUNE_STRATEGY } from '#server/core/engine-words';

/** True if it cleared outputs and wrote no summary. */
export function isPrune(record: Pick<CompactionRecord, 'strategy'>): boolean {
  return record.strategy === PRUNE_STRATEGY;
}

/** Name of a record: `Round 3`, `Prune`, `Attempt at round 4`. */
export function recordName(record: Pick<CompactionRecord, 'strategy' | 'status' | 'round'>): string {
  if (isPrune(record)) return adminStrings.rounds.prune;
  return record.status === 'failed'
    ? adminStrings.rounds.attempt(record.round)
    : adminStrings.rounds.round(record.round);
}

/** Reduction of the context in percent of the tokens before; below 0 if it grew. Null if nothing changed. */
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

/** The newest active record, which an undo would undo. */
export function newestActive(records: readonly CompactionRecord[]): CompactionRecord | null {
  return newestFirst(records).find((record) => record.status === 'completed') ?? null;
}
