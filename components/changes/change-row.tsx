import clsx from 'clsx';
import { ChevronRight, Redo2, Undo2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { FieldChanges } from '#components/changes/field-changes';
import { type Reversible, useWayBack } from '#components/changes/undo-actions';
import { changesStrings } from '#components/changes/words';
import { inYourWords } from '#components/served-words';
import { Button } from '#components/ui/buttons';
import { clockTime } from '#components/ui/times';
import { strings } from '#components/words';
import type { ChangeSet, Conflict, FieldChange } from '#server/core/changes';

const say = changesStrings;

interface ChangeRowProps {
  readonly change: Reversible & Pick<ChangeSet, 'createdAt'>;
  /**
   * True for a change that is not in effect though not undone itself: it can be neither undone nor redone. Default
   * false.
   */
  readonly isGone?: boolean;
  /** Further facts beside the time, such as author and place. */
  readonly facts?: ReactNode;
  /** Called with the reason if it could not be undone. */
  readonly onConflict: (conflict: Conflict) => void;
}

/** One change: its summary, its fields when unfolded, and undo or redo. */
export function ChangeRow({ change, isGone = false, facts, onConflict }: ChangeRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const isUndone = change.undoneBy !== null;
  return (
    <li data-change={change.id} className="py-2.5">
      <div className="flex items-start gap-3">
        <RowToggle isOpen={isOpen} controls={id} onToggle={() => setIsOpen(!isOpen)} className="min-w-0">
          <span className={clsx('min-w-0 [overflow-wrap:anywhere]', (isUndone || isGone) && 'text-ink-3 line-through')}>
            {inYourWords(change.summary)}
          </span>
        </RowToggle>
        {!isGone && <WayBack change={change} onConflict={onConflict} />}
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

/** Undo and redo in one button, which keeps the focus when it turns from one into the other. */
function WayBack({ change, onConflict }: Pick<ChangeRowProps, 'change' | 'onConflict'>) {
  const way = useWayBack(change, onConflict);
  if (way === null) return null;
  const { isUndone, text, ...button } = way;
  const Icon = isUndone ? Redo2 : Undo2;
  return (
    <Button variant="ghost" {...button} className="h-7! shrink-0 px-2! text-xs! font-normal!">
      <Icon aria-hidden className="size-3.5 stroke-[1.75]" />
      {text}
    </Button>
  );
}

/** A change as the journal reports it. */
export interface ChangeReport {
  readonly change: ChangeSet;
  readonly fields: readonly FieldChange[];
  readonly blockedBy: readonly ChangeSet[] | null;
}

/** Changed fields of one change. */
export function ChangeDetail({ changeId }: { readonly changeId: string }) {
  const { data, error, mutate } = useSWR<ChangeReport>(paths.change(changeId));
  if (data) return <FieldChanges fields={data.fields} />;
  if (error === undefined) {
    return (
      <output aria-label={say.loadingDetails} className="block">
        <span className="block h-3 w-2/5 animate-breathe rounded bg-rule" />
        <span className="mt-2 block h-3 w-4/5 animate-breathe rounded bg-rule" />
      </output>
    );
  }
  return (
    <p className="text-sm text-ink-2">
      {say.detailsFailed}{' '}
      <button type="button" onClick={() => void mutate()} className="rounded text-accent hover:underline">
        {strings.common.retry}
      </button>
    </p>
  );
}

interface RowToggleProps {
  readonly isOpen: boolean;
  /** Id of what it unfolds. */
  readonly controls: string;
  readonly onToggle: () => void;
  readonly className: string;
  /** The sentence of the row. */
  readonly children: ReactNode;
}

/** The sentence of a change, which unfolds what it altered. */
export function RowToggle({ isOpen, controls, onToggle, className, children }: RowToggleProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={controls}
      onClick={onToggle}
      className={clsx(
        '-ml-1 flex flex-1 items-start gap-1.5 rounded-md px-1 py-0.5 text-left text-sm hover:bg-ink/4',
        className,
      )}
    >
      <ChevronRight
        aria-hidden
        className={clsx('mt-0.5 size-4 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
      />
      {children}
    </button>
  );
}
