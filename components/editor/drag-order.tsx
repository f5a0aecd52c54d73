import { type PointerEvent as ReactPointerEvent, type RefObject, useState } from 'react';
import type { PageEditor } from '#components/editor/page-editor';
import { dropLine, dropPlace, scaleOf, sectionsOf } from '#components/editor/page-geometry';
import { moveSection } from '#components/editor/structure';

/** Distance from the edge of the scrolling box within which a drag scrolls it, and how far at each move; pixels. */
const EDGE = 40;
const SCROLL_STEP = 12;

interface Drag {
  readonly from: number;
  readonly to: number;
  /** Pixels from where it was. */
  readonly by: number;
  /** Height of what is dragged, with the gap below it; pixels. */
  readonly height: number;
}

/** Drags of the rows of a list by their handles. */
export interface DragOrder {
  /** For `onPointerDown` of the handle of a row. */
  readonly grab: (event: ReactPointerEvent, index: number) => void;
  readonly styleOf: (index: number) => { readonly transform: string } | undefined;
  readonly isDragged: (index: number) => boolean;
}

/**
 * Follows the pointer from a handle to where the row is let go; Escape puts it back.
 * @param list its children are the rows
 */
export function useDragOrder(
  list: RefObject<HTMLElement | null>,
  onMove: (from: number, to: number) => void,
): DragOrder {
  const [drag, setDrag] = useState<Drag | null>(null);

  const grab = (event: ReactPointerEvent, from: number) => {
    const rows = [...(list.current?.children ?? [])].map((row) => row.getBoundingClientRect());
    const own = rows[from];
    if (event.button !== 0 || own === undefined) return;
    const scroller = scrollerOf(list.current);
    const startY = event.clientY;
    const startScroll = scroller?.scrollTop ?? 0;
    const height = (rows[from + 1]?.top ?? own.bottom) - own.top;
    let to = from;
    const follow = ({ clientY }: PointerEvent) => {
      scrollNear(scroller, clientY);
      const by = clientY - startY + (scroller?.scrollTop ?? 0) - startScroll;
      to = placeAt(rows, from, by);
      setDrag({ from, to, by, height });
    };
    followDrag({
      onMove: follow,
      onDrop: () => {
        if (to !== from) onMove(from, to);
      },
      onEnd: () => setDrag(null),
    });
  };

  return {
    grab,
    isDragged: (index) => drag?.from === index,
    styleOf: (index) => {
      if (drag === null) return undefined;
      const shift = index === drag.from ? drag.by : shiftOf(index, drag);
      return { transform: `translateY(${String(shift)}px)` };
    },
  };
}

interface FollowedDrag {
  readonly onMove: (event: PointerEvent) => void;
  /** The pointer was let go; called after `onEnd`. */
  readonly onDrop: () => void;
  /** The drag is over, also where Escape or the browser ended it. */
  readonly onEnd: () => void;
}

/**
 * Follows the pointer until it is let go, or Escape is pressed.
 * @returns aborted when the drag is over
 */
function followDrag({ onMove, onDrop, onEnd }: FollowedDrag): AbortSignal {
  const listening = new AbortController();
  const { signal } = listening;
  const end = () => {
    listening.abort();
    onEnd();
  };
  window.addEventListener('pointermove', onMove, { signal });
  window.addEventListener('pointercancel', end, { signal });
  window.addEventListener(
    'pointerup',
    () => {
      end();
      onDrop();
    },
    { signal },
  );
  window.addEventListener(
    'keydown',
    (key) => {
      if (key.key !== 'Escape') return;
      key.stopPropagation();
      end();
    },
    { signal, capture: true },
  );
  return signal;
}

/** Place of a row that was dragged so far: behind every other whose middle its own has passed. */
export function placeAt(
  rows: readonly { readonly top: number; readonly bottom: number }[],
  from: number,
  by: number,
): number {
  const own = rows[from];
  if (own === undefined) return from;
  const edge = by > 0 ? own.bottom + by : own.top + by;
  return rows.filter(({ top, bottom }, index) => index !== from && (top + bottom) / 2 < edge).length;
}

function shiftOf(index: number, { from, to, height }: Drag): number {
  if (index > from && index <= to) return -height;
  return index < from && index >= to ? height : 0;
}

function scrollerOf(element: Element | null): Element | null {
  if (element === null) return null;
  const isScroller =
    element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY);
  return isScroller ? element : scrollerOf(element.parentElement);
}

function scrollNear(scroller: Element | null, y: number): void {
  if (scroller === null) return;
  const { top, bottom } = scroller.getBoundingClientRect();
  if (y < top + EDGE) scroller.scrollTop -= SCROLL_STEP;
  else if (y > bottom - EDGE) scroller.scrollTop += SCROLL_STEP;
}

/** Distance from the edge of the window within which a drag scrolls the page, and how far for each frame; pixels of the screen. */
const PAGE_EDGE = 60;
const PAGE_STEP = 14;

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
    const look = (at: number) => {
      if (page.document.documentElement.scrollHeight !== height) [boxes, height] = boxesOn(page);
      to = dropPlace(boxes, from, at + page.scrollY);
    };
    const step = () => {
      if (signal.aborted) return;
      if (y !== null) {
        const [edge, top] = [PAGE_EDGE * unscale, PAGE_STEP * unscale];
        if (y < edge) page.scrollBy({ top: -top, behavior: 'instant' });
        else if (y > page.innerHeight - edge) page.scrollBy({ top, behavior: 'instant' });
        look(y);
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
        // Where it is let go, also before the next frame has shown that.
        if (y !== null) look(y);
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
  const boxes = sectionsOf(page.document).map(({ top, height }) => ({ top: top + page.scrollY, height }));
  return [boxes, page.document.documentElement.scrollHeight];
}
