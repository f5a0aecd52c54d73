import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

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
  /** The place where the reader left it: rows that are added and a height that changes say nothing about that. */
  const isAtEnd = useRef(true);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = () => {
      const { scrollTop, clientHeight } = element;
      setRange((old) => {
        const next = rangeOf(scrollTop, clientHeight, row, count);
        return old.start === next.start && old.end === next.end ? old : next;
      });
    };
    const follow = () => {
      // The newest is what one looks for first.
      if (isAtEnd.current) element.scrollTo({ top: count * row, behavior: 'instant' });
      look();
    };
    const onScroll = () => {
      const { scrollTop, clientHeight, scrollHeight } = element;
      isAtEnd.current = scrollTop + clientHeight >= scrollHeight - row;
      look();
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
