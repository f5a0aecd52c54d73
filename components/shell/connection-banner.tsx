'use client';

import { CloudOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { toast } from 'sonner';
import { useConnection } from '#components/api/use-connection';
import { strings } from '#components/words';

/** A quiet line while the server is gone, and a word when it is back. */
export function ConnectionBanner() {
  const state = useConnection();
  const wasLost = useRef(false);

  useEffect(() => {
    if (state === 'online' && wasLost.current) toast(strings.connection.back);
    wasLost.current = state === 'offline';
  }, [state]);

  if (state === 'online') return null;
  return (
    <output className="flex items-center justify-center gap-2 bg-ink px-4 py-1.5 text-sm text-paper">
      <CloudOff aria-hidden className="size-4" />
      {strings.connection.lost}
    </output>
  );
}
