import type { Checkpoint, CheckpointChange } from '#server/core/conversation/history';

/** Index of the changes by id, for each list of checkpoints: a transcript looks up every change of its messages. */
const changesIn = new WeakMap<readonly Checkpoint[], ReadonlyMap<string, CheckpointChange>>();

/** A change of these checkpoints by its id; undefined if none of them has it. */
export function changeIn(checkpoints: readonly Checkpoint[], id: string): CheckpointChange | undefined {
  let known = changesIn.get(checkpoints);
  if (!known) {
    known = new Map(checkpoints.flatMap(({ changes }) => changes).map((change) => [change.id, change]));
    changesIn.set(checkpoints, known);
  }
  return known.get(id);
}

/** True if the change is not in effect: it was undone, or a restore to an earlier state reversed it. */
export function isReversed({ undoneBy, isTakenAlong }: CheckpointChange): boolean {
  return undoneBy !== null || isTakenAlong;
}

/** Id of the last change of a checkpoint, whose result is the state of the site at it; null if it changed nothing. */
export function lastChangeId({ changes }: Checkpoint): string | null {
  return changes.at(-1)?.id ?? null;
}

/** Number of changes that are in effect, without undos. */
export function countChangesInEffect(checkpoints: readonly Checkpoint[]): number {
  return checkpoints
    .flatMap(({ changes }) => changes)
    .filter((change) => !isReversed(change) && change.action !== 'undo').length;
}

/** A point in the history of a conversation, at which the preview can show the site. */
export interface HistoryPoint {
  readonly sessionId: string;
  /** The site is shown in its state right after this change. */
  readonly changeId: string;
  /** Time of the change; epoch milliseconds. */
  readonly at: number;
}

/** The point of a checkpoint; null if it changed nothing, like a summary. */
export function historyPointOf(sessionId: string, checkpoint: Checkpoint): HistoryPoint | null {
  const changeId = lastChangeId(checkpoint);
  return changeId === null ? null : { sessionId, changeId, at: checkpoint.at };
}
