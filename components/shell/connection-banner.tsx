'use client';

import { CloudOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { translator } from '#components/i18n.ts';
import { useConnection } from '#components/api/use-connection.ts';
import { toast } from 'sonner';

const t = translator('shared');

/** A banner while the server is unreachable, and a short message when it is back. */
export function ConnectionBanner() {
  const state = useConnection();
  const wasLost = useRef(false);

  useEffect(() => {
    if (state === 'online' && wasLost.current) toast(t('connection.back'));
    wasLost.current = state === 'offline';
  }, [state]);

  if (state === 'online') return null;
  return (
    <output className="flex items-center justify-center gap-2 bg-ink px-4 py-1.5 text-sm text-paper">
      <CloudOff aria-hidden className="size-4" />
      {t('connection.lost')}
    </output>
  );
}
