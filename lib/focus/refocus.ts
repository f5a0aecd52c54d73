import { askDesk } from '#lib/desk/desk-requests';

/**
 * Where what had the focus is gone, gives it to something near, or else to the panel or the page's main part, or else to
 * the composer: whoever uses a keyboard would begin at the top of the page again. Not to the composer by touch, where it
 * would bring up the keyboard.
 */
export function refocus(near?: () => HTMLElement | null | undefined): void {
  // What is gone is on screen until the next frame.
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    near?.()?.focus();
    if (document.activeElement !== document.body) return;
    const place = document.querySelector<HTMLElement>('dialog[open], #main');
    if (place) place.focus({ preventScroll: true });
    else if (window.matchMedia('(pointer: fine)').matches) askDesk('focus-composer', null);
  });
}
