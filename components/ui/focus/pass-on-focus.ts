import { headingOf, refocus } from '#components/ui/focus/focus.ts';

/** Buttons of a row, without those with which the next Enter would immediately change something. */
const BUTTONS = 'button:enabled:not([role=radio], [role=switch], [aria-pressed])';
const CONTROLS = `${BUTTONS}, input:enabled, select:enabled, textarea:enabled`;

/**
 * Ref callback of an element that disappears after use: moves its focus to the first button of a neighbour that changes
 * no choice. From the last element it moves to the element after the list in its part of the page, or to the heading of
 * that part; otherwise as `refocus` does.
 */
export function passOnFocus(element: HTMLElement | null): () => void {
  return () => {
    if (element?.contains(document.activeElement) !== true) return;
    const neighbour = element.nextElementSibling ?? element.previousElementSibling;
    const part = element.closest('fieldset, section');
    const following = [...(part?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])].find(
      (each) => element.compareDocumentPosition(each) === Node.DOCUMENT_POSITION_FOLLOWING,
    );
    refocus(() => {
      if (neighbour?.isConnected) return neighbour.querySelector<HTMLElement>(BUTTONS);
      return following?.isConnected === true ? following : headingOf(part);
    });
  };
}
