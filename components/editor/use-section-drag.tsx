import { type PointerEvent as ReactPointerEvent, type RefObject, useState } from 'react';
import { followDrag } from '#components/editor/drag-order';
import type { PageEditor } from '#components/editor/page-editor';
import { scaleOf } from '#components/editor/page-frames';
import { dropLine, dropPlace, sectionsOf } from '#components/editor/page-geometry';
import { moveSection } from '#components/editor/structure';

/** Distance from the edge of the window within which a drag scrolls the page, and how far for each frame; pixels of the screen. */
const EDGE = 60;
const SCROLL_STEP = 14;

interface SectionDrag {
  /** Height at which the section would be put down, in pixels of the page's window; null while nothing is dragged. */
  readonly line: number | null;
  /** For `onPointerDown` of a handle. */
  readonly grab: (event: ReactPointerEvent, sectionId: string) => void;
}

/** Drags a section over its page to another place; near the edges the page scrolls, and Escape puts it back. */
export function useSectionDrag(page: Window, editor: PageEditor, layer: RefObject<HTMLElement | null>): SectionDrag {
  const [line, setLine] = useState<number | null>(null);

  const grab = (event: ReactPointerEvent, sectionId: string) => {
    const from = sectionsOf(page.document).findIndex(({ id }) => id === sectionId);
    if (event.button !== 0 || from === -1) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    let y: number | null = null;
    let unscale = 1;
    let to = from;
    // Measured once, on the page itself: to ask every section in each frame would be slow on a long page.
    let [boxes, height] = boxesOn(page);
    const step = () => {
      if (signal.aborted) return;
      if (y !== null) {
        const [edge, top] = [EDGE * unscale, SCROLL_STEP * unscale];
        if (y < edge) page.scrollBy({ top: -top, behavior: 'instant' });
        else if (y > page.innerHeight - edge) page.scrollBy({ top, behavior: 'instant' });
        if (page.document.documentElement.scrollHeight !== height) [boxes, height] = boxesOn(page);
        to = dropPlace(boxes, from, y + page.scrollY);
        setLine(dropLine(boxes, from, to) - page.scrollY);
      }
      requestAnimationFrame(step);
    };
    const follow = ({ clientY }: PointerEvent) => {
      if (layer.current === null) return;
      unscale = 1 / scaleOf(layer.current);
      y = (clientY - layer.current.getBoundingClientRect().top) * unscale;
    };
    const signal = followDrag({
      onMove: follow,
      onDrop: () => {
        if (to !== from) void moveSection(editor, sectionId, to);
      },
      onEnd: () => setLine(null),
    });
    requestAnimationFrame(step);
  };
  return { line, grab };
}

/** Tops and heights of all sections, counted from the top of the page, with the height of the page. */
function boxesOn(page: Window): [boxes: readonly { readonly top: number; readonly height: number }[], height: number] {
  const boxes = sectionsOf(page.document).map((section) => {
    const { top, height } = section.getBoundingClientRect();
    return { top: top + page.scrollY, height };
  });
  return [boxes, page.document.documentElement.scrollHeight];
}
