import { SECTION, sectionElements } from '#components/editor/model/section-elements.ts';

/** Id of the section that an element shows, see `SECTION`. */
export const idOf = ({ dataset, id }: HTMLElement) => dataset['section'] ?? id;

/** The rectangle of a section in the page's window; null if the page does not show it. */
function rectOf(page: Document, sectionId: string) {
  const rects = sectionElements(page, sectionId)
    .map((element) => element.getBoundingClientRect())
    .filter(({ width, height }) => width > 0 || height > 0);
  if (rects.length === 0) return null;
  const [left, top] = [Math.min(...rects.map((rect) => rect.left)), Math.min(...rects.map((rect) => rect.top))];
  const [right, bottom] = [Math.max(...rects.map((rect) => rect.right)), Math.max(...rects.map((rect) => rect.bottom))];
  return { left, top, right, bottom, height: bottom - top };
}
/** Selects elements that react to clicks on a page without scripts. */
const CONTROL = 'a[href], summary, button, input, textarea, select, label';

/** Elements at a point of a page; null for each kind that was not found. */
export interface Hit {
  readonly section: { readonly id: string } | null;
  /** Element that shows a field: see components/content/text/field-marks. */
  readonly field: HTMLElement | null;
  readonly link: HTMLAnchorElement | null;
  readonly control: HTMLElement | null;
}

/** Finds the elements at a point, in pixels from the top left corner of the page's window. */
export function hitAt(page: Document, x: number, y: number): Hit {
  const element = page.elementFromPoint(x, y);
  const section = element?.closest<HTMLElement>(SECTION);
  return {
    section: section ? { id: idOf(section) } : null,
    field: element?.closest<HTMLElement>('[data-field]') ?? null,
    link: element?.closest<HTMLAnchorElement>('a[href]') ?? null,
    control: element?.closest<HTMLElement>(CONTROL) ?? null,
  };
}

/** The sections of a page, from top to bottom. */
export function sectionsOf(
  page: Document,
): readonly { readonly id: string; readonly top: number; readonly height: number }[] {
  const ids = new Set([...page.querySelectorAll<HTMLElement>(SECTION)].map(idOf));
  return [...ids].map((id) => ({ id, ...(rectOf(page, id) ?? { top: 0, height: 0 }) }));
}

/** Scale of a layer as drawn: 0.5 is half its size. */
export function scaleOf(layer: HTMLElement | null): number {
  return (layer && layer.getBoundingClientRect().width / layer.offsetWidth) || 1;
}

/** A box in pixels from the top left corner of the page's window. */
export interface Box extends VerticalExtent {
  readonly left: number;
  readonly width: number;
}

/** The upper edge and the height of a box; pixels. */
interface VerticalExtent {
  readonly top: number;
  readonly height: number;
}

/** Distance between a section and the frame around it; pixels of the page. */
const MARGIN = 14;

/** The box of a section with its margin, no wider than the window; null if the page does not show it. */
export function boxOf(page: Window, sectionId: string): Box | null {
  const rect = rectOf(page.document, sectionId);
  if (rect === null) return null;
  const left = Math.max(2, rect.left - MARGIN);
  const right = Math.min(page.document.documentElement.clientWidth - 2, rect.right + MARGIN);
  return { left, top: rect.top - MARGIN, width: right - left, height: rect.height + 2 * MARGIN };
}

/** Top of a bar above a box, or inside it if the box begins above the window; pixels. */
export function barTop(box: Box, barHeight: number, gap: number): number {
  return Math.max(gap, box.top - barHeight - gap);
}

/** True if a box is at least partly in the window. */
export function isInSight({ top, height }: Box, windowHeight: number): boolean {
  return top < windowHeight && top + height > 0;
}

/**
 * Position that a dragged section would take: after all sections whose middle is above the pointer.
 * @param boxes of all sections, in order
 * @param y pixels, in the same coordinates as the boxes
 */
export function dropPlace(boxes: readonly VerticalExtent[], from: number, y: number): number {
  return boxes.filter(({ top, height }, index) => index !== from && top + height / 2 < y).length;
}

/** Height of the line that shows a drop position between two sections; pixels. */
export function dropLine(boxes: readonly VerticalExtent[], from: number, to: number): number {
  const others = boxes.filter((_, index) => index !== from);
  const [before, after] = [others[to - 1], others[to]];
  const end = before && before.top + before.height;
  if (end === undefined) return (after?.top ?? 0) - MARGIN;
  return after ? (end + after.top) / 2 : end + MARGIN;
}

/** Scrolls a section into view, a little below the top of the window, unless its beginning is visible already. */
export function reveal(page: Window, sectionId: string): void {
  const rect = rectOf(page.document, sectionId);
  if (rect === null) return;
  const isSeen = rect.top >= 0 && (rect.bottom <= page.innerHeight || rect.top < page.innerHeight / 2);
  // Not `scrollIntoView`, which would also scroll the workspace around the frame.
  if (!isSeen) page.scrollBy({ top: rect.top - page.innerHeight / 6, behavior: 'instant' });
}
