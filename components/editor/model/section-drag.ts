import { type PointerEvent as ReactPointerEvent, type RefObject, useState } from 'react';
import { followDrag } from '#components/editor/model/follow-drag.ts';
import type { PageEditor } from '#components/editor/model/page-editor.ts';
import { dropLine, dropPlace, scaleOf, sectionsOf } from '#components/editor/model/page-geometry.ts';
import { moveSection } from '#components/editor/model/section-actions.ts';

/** Distance from the edge of the window within which a drag scrolls the page; screen pixels. */
const PAGE_EDGE = 60;
/** Scroll distance per animation frame near an edge; screen pixels. */
const PAGE_STEP = 14;

interface SectionDrag {
  /** Height at which the section would be dropped, in pixels of the page's window; null if nothing is dragged. */
  readonly line: number | null;
  /** Handler for `onPointerDown` of a handle. */
  readonly grab: (event: ReactPointerEvent, sectionId: string) => void;
}

/**
 * Drags a section to another position on its page; near the edges the page scrolls, and Escape cancels.
 * @param page window of the draft
 * @param layer element over the page, as large as its window, but perhaps drawn at another scale
 */
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
    // Measured once, because measuring every section in each frame would be slow on a long page.
    let [boxes, height] = boxesOn(page);
    const updateTarget = (at: number) => {
      if (page.document.documentElement.scrollHeight !== height) [boxes, height] = boxesOn(page);
      to = dropPlace(boxes, from, at + page.scrollY);
    };
    const step = () => {
      if (signal.aborted) return;
      if (y !== null) {
        const [edge, top] = [PAGE_EDGE * unscale, PAGE_STEP * unscale];
        if (y < edge) page.scrollBy({ top: -top, behavior: 'instant' });
        else if (y > page.innerHeight - edge) page.scrollBy({ top, behavior: 'instant' });
        updateTarget(y);
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
        // Uses the last pointer position, even if no frame has drawn it yet.
        if (y !== null) updateTarget(y);
        if (to !== from) void moveSection(editor, sectionId, to);
      },
      onEnd: () => setLine(null),
    });
    requestAnimationFrame(step);
  };
  return { line, grab };
}

/** Tops and heights of all sections, from the top of the page, and the height of the page. */
function boxesOn(page: Window): [boxes: readonly { readonly top: number; readonly height: number }[], height: number] {
  const boxes = sectionsOf(page.document).map(({ top, height }) => ({ top: top + page.scrollY, height }));
  return [boxes, page.document.documentElement.scrollHeight];
}
