import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { IconButton } from '#components/ui/icon-button';
import { settingsStrings } from '#lib/strings/settings';

const say = settingsStrings.standing;

interface RowActionsProps {
  /** Of the row: `Rule 2`. */
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** Moves a row of a list, or takes it out. */
export function RowActions({ name, isFirst, isLast, onMove, onRemove }: RowActionsProps) {
  return (
    <span className="flex shrink-0">
      <IconButton
        label={say.up(name)}
        icon={<ArrowUp aria-hidden />}
        aria-disabled={isFirst}
        className="aria-disabled:opacity-35"
        onClick={() => !isFirst && onMove(-1)}
      />
      <IconButton
        label={say.down(name)}
        icon={<ArrowDown aria-hidden />}
        aria-disabled={isLast}
        className="aria-disabled:opacity-35"
        onClick={() => !isLast && onMove(1)}
      />
      <IconButton label={say.remove(name)} icon={<X aria-hidden />} onClick={onRemove} />
    </span>
  );
}
