import { ShieldQuestionMark } from 'lucide-react';
import Link from 'next/link';
import useSWR from 'swr';
import { CALL_REQUESTS_PATH, type CallRequestList, waitingOf } from '#lib/access/calls-client';
import { ACCOUNT_PATH } from '#lib/desk/navigation';
import { callStrings as text } from '#lib/strings/calls';

/** Who works elsewhere need not know within seconds; milliseconds. */
const REFRESH_MS = 20_000;

/** Says that calls of other assistants wait, and leads there; nothing while none does. */
export function WaitingMark() {
  const { data } = useSWR<CallRequestList, Error>(CALL_REQUESTS_PATH, { refreshInterval: REFRESH_MS });
  const count = data ? waitingOf(data).length : 0;
  if (count === 0) return null;
  return (
    <Link
      href={ACCOUNT_PATH}
      aria-label={text.mark(count)}
      title={text.mark(count)}
      className="flex h-8 items-center gap-1 rounded-md px-2 text-sm text-amber hover:bg-ink/6"
    >
      <ShieldQuestionMark aria-hidden className="size-4" />
      {count}
    </Link>
  );
}
