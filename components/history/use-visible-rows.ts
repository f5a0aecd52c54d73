import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Number of rows rendered beyond each edge, so that scrolling shows no gaps. */
const OVERSCAN = 8;

/** Range of the rows to render. */
export interface RowRange {
  /** Index of the first row. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The visible rows of a list, and OVERSCAN on either side.
 * @param top scroll position; pixels
 * @param height height of the visible part; pixels
 * @param row height of a row; pixels
 * @param count number of all rows
 */
export function rangeOf(top: number, height: number, row: number, count: number): RowRange {
  const start = Math.max(0, Math.floor(top / row) - OVERSCAN);
  return { start: Math.min(start, count), end: Math.min(count, Math.ceil((top + height) / row) + OVERSCAN) };
}

/**
 * The rows to render of a long list whose rows all have the height `row` (pixels). The list is scrolled to its end at
 * first and stays there while rows are added, unless the reader has scrolled away.
 */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, count: number, row: number): RowRange {
  const [range, setRange] = useState<RowRange>({ start: 0, end: 0 });
  /** Set by the reader's scrolling only: added rows and a changed height do not affect it. */
  const isAtEnd = useRef(true);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const updateRange = () => {
      const { scrollTop, clientHeight } = element;
      setRange((old) => {
        const next = rangeOf(scrollTop, clientHeight, row, count);
        return old.start === next.start && old.end === next.end ? old : next;
      });
    };
    const follow = () => {
      // The newest row is what users look for first.
      if (isAtEnd.current) element.scrollTo({ top: count * row, behavior: 'instant' });
      updateRange();
    };
    const onScroll = () => {
      const { scrollTop, clientHeight, scrollHeight } = element;
      isAtEnd.current = scrollTop + clientHeight >= scrollHeight - row;
      updateRange();
    };
    follow();
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, count, row]);
  return range;
}
