'use client';

import clsx from 'clsx';
import { adminStrings } from '#lib/strings/admin';
import { useConnection } from '#lib/api/use-connection';

/** Says that what is shown follows what happens. */
export function LiveMark() {
  const isLive = useConnection() === 'online';
  return (
    <p className="flex items-center gap-2 text-xs text-ink-2">
      <span
        aria-hidden
        className={clsx('size-2 rounded-full border', isLive ? 'border-accent bg-accent' : 'border-ink-3')}
      />
      {isLive ? adminStrings.live.on : adminStrings.live.off}
    </p>
  );
}
