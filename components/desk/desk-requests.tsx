import { useEffect, useEffectEvent } from 'react';
import { goTo, sessionPath } from '#components/desk/navigation';
import type { ChangeSet } from '#server/core/changes';

/** Something to bring back, and to when. */
export interface BringBackPoint {
  /** Id of a change: it becomes what it was right after this one. */
  readonly changeId: string;
  /** Time of it; epoch milliseconds. */
  readonly at: number;
  /** The thing, or the path of the page. */
  readonly targetId?: string;
  readonly path?: string;
  readonly title: string;
}

/** Place of a message in the transcript of a conversation. */
export interface MessagePlace {
  readonly sessionId: string;
  /** A stored message; the transcript folds those of an answer into one. */
  readonly messageId: string | null;
  /** Turn whose answer it is part of. */
  readonly turnId: string | null;
}

/** Requests one part of the desk can make of another, with their arguments. */
export interface DeskRequests {
  /** Puts the cursor into the composer. */
  readonly 'focus-composer': null;
  /**
   * Focuses the composer because the focus is lost, but shows nothing for it, such as the chat in place of the
   * preview.
   */
  readonly 'refocus-composer': null;
  /** Goes to the newest line of the conversation, and stays there. */
  readonly 'show-newest': null;
  /** Opens the conversations' search, with these words in it. */
  readonly search: string;
  readonly 'toggle-preview': null;
  readonly 'reload-preview': null;
  /** Opens the thread of the conversation; at a turn, if one is named. */
  readonly 'show-changes': { readonly turnId: string | null };
  /** Opens the card for whoever leaves for the day. */
  readonly leave: null;
  /** Asks to undo the changes of a turn. */
  readonly 'undo-changes': { readonly turnId: string };
  /** Takes the newest step back, by hand or by the assistant; `redo` brings it back. */
  readonly undo: null;
  readonly redo: null;
  /** Asks to bring something back to how it was. */
  readonly 'bring-back': BringBackPoint;
  /** Shows a message in the transcript of its conversation, however old it is. */
  readonly 'show-message': MessagePlace;
  /** Shows changes in the preview, what they wrote marked. */
  readonly 'preview-changes': readonly ChangeSet[];
  /** Opens the fields of a section of the page that is shown. */
  readonly 'edit-section': { readonly sectionId: string };
  /**
   * Writes in a text where it stands; `sectionId` is null for a text of the page itself, such as its title. The cursor
   * goes to `at`, a point of the screen, or behind the last word.
   */
  readonly 'edit-text': {
    readonly sectionId: string | null;
    readonly field: string;
    readonly at?: { readonly x: number; readonly y: number };
  };
  /** Scrolls to a section of the page that is shown; `isComing`: once that is loaded anew. */
  readonly 'reveal-section': { readonly sectionId: string; readonly isComing?: boolean };
  /** Opens the settings of the page that is shown. */
  readonly 'page-settings': null;
  /** Asks what kind of section to add to the page that is shown, and where; 0 is in front of all. */
  readonly 'add-section': { readonly index: number };
  readonly 'new-page': null;
  /** Shows a page of the site in the preview. */
  readonly 'open-page': { readonly path: string };
}

/** False: it cannot; somebody else may. */
type Handler = (detail: never) => boolean;

const handlers = new Map<keyof DeskRequests, Set<Handler>>();
/** Requests that wait a moment for their receiver, which is often just being mounted. */
const patient: ReadonlySet<keyof DeskRequests> = new Set([
  'focus-composer',
  'refocus-composer',
  'search',
  'show-message',
]);
const waiting = new Map<keyof DeskRequests, unknown>();

/** Sends a request to the first part that can handle it. False: none could. */
export function askDesk<Name extends keyof DeskRequests>(name: Name, detail: DeskRequests[Name]): boolean {
  for (const handler of handlers.get(name) ?? []) {
    if (handler(detail as never)) return true;
  }
  if (patient.has(name)) waiting.set(name, detail);
  return false;
}

/** Opens the conversation of a message at it. */
export function openMessage(place: MessagePlace): void {
  const path = sessionPath(place.sessionId);
  if (window.location.pathname !== path) goTo(path);
  askDesk('show-message', place);
}

/** Handles requests of other parts while mounted; `handle` returns whether it could. */
export function useDeskRequest<Name extends keyof DeskRequests>(
  name: Name,
  handle: (detail: DeskRequests[Name]) => boolean,
): void {
  const onRequest = useEffectEvent(handle);
  useEffect(() => {
    const handler: Handler = (detail) => onRequest(detail);
    const known = handlers.get(name) ?? new Set();
    handlers.set(name, known.add(handler));
    // Later: what has just appeared may still be moving the focus.
    const timer = setTimeout(() => {
      if (!waiting.has(name)) return;
      const detail = waiting.get(name) as DeskRequests[Name];
      waiting.delete(name);
      askDesk(name, detail);
    });
    return () => {
      clearTimeout(timer);
      known.delete(handler);
    };
  }, [name]);
}
