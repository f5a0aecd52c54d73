import clsx from 'clsx';
import { translator } from '#components/i18n.ts';
import { useConnection } from '#components/api/use-connection.ts';

const t = translator('admin.live');

/** Shows whether the page receives changes live, or has lost the connection to the server. */
export function LiveMark() {
  const isLive = useConnection() === 'online';
  return (
    <p className="flex items-center gap-2 text-xs text-ink-2">
      <span
        aria-hidden
        className={clsx('size-2 rounded-full border', isLive ? 'border-accent bg-accent' : 'border-ink-3')}
      />
      {isLive ? t('on') : t('off')}
    </p>
  );
}
