import { paths } from '#components/api/paths.ts';
import { ShieldQuestionMark } from 'lucide-react';
import Link from 'next/link';
import { ACCOUNT_PATH } from '#components/workspace/navigation.ts';
import { strings } from '#components/words.ts';
import { useEditorialCalls, waitingOf } from '#components/approvals/pending-approvals.ts';
import { useApi } from '#components/api/use-api.ts';

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
      aria-label={strings.waitingCalls(count)}
      title={strings.waitingCalls(count)}
      className="flex h-8 items-center gap-1 rounded-md px-2 text-sm text-amber hover:bg-ink/6"
    >
      <ShieldQuestionMark aria-hidden className="size-4" />
      {count}
    </Link>
  );
}
