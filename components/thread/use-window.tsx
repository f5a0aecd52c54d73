import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** Rows drawn beyond each edge. */
const BEYOND = 8;

export interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Rows of a list that are in view, and some around them. @param height of the view, as `top` and `row` in pixels */
export function rangeOf(top: number, height: number, row: number, count: number): Range {
  const start = Math.max(0, Math.floor(top / row) - BEYOND);
  return { start: Math.min(start, count), end: Math.min(count, Math.ceil((top + height) / row) + BEYOND) };
}

/**
 * Draws only those rows of a long list that can be seen, all of the same height. The list starts at its end and stays
 * there while rows are added, unless the reader has scrolled away.
 */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number, row: number): Range {
  const [range, setRange] = useState<Range>({ start: 0, end: 0 });
  const [isAtEnd, setIsAtEnd] = useState(true);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = () => {
      const { scrollTop, clientHeight, scrollHeight } = element;
      setIsAtEnd(scrollTop + clientHeight >= scrollHeight - row);
      setRange((old) => {
        const next = rangeOf(scrollTop, clientHeight, row, count);
        return old.start === next.start && old.end === next.end ? old : next;
      });
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, count, row]);

  useEffect(() => {
    // The newest is what one looks for first.
    if (isAtEnd && count > 0) scroller.current?.scrollTo({ top: count * row, behavior: 'instant' });
  }, [isAtEnd, count, row, scroller]);
  return range;
}
