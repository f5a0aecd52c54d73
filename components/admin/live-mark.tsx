import clsx from 'clsx';
import { adminStrings } from '#components/admin/words.ts';
import { useConnection } from '#components/api/use-connection.ts';

/** Shows whether the page receives changes live, or has lost the connection to the server. */
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
