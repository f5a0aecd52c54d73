import { headingOf, refocus } from '#components/ui/focus';

/** Buttons of a row, without those with which the next Enter would change something there at once. */
const BUTTONS = 'button:enabled:not([role=radio], [role=switch], [aria-pressed])';
const CONTROLS = `${BUTTONS}, input:enabled, select:enabled, textarea:enabled`;

/**
 * For the `ref` of an element that disappears once it is used: passes the focus in it to a neighbour's first button that
 * chooses nothing. From the last element it goes to what follows the list in its part of the page, or to the heading of
 * that; or else to where `refocus` finds a place.
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
