import { useState } from 'react';
import { ConflictDialog } from '#components/changes/conflict-dialog';
import { redoLast, undoLast } from '#components/editor/model/undo-redo.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useWorkspaceCommand } from '#components/workspace/workspace-commands.ts';
import type { Conflict } from '#server/core/site/changes';

/** Handles the workspace commands `undo` and `redo`; shows the conflict that prevents one. */
export function UndoRedoCommands({ sessionId }: { readonly sessionId: string | null }) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const run = async (command: typeof undoLast) => {
    try {
      setConflict(await command(sessionId));
    } catch (error) {
      reportFailure(error);
    }
  };
  useWorkspaceCommand('undo', () => {
    void run(undoLast);
    return true;
  });
  useWorkspaceCommand('redo', () => {
    void run(redoLast);
    return true;
  });
  return conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />;
}
