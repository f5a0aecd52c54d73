import clsx from 'clsx';
import { Wallet } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { translator } from '#components/i18n.ts';
import { useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { settingsSectionPath } from '#components/workspace/settings-pages.ts';
import { dollars } from '#components/format.ts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('budget');

/** Polling interval without local activity, because others spend from the same budget; milliseconds. */
const REFRESH_INTERVAL_MS = 60_000;

interface BudgetStripProps {
  /** Null for a new conversation. */
  readonly sessionId: string | null;
  /** True while a turn runs; its end triggers a refresh, because it has spent something. */
  readonly isRunning: boolean;
}

/** A notice above the message field when a budget is almost or completely used up; otherwise nothing. */
export function BudgetStrip({ sessionId, isRunning }: BudgetStripProps) {
  const { data, mutate } = useApi(paths.budgets(sessionId), {
    refreshInterval: REFRESH_INTERVAL_MS,
  });
  const lookAgain = useEffectEvent(() => void mutate());
  useEffect(() => {
    if (!isRunning) return;
    return () => lookAgain();
  }, [isRunning]);
  // The fullest budget comes first; its message holds for the others too.
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
        {isReached ? t(`reached.${scope}`) : t(`near.${scope}`, { percent: Math.floor(share * 100) })}
        {spent !== null && limit !== null && ` ${t('amounts', { spent: dollars(spent), limit: dollars(limit) })}`}
      </span>
      <BudgetPlace />
    </output>
  );
}

/** Link to the budget settings, for users who may change them. */
function BudgetPlace() {
  if (useMe()?.role !== 'admin') return null;
  return (
    <a href={settingsSectionPath('budgets')} className="text-accent underline underline-offset-3">
      {t('place')}
    </a>
  );
}
