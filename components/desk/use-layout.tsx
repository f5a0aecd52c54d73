import { useCallback, useState } from 'react';
import { layoutCookie, type LayoutPreferences } from '#components/desk/layout-preferences';

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
