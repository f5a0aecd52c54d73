import clsx from 'clsx';
import { Redo2, Undo2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { RowToggle } from '#components/changes/row-toggle';
import { ChangeDetail } from '#components/changes/change-detail';
import { Button } from '#components/ui/button';
import { undoOrRedo } from '#lib/changes/undo-actions';
import { canUndo } from '#lib/changes/group-changes';
import { clockTime } from '#lib/ui/format';
import { changesStrings } from '#lib/strings/changes';
import type { ChangeSet, Conflict } from '#server/core/content';

const say = changesStrings;

interface ChangeRowProps {
  readonly change: ChangeSet;
  /** What is known of it beside its time: who, where. */
  readonly facts?: ReactNode;
  readonly isOpenAtFirst?: boolean;
  /** Told why it could not be taken back. */
  readonly onConflict: (conflict: Conflict) => void;
}

/** One change: what it was in a sentence, field by field when unfolded, and the way back. */
export function ChangeRow({ change, facts, isOpenAtFirst = false, onConflict }: ChangeRowProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const id = useId();
  const isUndone = change.undoneBy !== null;
  return (
    <li data-change={change.id} className="py-2.5">
      <div className="flex items-start gap-3">
        <RowToggle isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} className="min-w-0">
          <span className={clsx('min-w-0 [overflow-wrap:anywhere]', isUndone && 'text-ink-3 line-through')}>
            {change.summary}
          </span>
        </RowToggle>
        <WayBack change={change} onConflict={onConflict} />
      </div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 pl-5.5 text-xs text-ink-3">
        <time dateTime={new Date(change.createdAt).toISOString()}>{clockTime(change.createdAt)}</time>
        {facts}
        {isUndone && <span>{say.undone}</span>}
      </p>
      <div id={id} hidden={!isOpen} className="mt-2 mb-1 ml-5.5">
        {isOpen && <ChangeDetail changeId={change.id} />}
      </div>
    </li>
  );
}

/** One button for both directions: it keeps the focus when what it did turns it around. */
function WayBack({ change, onConflict }: Pick<ChangeRowProps, 'change' | 'onConflict'>) {
  const [isBusy, setIsBusy] = useState(false);
  const isUndone = change.undoneBy !== null;
  if (!isUndone && !canUndo(change)) return null;
  const run = async () => {
    if (isBusy) return;
    setIsBusy(true);
    const conflict = await undoOrRedo(change);
    setIsBusy(false);
    if (conflict) onConflict(conflict);
  };
  const Icon = isUndone ? Redo2 : Undo2;
  return (
    <Button
      variant="ghost"
      aria-label={isUndone ? say.redoLabel(change.summary) : say.undoLabel(change.summary)}
      aria-disabled={isBusy}
      onClick={() => void run()}
      className="h-7! shrink-0 px-2! text-xs! font-normal!"
    >
      <Icon aria-hidden className="size-3.5 stroke-[1.75]" />
      {isUndone ? say.redo : say.undo}
    </Button>
  );
}
