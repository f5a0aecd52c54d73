import clsx from 'clsx';
import { strings } from '#lib/strings';

interface UndoChoiceProps {
  /** How many there are to take back. */
  readonly changes: number;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly className?: string;
}

/** Whether what an answer did to the site is taken back with it. */
export function UndoChoice({ changes, isChosen, onChoose, className }: UndoChoiceProps) {
  return (
    <label className={clsx('flex items-start gap-2 text-sm', className)}>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={(event) => onChoose(event.target.checked)}
        className="mt-0.5 size-4 accent-accent"
      />
      <span>{strings.messageActions.undoChanges(changes)}</span>
    </label>
  );
}
