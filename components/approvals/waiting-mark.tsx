import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { ShieldQuestionMark } from 'lucide-react';
import Link from 'next/link';
import { ACCOUNT_PATH } from '#components/workspace/navigation.ts';
import { useEditorialCalls, waitingOf } from '#components/approvals/pending-approvals.ts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('shared');

/**
 * Polling interval; ms. Long, because people who work on another page need not know within seconds. A choice, not
 * measured.
 */
const REFRESH_MS = 20_000;

/** Link to the calls that wait for the user; renders nothing if there are none. */
export function WaitingMark() {
  const { data } = useApi(paths.callRequests, { refreshInterval: REFRESH_MS });
  const { data: editorial } = useEditorialCalls(REFRESH_MS);
  const count = (data ? waitingOf(data).length : 0) + (editorial?.items.length ?? 0);
  if (count === 0) return null;
  return (
    <Link
      href={ACCOUNT_PATH}
      aria-label={t('waitingCalls', { count })}
      title={t('waitingCalls', { count })}
      className="flex h-8 items-center gap-1 rounded-md px-2 text-sm text-amber hover:bg-ink/6"
    >
      <ShieldQuestionMark aria-hidden className="size-4" />
      {count}
    </Link>
  );
}
