import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { ConflictDialog } from '#components/changes/conflict-dialog';
import { redoLast, undoLast, type UndoRedo } from '#components/editor/model/undo-redo.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { Conflict } from '#server/core/site/changes';

const UndoRedoContext = createContext<UndoRedo | null>(null);

/** Undo and redo of the surrounding page; null where the newest change of the site cannot be undone. */
export function useUndoRedo(): UndoRedo | null {
  return useContext(UndoRedoContext);
}

interface UndoRedoProviderProps {
  /** The open conversation; null: none. */
  readonly sessionId: string | null;
  readonly children: ReactNode;
}

/** Provides undo and redo to the components below it, and shows the conflict that prevents one. */
export function UndoRedoProvider({ sessionId, children }: UndoRedoProviderProps) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const undoRedo = useMemo(() => {
    const run = async (command: typeof undoLast) => {
      try {
        setConflict(await command(sessionId));
      } catch (error) {
        reportFailure(error);
      }
    };
    return { undo: () => void run(undoLast), redo: () => void run(redoLast) };
  }, [sessionId]);
  return (
    <UndoRedoContext value={undoRedo}>
      {children}
      {conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />}
    </UndoRedoContext>
  );
}
