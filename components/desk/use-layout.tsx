import { useCallback, useState } from 'react';
import { LAYOUT_COOKIE } from '#components/desk/layout-preferences';
import type { LayoutPreferences } from '#components/desk/parse-layout';

const ONE_YEAR_SECONDS = 31_536_000;

export interface Layout extends LayoutPreferences {
  /** Changes the arrangement and remembers it. */
  readonly save: (change: Partial<LayoutPreferences>) => void;
  /** Changes it for the moment, as while dragging. */
  readonly adjust: (change: Partial<LayoutPreferences>) => void;
}

/** The layout of the desk, starting with the cookie's value. */
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

/** The cookie that stores an arrangement, for `document.cookie`. */
export function layoutCookie(layout: LayoutPreferences): string {
  const value = encodeURIComponent(JSON.stringify(layout));
  return `${LAYOUT_COOKIE}=${value}; path=/; max-age=${String(ONE_YEAR_SECONDS)}; samesite=lax`;
}
