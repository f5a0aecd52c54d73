import { AlertDialog } from 'radix-ui';
import { ConflictList } from '#components/changes/conflict-list';
import { AlertContent, AlertFrame } from '#components/ui/alert-frame';
import { Button } from '#components/ui/button';
import { strings } from '#lib/strings';
import { changesStrings } from '#lib/strings/changes';
import type { Conflict } from '#server/core/content';

const say = changesStrings.dialog;

interface ConflictDialogProps {
  /** Null: closed. */
  readonly conflict: Conflict | null;
  readonly onClose: () => void;
}

/** Says why a change could not be taken back, or done again: who changed the same thing later. */
export function ConflictDialog({ conflict, onClose }: ConflictDialogProps) {
  return (
    <AlertFrame open={conflict !== null} onOpenChange={(open) => !open && onClose()}>
      {conflict !== null && <Content conflict={conflict} />}
    </AlertFrame>
  );
}

function Content({ conflict }: { readonly conflict: Conflict }) {
  const isRedo = conflict.change.undoneBy !== null;
  return (
    <AlertContent
      width="medium"
      title={isRedo ? say.redoConflictTitle : say.conflictTitle}
      body={isRedo ? say.redoConflictBody : say.conflictBody}
      buttons={
        <AlertDialog.Cancel asChild>
          <Button>{strings.common.close}</Button>
        </AlertDialog.Cancel>
      }
    >
      <div className="mt-4 min-h-0 overflow-y-auto">
        <ConflictList conflicts={[conflict]} />
      </div>
    </AlertContent>
  );
}
