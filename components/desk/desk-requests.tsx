import { useEffect, useEffectEvent } from 'react';
import type { ChangeSet } from '#server/core/content';

/** Requests one part of the desk can make of another, with their arguments. */
export interface DeskRequests {
  /** Puts the cursor into the composer. */
  readonly 'focus-composer': null;
  /** Opens the conversations' search, with these words in it. */
  readonly search: string;
  readonly 'toggle-preview': null;
  readonly 'reload-preview': null;
  /** Opens what was changed in the conversation; at a turn, if one is named. */
  readonly 'show-changes': { readonly turnId: string | null };
  /** Asks to undo the changes of a turn, or (null) of the whole conversation. */
  readonly 'undo-changes': { readonly turnId: string | null };
  /** Shows changes in the preview, what they wrote marked. */
  readonly 'preview-changes': readonly ChangeSet[];
}

/** False: it cannot; somebody else may. */
type Handler = (detail: never) => boolean;

const handlers = new Map<keyof DeskRequests, Set<Handler>>();
/** Requests that wait a moment for their receiver, which is often just being mounted. */
const patient: ReadonlySet<keyof DeskRequests> = new Set(['focus-composer', 'search']);
const waiting = new Map<keyof DeskRequests, unknown>();

/** Sends a request to the first part that can handle it. False: none could. */
export function askDesk<Name extends keyof DeskRequests>(name: Name, detail: DeskRequests[Name]): boolean {
  for (const handler of handlers.get(name) ?? []) {
    if (handler(detail as never)) return true;
  }
  if (patient.has(name)) waiting.set(name, detail);
  return false;
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
