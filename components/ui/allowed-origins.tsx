'use client';

import { createContext, useContext, useMemo } from 'react';
import type { TrustedOrigins } from '#components/ui/safe-url';

const AllowedOriginsContext = createContext<readonly string[]>([]);

/** Other origins whose pictures and links are trusted; without it there are none. */
export const AllowedOrigins = AllowedOriginsContext.Provider;

/** Origins that links open without asking. In the browser only. */
export function useTrustedOrigins(): TrustedOrigins {
  const allowed = useContext(AllowedOriginsContext);
  return useMemo(() => ({ own: window.location.origin, allowed }), [allowed]);
}
