import type { Message } from '#server/core/messages';
import { type StoredView, verbatimMessages } from '#server/context/view/view';

/**
 * Names the view that a step was sent: its summary, how many of its parts were pruned, and how much of them is shown. A compaction, a prune and
 * the undo of either make another one, whenever they came.
 * @param before only messages in front of this one, the step's own answer; default: all
 */
export function viewKeyOf(stored: StoredView, before?: Message): string {
  let pruned = 0;
  let shown = 0;
  for (const { seq, parts } of verbatimMessages(stored)) {
    if (before && seq >= before.seq) continue;
    for (const { compactedAt, excerptChars } of parts) {
      pruned += compactedAt === null ? 0 : 1;
      shown += excerptChars ?? 0;
    }
  }
  return `${stored.summary?.id ?? 'whole'}/${pruned}/${shown}`;
}
