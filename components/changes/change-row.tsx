import clsx from 'clsx';
import { Redo2, Undo2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { type Reversible, useUndoAction } from '#components/changes/undo-actions.ts';
import { summaryText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { clockTime } from '#components/ui/times.ts';
import type { Conflict } from '#server/core/site/changes';
import { RowToggle } from '#components/changes/row-toggle';
import { ChangeDetail } from '#components/changes/change-detail';

const t = translator('changes');

interface ListedChange extends Reversible {
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

interface ChangeRowProps {
  readonly change: ListedChange;
  /**
   * True for a change that is not in effect although it was not undone itself: it can be neither undone nor redone.
   * Default false.
   */
  readonly isGone?: boolean;
  /** Further facts next to the time, such as author and place. */
  readonly facts?: ReactNode;
  /** Called with the reason if the change could not be undone. */
  readonly onConflict: (conflict: Conflict) => void;
}

/** One change in a list: its summary, its fields when expanded, and a button for undo or redo. */
export function ChangeRow({ change, isGone = false, facts, onConflict }: ChangeRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const isUndone = change.undoneBy !== null;
  return (
    <li data-change={change.id} className="py-2.5">
      <div className="flex items-start gap-3">
        <RowToggle isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} className="min-w-0">
          <span className={clsx('min-w-0 [overflow-wrap:anywhere]', (isUndone || isGone) && 'text-ink-3 line-through')}>
            {summaryText(change)}
          </span>
        </RowToggle>
        {!isGone && <UndoButton change={change} onConflict={onConflict} />}
      </div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 pl-5.5 text-xs text-ink-3">
        <time dateTime={new Date(change.createdAt).toISOString()}>{clockTime(change.createdAt)}</time>
        {facts}
        {isUndone && <span>{t('undone')}</span>}
      </p>
      <div id={id} hidden={!isOpen} className="mt-2 mb-1 ml-5.5">
        {isOpen && <ChangeDetail changeId={change.id} />}
      </div>
    </li>
  );
}

/** Undo or redo. One button, so that the focus stays on it when its action changes. */
function UndoButton({
  change,
  onConflict,
}: {
  readonly change: Reversible;
  readonly onConflict: (conflict: Conflict) => void;
}) {
  const action = useUndoAction(change, onConflict);
  if (action === null) return null;
  const { isUndone, text, ...button } = action;
  const Icon = isUndone ? Redo2 : Undo2;
  return (
    <Button variant="ghost" {...button} className="h-7! shrink-0 px-2! text-xs! font-normal!">
      <Icon aria-hidden className="size-3.5 stroke-[1.75]" />
      {text}
    </Button>
  );
}
