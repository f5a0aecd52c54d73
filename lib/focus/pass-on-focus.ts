import { refocus } from '#lib/focus/refocus';

/**
 * As the `ref` of something that goes away once it is used: the focus in it goes to a neighbour's first button, or
 * else to where `refocus` finds a place.
 */
export function passOnFocus(element: HTMLElement | null): () => void {
  return () => {
    if (element?.contains(document.activeElement) !== true) return;
    const neighbour = element.nextElementSibling ?? element.previousElementSibling;
    refocus(() => neighbour?.querySelector<HTMLElement>('button:enabled'));
  };
}
