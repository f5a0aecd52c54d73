import { useEffect, useState } from 'react';

/**
 * Ref callback of a field that opens for editing: moves the cursor to the end, unless the user is typing in another
 * field by then.
 */
export function focusAtEnd(field: HTMLTextAreaElement | null): void {
  const { activeElement } = document;
  if (!field || activeElement === field || hasText(activeElement)) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** True for a field with a text. */
function hasText(element: Element | null): boolean {
  return element?.matches('input, textarea') === true && (element as HTMLTextAreaElement).value !== '';
}

/**
 * For `onOpenAutoFocus` of a dialog: focuses its first field, or the checked radio button, instead of the close button
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
 * Remembers the present focus. After a late response, `mayMove` tells whether the program may move the focus: not if
 * the user has moved it since, because their further keys would go to the wrong element.
 */
export function focusSince(): { readonly mayMove: () => boolean } {
  const before = document.activeElement;
  return { mayMove: () => [before, document.body].includes(document.activeElement) };
}

/** For a button of a form that disappears when it is pressed: moves the focus to the form's submit button. */
export function focusSubmitOf({ form }: HTMLButtonElement): void {
  form?.querySelector<HTMLElement>('[type="submit"]')?.focus();
}

/** Ref callback of an element that replaces the focused one: takes the focus. */
export function focusWhenShown(element: HTMLElement | null): void {
  element?.focus();
}

/** The heading of a part of the page, made focusable. */
export function headingOf(part: Element | null): HTMLElement | null {
  const heading = part?.querySelector<HTMLElement>('h1, h2, h3') ?? null;
  if (heading) heading.tabIndex = -1;
  return heading;
}

/** Focuses the message field of the chat. False if it is not displayed. */
export function focusComposer(): boolean {
  const field = document.querySelector<HTMLElement>('[data-composer]');
  if (field?.checkVisibility() !== true) return false;
  field.focus();
  return true;
}

/** Finds an element for the focus near one that may be gone by then. */
export type Near = () => HTMLElement | null | undefined;

/** Finders for all elements with the focus that were removed since the last frame, newest first. */
const finders: (Near | undefined)[] = [];

/**
 * Moves the focus when the focused element is gone: to a nearby element, else to the panel or the page's title, else to
 * the composer. Otherwise keyboard users would start again at the top of the page. On touch devices not to the
 * composer, which would open the keyboard.
 */
export function refocus(near?: Near): void {
  // A dialog may close and the row under it disappear within one frame: nearby elements have priority over the page's
  // title.
  if (finders.unshift(near) > 1) return;
  // The removed element is on screen until the next frame.
  requestAnimationFrame(() => {
    for (const find of finders.splice(0)) {
      const { activeElement: holder, body } = document;
      const found = find?.() ?? null;
      // A dialog moves the focus itself when its focused element disappears.
      const isHeld = holder?.matches('[role=dialog]') === true && found !== null && holder.contains(found);
      if (holder !== body && !isHeld) return;
      found?.focus();
    }
    if (document.activeElement !== document.body) return;
    const place = document.querySelector<HTMLElement>('dialog[open], #main');
    const title = place?.id === 'main' ? headingOf(place) : null;
    if (place) (title ?? place).focus({ preventScroll: true });
    else if (window.matchMedia('(pointer: fine)').matches) focusComposer();
  });
}

/** The element that had the focus before each open dialog, newest first. */
let formers: readonly (Element | null)[] = [];

/**
 * For `onCloseAutoFocus` of a dialog without a trigger: returns the focus to the element that had it; if that
 * disappeared with another dialog, to the element that had it before that dialog; otherwise as `refocus` does.
 * @param afterwards called after the focus was returned
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
