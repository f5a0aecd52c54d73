import { ArrowUpRight, Undo2 } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { ChangeRow } from '#components/changes/change-row';
import { Button } from '#components/ui/button';
import { type ChangeGroup, countStanding } from '#lib/changes/group-changes';
import { askDesk } from '#lib/desk/desk-requests';
import { dayAndTime } from '#lib/ui/format';
import { passOnFocus } from '#lib/focus/pass-on-focus';
import { changesStrings } from '#lib/strings/changes';
import type { ChangeSet, Conflict } from '#server/core/content';

const say = changesStrings;
/** A turn that somebody asked for is unfolded where it has no more changes than this. */
const MOST_UNFOLDED = 3;

interface ChangeGroupViewProps {
  readonly group: ChangeGroup;
  /** What the user said in that turn; null: not known. */
  readonly words: string | null;
  /** Somebody asked for this very turn. */
  readonly isShown: boolean;
  readonly onShow: (change: ChangeSet) => void;
  readonly onConflict: (conflict: Conflict) => void;
}

/** What one turn changed, below the words that asked for it. */
export function ChangeGroupView({ group, words, isShown, onShow, onConflict }: ChangeGroupViewProps) {
  const headingId = useId();
  const section = useRef<HTMLElement>(null);
  const { changes, turnId } = group;
  const first = changes[0];
  useEffect(() => {
    if (isShown) section.current?.scrollIntoView({ block: 'start' });
  }, [isShown]);
  if (!first) return null;
  const title = words ?? (turnId === null ? say.outside : say.turnOf(dayAndTime(first.createdAt)));
  return (
    <section ref={section} aria-labelledby={headingId} className="scroll-mt-4 pt-6">
      <header className="flex items-start gap-3">
        <h3
          id={headingId}
          className="line-clamp-3 min-w-0 flex-1 border-l-2 border-accent pl-3 text-sm font-medium [overflow-wrap:anywhere]"
        >
          {title}
        </h3>
        {turnId !== null && countStanding(changes) > 1 && (
          <Button
            ref={passOnFocus}
            variant="ghost"
            aria-label={say.undoTurnLabel(title)}
            onClick={() => askDesk('undo-changes', { turnId })}
            className="h-7! shrink-0 px-2! text-xs!"
          >
            <Undo2 aria-hidden className="size-3.5 stroke-[1.75]" />
            {say.undoTurn}
          </Button>
        )}
      </header>
      <ol className="mt-1 divide-y divide-rule">
        {changes.map((change) => (
          <ChangeRow
            key={change.id}
            change={change}
            isOpenAtFirst={isShown && changes.length <= MOST_UNFOLDED}
            onConflict={onConflict}
            facts={<Facts change={change} onShow={onShow} />}
          />
        ))}
      </ol>
    </section>
  );
}

function Facts({ change, onShow }: { readonly change: ChangeSet; readonly onShow: (change: ChangeSet) => void }) {
  const isEntry = change.targetType === 'page' || change.targetType === 'post';
  return (
    <>
      {isEntry && (
        <button
          type="button"
          aria-label={say.show(change.title)}
          onClick={() => onShow(change)}
          className="inline-flex min-w-0 items-center gap-0.5 rounded text-ink-2 hover:text-accent"
        >
          <span className="truncate">{change.title}</span>
          <ArrowUpRight aria-hidden className="size-3.5 shrink-0 stroke-[1.75]" />
        </button>
      )}
      {change.origin.approvalId !== undefined && <span>{say.approved}</span>}
    </>
  );
}
