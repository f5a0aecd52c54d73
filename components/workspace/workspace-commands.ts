import { useEffect, useEffectEvent } from 'react';
import { goTo, sessionPath } from '#components/workspace/navigation.ts';
import type { ChangeSet } from '#server/core/site/changes';

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

/** Position of a message in the transcript of a conversation. */
export interface MessagePlace {
  readonly sessionId: string;
  /** Id of a stored message; the transcript merges the messages of an answer into one. */
  readonly messageId: string | null;
  /** Turn whose answer contains the message. */
  readonly turnId: string | null;
}

/** Commands between parts of the workspace, with their arguments. */
export interface WorkspaceCommands {
  /** Focuses the composer. */
  readonly 'focus-composer': null;
  /**
   * Focuses the composer because the focus is lost. Does not change what is shown, for example does not replace the
   * preview by the chat.
   */
  readonly 'refocus-composer': null;
  /** Scrolls to the newest line of the conversation and follows new ones. */
  readonly 'show-newest': null;
  /** Opens the search over conversations with this query. */
  readonly search: string;
  readonly 'toggle-preview': null;
  readonly 'reload-preview': null;
  /** Opens the history of the conversation, at a turn if `turnId` is given. */
  readonly 'show-changes': { readonly turnId: string | null };
  /** Opens the card for users who finish work for the day. */
  readonly leave: null;
  /** Asks for confirmation to undo the changes of a turn. */
  readonly 'undo-changes': { readonly turnId: string };
  /** Undoes the newest change, whether the user or the assistant made it; `redo` reapplies it. */
  readonly undo: null;
  readonly redo: null;
  /** Asks for confirmation to restore a target to an earlier state. */
  readonly 'bring-back': RestorePoint;
  /** Shows a message in the transcript of its conversation, regardless of its age. */
  readonly 'show-message': MessagePlace;
  /** Shows changes in the preview, with the changed texts marked. */
  readonly 'preview-changes': readonly ChangeSet[];
  /** Opens the fields of a section of the page in the preview. */
  readonly 'edit-section': { readonly sectionId: string };
  /**
   * Edits a text in place; `sectionId` is null for a text of the page itself, such as its title. The cursor goes to
   * `at`, a point of the screen, or to the end of the text.
   */
  readonly 'edit-text': {
    readonly sectionId: string | null;
    readonly field: string;
    readonly at?: { readonly x: number; readonly y: number };
  };
  /** Scrolls to a section of the page in the preview; with `isComing`, once the page has been reloaded. */
  readonly 'reveal-section': { readonly sectionId: string; readonly isComing?: boolean };
  /** Focuses the sections of the page that is shown, for keys. */
  readonly 'focus-sections': null;
  /** Opens the settings of the page in the preview. */
  readonly 'page-settings': null;
  /**
   * Asks for the kind of section to add to the page in the preview. `index` is the position; 0 is before all others.
   */
  readonly 'add-section': { readonly index: number };
  readonly 'new-page': null;
  /** Shows a page of the site in the preview. */
  readonly 'open-page': { readonly path: string };
}

/** Returns false if it cannot handle the command; another handler may. */
type Handler = (detail: never) => boolean;

const handlers = new Map<keyof WorkspaceCommands, Set<Handler>>();
/** Commands that wait a moment for their receiver, which is often just being mounted. */
const patient: ReadonlySet<keyof WorkspaceCommands> = new Set([
  'focus-composer',
  'refocus-composer',
  'search',
  'show-message',
]);
const waiting = new Map<keyof WorkspaceCommands, unknown>();

/** Sends a command to the first handler that accepts it. False if none did. */
export function sendWorkspaceCommand<Name extends keyof WorkspaceCommands>(
  name: Name,
  detail: WorkspaceCommands[Name],
): boolean {
  for (const handler of handlers.get(name) ?? []) {
    if (handler(detail as never)) return true;
  }
  if (patient.has(name)) waiting.set(name, detail);
  return false;
}

/** Opens the conversation of a message, scrolled to the message. */
export function openMessage(place: MessagePlace): void {
  const path = sessionPath(place.sessionId);
  if (window.location.pathname !== path) goTo(path);
  sendWorkspaceCommand('show-message', place);
}

/** Handles commands of other parts while mounted; `handle` returns whether it could. */
export function useWorkspaceCommand<Name extends keyof WorkspaceCommands>(
  name: Name,
  handle: (detail: WorkspaceCommands[Name]) => boolean,
): void {
  const onRequest = useEffectEvent(handle);
  useEffect(() => {
    const handler: Handler = (detail) => onRequest(detail);
    const known = handlers.get(name) ?? new Set();
    handlers.set(name, known.add(handler));
    // Deferred: the element that has just appeared may still be moving the focus.
    const timer = setTimeout(() => {
      if (!waiting.has(name)) return;
      const detail = waiting.get(name) as WorkspaceCommands[Name];
      waiting.delete(name);
      sendWorkspaceCommand(name, detail);
    });
    return () => {
      clearTimeout(timer);
      known.delete(handler);
    };
  }, [name]);
}
