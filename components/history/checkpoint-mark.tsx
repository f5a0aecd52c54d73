import clsx from 'clsx';
import type { CheckpointState } from '#components/history/checkpoint-words.ts';
import type { Checkpoint } from '#server/core/conversation/history';

interface CheckpointMarkProps {
  readonly checkpoint: Checkpoint;
  readonly state: CheckpointState;
  /** True if the preview shows the site at this checkpoint. */
  readonly isShown: boolean;
}

/**
 * Shape of a checkpoint: a circle for an answer, a diamond for manual edits, a bar for a summary; hollow if it is
 * undone.
 */
export function CheckpointMark({ checkpoint, state, isShown }: CheckpointMarkProps) {
  return (
    <span
      aria-hidden
      className={clsx(
        'relative block transition-transform group-hover:scale-125',
        checkpoint.kind === 'summary' && 'h-1 w-4 rounded bg-ink-3',
        checkpoint.kind === 'answer' && 'size-2.5 rounded-full border-2',
        checkpoint.kind === 'hand' && 'size-2.5 rotate-45 border-2',
        checkpoint.kind !== 'summary' && (state === 'undone' ? 'border-rule-strong bg-paper' : 'border-accent'),
        checkpoint.kind !== 'summary' && state === 'standing' && 'bg-accent',
        checkpoint.kind !== 'summary' && state === 'partly' && 'bg-paper',
        isShown && 'scale-125 ring-3 ring-accent/35',
      )}
    />
  );
}
