'use client';

import { CloudOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useConnection } from '#components/api/use-connection.ts';
import { toast } from 'sonner';
import { strings } from '#components/words.ts';

/** A banner while the server is unreachable, and a short message when it is back. */
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
