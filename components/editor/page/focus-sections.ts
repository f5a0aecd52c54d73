/** Id of the element over a page whose sections can be chosen by keys. */
export const SECTIONS_ID = 'page-sections';

/** Focuses the sections of the displayed page, for keys. False if there are none. */
export function focusSections(): boolean {
  const sections = document.getElementById(SECTIONS_ID);
  if (sections?.checkVisibility() !== true) return false;
  sections.focus({ preventScroll: true });
  return true;
}
