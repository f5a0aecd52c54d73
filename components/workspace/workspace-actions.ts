import { createContext, useContext } from 'react';
import type { AddressedPage } from '#components/workspace/navigation.ts';

/** A target to restore, and the point in time. */
export interface RestorePoint {
  /** Id of a change: the target is restored to its state right after this change. */
  readonly changeId: string;
  /** Time of the change; epoch milliseconds. */
  readonly at: number;
  /** Id of the target, or the path of the page. */
  readonly targetId?: string;
  readonly path?: string;
  readonly title: string;
}

/**
 * Functions of the workspace for the components in it. The object stays the same while a conversation is open. Without
 * an open conversation, those about its history have no effect.
 */
export interface WorkspaceActions {
  /** Focuses the message field, and shows the chat for that where it is a tab. */
  readonly focusComposer: () => void;
  readonly togglePreview: () => void;
  /** Opens the history of the conversation; at a turn if `turnId` is given. */
  readonly showHistory: (turnId: string | null) => void;
  /** Opens the card for users who finish work for the day. */
  readonly showEndOfDay: () => void;
  /** Asks for confirmation to undo the changes of a turn. */
  readonly undoChanges: (turnId: string) => void;
  /** Asks for confirmation to restore a target to an earlier state. */
  readonly restore: (point: RestorePoint) => void;
  /** Opens a page of the site in the preview, and selects a section of it. */
  readonly openPage: (page: AddressedPage) => void;
}

const WorkspaceActionsContext = createContext<WorkspaceActions | null>(null);

/** Provides the functions of the workspace to the components below it. */
export const WorkspaceActionsProvider = WorkspaceActionsContext.Provider;

/** The functions of the surrounding workspace. Throws outside it. */
export function useWorkspaceActions(): WorkspaceActions {
  const actions = useContext(WorkspaceActionsContext);
  if (!actions) throw new Error('useWorkspaceActions needs a WorkspaceActionsProvider above it.');
  return actions;
}
