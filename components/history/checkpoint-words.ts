import { translator } from '#components/i18n.ts';
import { whoMade } from '#components/changes/change-facts.ts';
import { summaryText } from '#components/message-text.ts';
import { isReversed } from '#components/history/checkpoints.ts';
import type { Checkpoint } from '#server/core/conversation/history';

const t = translator('history');

/**
 * How much of a checkpoint is in effect. `standing`: all of it, also for a summary. `partly`: some of its changes were
 * reversed.
 */
export type CheckpointState = 'standing' | 'partly' | 'undone';

/** How much of a checkpoint is in effect. */
export function checkpointState({ changes }: Checkpoint): CheckpointState {
  const reversed = changes.filter(isReversed).length;
  if (reversed === 0) return 'standing';
  return reversed === changes.length ? 'undone' : 'partly';
}

/** Title of a checkpoint: the user's request, or the author of manual edits. */
export function checkpointTitle(checkpoint: Checkpoint): string {
  if (checkpoint.kind === 'summary') return t('summary');
  const [first] = checkpoint.changes;
  if (checkpoint.kind === 'answer') return checkpoint.words || (first ? summaryText(first) : '');
  return t('byHand', { who: checkpoint.who === null ? '' : whoMade(checkpoint.who) });
}

/** Text for a state; empty if everything is in effect. */
export function stateWords(state: CheckpointState): string {
  return { standing: '', partly: t('partlyUndone'), undone: t('undone') }[state];
}

/** Time without changes after which the end-of-day card is offered; ms. A choice, not measured. */
const QUIET_PERIOD = 30 * 60 * 1000;

/** True when the end-of-day card should be offered: the site was changed, and not recently. */
export function isTimeToLeave(checkpoints: readonly Checkpoint[], now: number | null): boolean {
  const last = checkpoints.findLast(({ changes }) => changes.length > 0);
  return last !== undefined && now !== null && now - last.at > QUIET_PERIOD;
}
