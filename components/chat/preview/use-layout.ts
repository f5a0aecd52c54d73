import { useCallback, useRef, useState } from 'react';
import { LAYOUT_COOKIE } from '#components/workspace/layout-preferences.ts';
import type { LayoutPreferences } from '#components/workspace/parse-layout.ts';

const ONE_YEAR_SECONDS = 31_536_000;

/** The present layout and the functions that change it. */
export interface Layout extends LayoutPreferences {
  /** Changes the layout and stores it. @param change or a function that computes it from the present layout */
  readonly save: (
    change: Partial<LayoutPreferences> | ((layout: LayoutPreferences) => Partial<LayoutPreferences>),
  ) => void;
  /** Changes the layout temporarily, for example while dragging. */
  readonly adjust: (change: Partial<LayoutPreferences>) => void;
}

/** The layout of the workspace, initialized from the cookie. The functions stay the same. */
export function useLayout(initial: LayoutPreferences): Layout {
  const [layout, setLayout] = useState(initial);
  const present = useRef(initial);
  const adjust = useCallback((change: Partial<LayoutPreferences>) => {
    present.current = { ...present.current, ...change };
    setLayout(present.current);
  }, []);
  const save = useCallback<Layout['save']>(
    (change) => {
      adjust(typeof change === 'function' ? change(present.current) : change);
      document.cookie = layoutCookie(present.current);
    },
    [adjust],
  );
  return { ...layout, adjust, save };
}

/** The cookie that stores a layout, for `document.cookie`. */
export function layoutCookie(layout: LayoutPreferences): string {
  const value = encodeURIComponent(JSON.stringify(layout));
  return `${LAYOUT_COOKIE}=${value}; path=/; max-age=${String(ONE_YEAR_SECONDS)}; samesite=lax`;
}
