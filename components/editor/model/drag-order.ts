import { type PointerEvent as ReactPointerEvent, type RefObject, useState } from 'react';
import { followDrag } from '#components/editor/model/follow-drag.ts';

/** Distance from the edge of the scrolling box within which a drag scrolls the box; pixels. */
const EDGE = 40;
/** Scroll distance per pointer event near an edge; pixels. */
const SCROLL_STEP = 12;

interface Drag {
  /** Index of the dragged row, and the index that it would have if it were dropped now. */
  readonly from: number;
  readonly to: number;
  /** Distance of the dragged row from its original position; pixels. */
  readonly by: number;
  /** Height of the dragged row, including the gap below it; pixels. */
  readonly height: number;
}

/** Drags of the rows of a list by their handles. */
export interface DragOrder {
  /** Handler for `onPointerDown` of the handle of a row. */
  readonly grab: (event: ReactPointerEvent, index: number) => void;
  /** Offset of a row during a drag: the other rows make room for the dragged one. */
  readonly styleOf: (index: number) => { readonly transform: string } | undefined;
  readonly isDragged: (index: number) => boolean;
}

/**
 * Follows the pointer from a handle until the row is dropped; Escape cancels.
 * @param list element whose children are the rows
 * @param onMove called after a drop at another position, with the former and the new index of the row
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

/**
 * New index of a dragged row: it comes after all rows whose middle its leading edge has passed.
 * @param by distance of the row from its original position; pixels, negative upwards
 */
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
