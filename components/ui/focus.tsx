import { useEffect, useState } from 'react';
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

/**
 * For `onOpenAutoFocus` of a dialog: focuses its first field, of radios the chosen one, instead of the close button
 * before it.
 */
export function focusFirstField(event: Event): void {
  const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>(
    'input:not([type=radio]), input:checked, select, textarea',
  );
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

/** The heading of a part of the page, made ready for the focus. */
export function headingOf(part: Element | null): HTMLElement | null {
  const heading = part?.querySelector<HTMLElement>('h1, h2, h3') ?? null;
  if (heading) heading.tabIndex = -1;
  return heading;
}

/** Finds a place for the focus near one that may be gone by then. */
export type Near = () => HTMLElement | null | undefined;

/** Of all that went since the last frame. */
const nears: (Near | undefined)[] = [];

/**
 * Moves the focus when the focused element is gone: to something near, or else to the panel or the page's title, or else
 * to the composer. Otherwise keyboard users would start at the top of the page again. Not to the composer by
 * touch, where it would bring up the keyboard.
 */
export function refocus(near?: Near): void {
  // A dialog may close, and the row behind it go, within one frame: what is near comes before the page's title.
  if (nears.unshift(near) > 1) return;
  // What is gone is on screen until the next frame.
  requestAnimationFrame(() => {
    for (const find of nears.splice(0)) {
      const { activeElement: holder, body } = document;
      const found = find?.() ?? null;
      // A dialog takes the focus itself when what had it in there goes.
      const isHeld = holder?.matches('[role=dialog]') === true && found !== null && holder.contains(found);
      if (holder !== body && !isHeld) return;
      found?.focus();
    }
    if (document.activeElement !== document.body) return;
    const place = document.querySelector<HTMLElement>('dialog[open], #main');
    const title = place?.id === 'main' ? headingOf(place) : null;
    if (place) (title ?? place).focus({ preventScroll: true });
    else if (window.matchMedia('(pointer: fine)').matches) askDesk('refocus-composer', null);
  });
}

/** What had the focus before each dialog that is open, the newest first. */
let formers: readonly (Element | null)[] = [];

/**
 * For `onCloseAutoFocus` of a dialog without a trigger: returns the focus to the element that had it, or where that went
 * with another dialog to what had it before that one, or else to another place; see `refocus`.
 * @param afterwards runs then
 */
export function useReturnFocus(afterwards?: () => void, near?: Near): (event: Event) => void {
  const [own] = useState(() => [document.activeElement, ...formers]);
  useEffect(() => {
    const [former = null] = own;
    formers = [former, ...formers];
    return () => {
      formers = formers.filter((each) => each !== former);
    };
  }, [own]);
  return (event) => {
    event.preventDefault();
    const former = own.find((each) => each?.isConnected);
    if (former instanceof HTMLElement) former.focus();
    refocus(near);
    afterwards?.();
  };
}
