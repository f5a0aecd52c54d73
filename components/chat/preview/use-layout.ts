import { useCallback, useState } from 'react';
import { LAYOUT_COOKIE } from '#components/workspace/layout-preferences.ts';
import type { LayoutPreferences } from '#components/workspace/parse-layout.ts';

const ONE_YEAR_SECONDS = 31_536_000;

/** The present layout and the functions that change it. */
export interface Layout extends LayoutPreferences {
  /** Changes the layout and stores it. */
  readonly save: (change: Partial<LayoutPreferences>) => void;
  /** Changes the layout temporarily, for example while dragging. */
  readonly adjust: (change: Partial<LayoutPreferences>) => void;
}

/** The layout of the workspace, initialized from the cookie. */
export function useLayout(initial: LayoutPreferences): Layout {
  const [layout, setLayout] = useState(initial);
  const adjust = useCallback((change: Partial<LayoutPreferences>) => setLayout((old) => ({ ...old, ...change })), []);
  const save = useCallback(
    (change: Partial<LayoutPreferences>) => {
      document.cookie = layoutCookie({ ...layout, ...change });
      adjust(change);
    },
    [adjust, layout],
  );
  return { ...layout, adjust, save };
}

/** The cookie that stores a layout, for `document.cookie`. */
export function layoutCookie(layout: LayoutPreferences): string {
  const value = encodeURIComponent(JSON.stringify(layout));
  return `${LAYOUT_COOKIE}=${value}; path=/; max-age=${String(ONE_YEAR_SECONDS)}; samesite=lax`;
}
