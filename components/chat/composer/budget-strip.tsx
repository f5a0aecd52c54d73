import clsx from 'clsx';
import { Wallet } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import useSWR from 'swr';
import { useMe } from '#components/access/access-client';
import { paths } from '#components/api/paths';
import { ADMIN_SETTINGS_PATH } from '#components/desk/navigation';
import { dollars } from '#components/figures';
import { budgetStrings } from '#components/chat/session/words';
import type { Budget } from '#server/core/spending';

const say = budgetStrings;

/** Interval of polls while nothing happens here: others spend from the same budget. Milliseconds. */
const LOOK_AGAIN_MS = 60_000;

interface BudgetStripProps {
  /** Null: a conversation to come. */
  readonly sessionId: string | null;
  /** A turn runs: its end is when something was spent. */
  readonly isRunning: boolean;
}

/** A word above the message field when a budget is nearly or wholly used up; nothing otherwise. */
export function BudgetStrip({ sessionId, isRunning }: BudgetStripProps) {
  const { data, mutate } = useSWR<{ readonly items: readonly Budget[] }>(paths.budgets(sessionId), {
    refreshInterval: LOOK_AGAIN_MS,
  });
  const lookAgain = useEffectEvent(() => void mutate());
  useEffect(() => {
    if (!isRunning) return;
    return () => lookAgain();
  }, [isRunning]);
  // The fullest comes first: what it says holds for the others too.
  const budget = data?.items.find(({ level }) => level !== 'fine');
  if (!budget) return null;
  const { scope, level, share, spent, limit } = budget;
  const isReached = level === 'reached';
  return (
    <output
      className={clsx(
        'mb-2 flex flex-wrap items-baseline gap-x-2 rounded-lg px-3 py-2 text-sm',
        isReached ? 'bg-red-wash' : 'bg-accent-wash',
      )}
    >
      <Wallet aria-hidden className={clsx('size-4 self-center', isReached ? 'text-red' : 'text-amber')} />
      <span className="min-w-0 flex-1">
        {isReached ? say.reached[scope] : say.near[scope](Math.floor(share * 100))}
        {spent !== null && limit !== null && ` ${say.amounts(dollars(spent), dollars(limit))}`}
      </span>
      <BudgetPlace />
    </output>
  );
}

/** The way to where budgets are set, for who may set them. */
function BudgetPlace() {
  if (useMe()?.role !== 'admin') return null;
  return (
    <a href={`${ADMIN_SETTINGS_PATH}#settings-budgets`} className="text-accent underline underline-offset-3">
      {say.place}
    </a>
  );
}
