import { useState } from 'react';
import { askDesk } from '#components/desk/desk-requests';

/**
 * For the `ref` of a field that opens for editing: puts the cursor behind the last word, unless the user is writing
 * somewhere else by then.
 */
export function focusAtEnd(field: HTMLTextAreaElement | null): void {
  const { activeElement } = document;
  if (!field || activeElement === field || isWritten(activeElement)) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

function isWritten(element: Element | null): boolean {
  return element?.matches('input, textarea') === true && (element as HTMLTextAreaElement).value !== '';
}

/** For `onOpenAutoFocus` of a dialog: focuses its first field instead of the close button before it. */
export function focusFirstField(event: Event): void {
  const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('input, select, textarea');
  if (field === null) return;
  event.preventDefault();
  field.focus();
}

/**
 * For `onOpenAutoFocus` of a layer: focuses the layer, because focus on its first button would open that button's
 * tooltip.
 */
export function focusItself(event: Event): void {
  event.preventDefault();
  (event.currentTarget as HTMLElement).focus();
}

/**
 * Remembers where the focus is now. Once a late answer is there, tells whether it may be moved: not away from where the
 * user has gone meanwhile, whose next keys would go elsewhere.
 */
export function focusSince(): { readonly mayMove: () => boolean } {
  const before = document.activeElement;
  return { mayMove: () => [before, document.body].includes(document.activeElement) };
}

/** For the `ref` of an element that replaces the focused one: takes the focus. */
export function focusWhenShown(element: HTMLElement | null): void {
  element?.focus();
}

/**
 * For the `ref` of an element that disappears once it is used: passes the focus in it to a neighbour's first button, or
 * else to where `refocus` finds a place.
 */
export function passOnFocus(element: HTMLElement | null): () => void {
  return () => {
    if (element?.contains(document.activeElement) !== true) return;
    const neighbour = element.nextElementSibling ?? element.previousElementSibling;
    refocus(() => neighbour?.querySelector<HTMLElement>('button:enabled'));
  };
}

/** Finds a place for the focus near one that may be gone by then. */
export type Near = () => HTMLElement | null | undefined;

/** Of all that went since the last frame. */
const nears: (Near | undefined)[] = [];

/**
 * Moves the focus when the focused element is gone: to something near, or else to the panel or the page's main part, or
 * else to the composer. Otherwise keyboard users would start at the top of the page again. Not to the composer by
 * touch, where it would bring up the keyboard.
 */
export function refocus(near?: Near): void {
  // A dialog may close, and the row behind it go, within one frame: what is near comes before the page's main part.
  if (nears.unshift(near) > 1) return;
  // What is gone is on screen until the next frame.
  requestAnimationFrame(() => {
    for (const find of nears.splice(0)) {
      if (document.activeElement !== document.body) return;
      find?.()?.focus();
    }
    if (document.activeElement !== document.body) return;
    const place = document.querySelector<HTMLElement>('dialog[open], #main');
    if (place) place.focus({ preventScroll: true });
    else if (window.matchMedia('(pointer: fine)').matches) askDesk('refocus-composer', null);
  });
}

/**
 * For `onCloseAutoFocus` of a dialog without a trigger: returns the focus to the element that had it, or to
 * another place if that is gone; see `refocus`.
 * @param afterwards runs then
 */
export function useReturnFocus(afterwards?: () => void, near?: Near): (event: Event) => void {
  const [former] = useState(() => document.activeElement);
  return (event) => {
    event.preventDefault();
    if (former instanceof HTMLElement) former.focus();
    refocus(near);
    afterwards?.();
  };
}
