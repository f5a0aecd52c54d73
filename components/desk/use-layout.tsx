import { useCallback, useState } from 'react';
import { layoutCookie, type LayoutPreferences } from '#components/desk/layout-preferences';

export interface Layout extends LayoutPreferences {
  /** Changes the arrangement and remembers it. */
  readonly save: (change: Partial<LayoutPreferences>) => void;
  /** Changes it for the moment, as while dragging. */
  readonly adjust: (change: Partial<LayoutPreferences>) => void;
}

/** How the desk is arranged, beginning with what the server read from the cookie. */
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
