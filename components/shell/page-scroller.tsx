'use client';

import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';

/** Last scroll position of each page, by path; pixels. */
const scrollPositions = new Map<string, number>();
/** True if the page was reached by going back. */
let isBack = false;
if (typeof window !== 'undefined') window.addEventListener('popstate', ({ state }) => (isBack = state !== null));
/** Keys that scroll a page. */
const SCROLL_KEYS = new Set([' ', 'PageUp', 'PageDown', 'Home', 'End', 'ArrowUp', 'ArrowDown']);

/**
 * Scrolls its content itself, so that elements below it reduce its height and cover nothing. Does what browsers do for
 * a page that scrolls as a whole: a new page starts at the top, going back restores the scroll position, and the keys
 * scroll if no element has the focus.
 */
export function PageScroller({ children }: { readonly children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const path = usePathname();
  useLayoutEffect(() => {
    const scroller = element.current;
    if (!scroller) return undefined;
    if (window.location.hash === '') scroller.scrollTop = isBack ? (scrollPositions.get(path) ?? 0) : 0;
    isBack = false;
    const note = () => scrollPositions.set(path, scroller.scrollTop);
    scroller.addEventListener('scroll', note, { passive: true });
    return () => scroller.removeEventListener('scroll', note);
  }, [path]);
  useEffect(() => {
    const takeKey = ({ key }: KeyboardEvent) => {
      if (SCROLL_KEYS.has(key) && document.activeElement === document.body)
        element.current?.focus({ preventScroll: true });
    };
    document.addEventListener('keydown', takeKey);
    return () => document.removeEventListener('keydown', takeKey);
  }, []);
  return (
    <div ref={element} tabIndex={-1} className="flex min-h-0 flex-1 flex-col overflow-y-auto outline-none">
      {children}
    </div>
  );
}
