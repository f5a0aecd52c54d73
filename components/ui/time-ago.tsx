'use client';

import { dates } from '#components/figures';
import { relativeTime } from '#components/ui/format';
import { useNow } from '#components/ui/hooks';

const whole = dates({ dateStyle: 'medium', timeStyle: 'medium' });

/** Time passed since `time` (epoch ms), with the exact time on hover. */
export function TimeAgo({ time }: { readonly time: number }) {
  const now = useNow(15_000);
  return (
    <time dateTime={new Date(time).toISOString()} title={now === null ? undefined : whole.format(time)}>
      {now === null ? '' : relativeTime(time, now)}
    </time>
  );
}
