/**
 * CSS selector of the elements that show sections of a draft. A page of the built-in site has one element for each
 * section; in a page that its CMS has rendered, every element of a section has the attribute `data-section`.
 */
export const SECTION = '.site-entry > section[data-kind], [data-section]';

/** The elements that show a section; exactly one in a page of the built-in site, none if the page does not show it. */
export function sectionElements(shown: Document, id: string): readonly HTMLElement[] {
  const own = shown.getElementById(id);
  if (own?.matches(SECTION)) return [own];
  return [...shown.querySelectorAll<HTMLElement>(`[data-section="${CSS.escape(id)}"]`)];
}
