import { translator } from '#components/i18n.ts';
import { whoMade } from '#components/changes/change-facts.ts';
import { localizedText, summaryText } from '#components/message-text.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { ChangeSet, Conflict } from '#server/core/site/changes';
import { AlertDialog } from 'radix-ui';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs/confirm-dialog';
import { dayAndTime } from '#components/ui/times.ts';
import { undoAlong } from '#components/changes/undo-many.ts';

const t = translator('changes');
const tShared = translator('shared');

interface ConflictDialogProps {
  readonly conflict: Conflict;
  readonly onClose: () => void;
}

/** Explains why a change could not be undone or redone: who changed the same content later. */
export function ConflictDialog({ conflict, onClose }: ConflictDialogProps) {
  return (
    <AlertFrame open onOpenChange={(open) => !open && onClose()}>
      <ConflictContent conflict={conflict} />
    </AlertFrame>
  );
}

function ConflictContent({ conflict }: { readonly conflict: Conflict }) {
  const isRedo = conflict.change.undoneBy !== null;
  const canTakeAlong = !isRedo && conflict.blockedBy.length > 0;
  return (
    <AlertContent
      width="medium"
      title={isRedo ? t('dialog.redoConflictTitle') : t('dialog.conflictTitle')}
      body={isRedo ? t('dialog.redoConflictBody') : t('dialog.conflictBody')}
      buttons={
        <>
          <AlertDialog.Cancel asChild>
            <Button variant="ghost">{canTakeAlong ? tShared('common.cancel') : tShared('common.close')}</Button>
          </AlertDialog.Cancel>
          {canTakeAlong && <UndoAlongButton label={t('dialog.along')} run={() => undoAlong([conflict.change])} />}
        </>
      }
    >
      <div className="mt-4 min-h-0 overflow-y-auto">
        <ConflictList conflicts={[conflict]} />
      </div>
    </AlertContent>
  );
}

interface UndoAlongProps {
  readonly label: string;
  readonly run: () => Promise<void>;
}

/** Button that undoes changes together with the later changes that block them. All of this can be redone. */
export function UndoAlongButton({ label, run }: UndoAlongProps) {
  return (
    <AlertDialog.Action asChild>
      <Button variant="primary" onClick={() => void run().catch(reportFailure)}>
        {label}
      </Button>
    </AlertDialog.Action>
  );
}

interface ConflictListProps {
  readonly conflicts: readonly Conflict[];
}

/** Changes that an undo leaves in place, each with the author of the later change. */
export function ConflictList({ conflicts }: ConflictListProps) {
  const staying = new Set(conflicts.map(({ change }) => change.id));
  return (
    <ul className="flex flex-col gap-3">
      {conflicts.map(({ change, blockedBy, message, reason }) => (
        <li key={change.id} className="border-l-2 border-amber pl-3 text-sm">
          <p className="[overflow-wrap:anywhere]">{summaryText(change)}</p>
          {blockedBy.length === 0 ? (
            <p className="text-ink-3">{localizedText(reason, message)}</p>
          ) : (
            <ul aria-label={t('dialog.later')} className="mt-0.5 text-ink-3">
              {blockersFrom(blockedBy, staying).map((later) => (
                <li key={later.id} className="[overflow-wrap:anywhere]">
                  {t('dialog.laterBy', { who: whoMade(later.origin), when: dayAndTime(later.createdAt) })}:{' '}
                  {summaryText(later)}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

/**
 * The later changes that block an undo; those that stay in place themselves are left out, unless there are no others.
 */
function blockersFrom(blockedBy: readonly ChangeSet[], staying: ReadonlySet<string>): readonly ChangeSet[] {
  const others = blockedBy.filter(({ id }) => !staying.has(id));
  return others.length > 0 ? others : blockedBy;
}
