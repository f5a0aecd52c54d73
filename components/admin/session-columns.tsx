import Link from 'next/link';
import type { ReactNode } from 'react';
import { translator } from '#components/i18n.ts';
import { nameOfSite, useSites } from '#components/workspace/site-of-page';
import { adminSessionPath } from '#components/workspace/navigation.ts';
import { dollars, number } from '#components/format.ts';
import type { SessionOverview } from '#server/core/conversation/session-overview';
import { TimeAgo } from '#components/ui/page-parts';
import { StateMark } from '#components/admin/state-mark';
import { FillBar } from '#components/admin/fill-bar';
import { Cost } from '#components/admin/cost';

const t = translator('admin.sessions');

/** A column of the table, by which it can be sorted. */
export type SortColumn = 'title' | 'state' | 'tokens' | 'percent' | 'rounds' | 'queued' | 'cost' | 'updated';
/** Ascending or descending. */
export type SortOrder = 'asc' | 'desc';

/** A column of the table of sessions; its heading is a message. */
interface SessionColumn {
  /** Class that sets the width. */
  readonly width: string;
  /** True for a number, which is aligned right. */
  readonly isFigure?: boolean;
  /** Hidden on narrow screens; the session's own page shows it. */
  readonly isMinor?: boolean;
  /** Order after the first click on the heading. */
  readonly firstOrder: SortOrder;
  /** Value to sort by; null comes last in either order. */
  readonly sortKey: (session: SessionOverview) => string | number | null;
  readonly cell: (session: SessionOverview) => ReactNode;
}

/** The columns of the table of sessions, in order. */
export const sessionColumns: Readonly<Record<SortColumn, SessionColumn>> = {
  title: {
    width: 'w-auto',
    firstOrder: 'asc',
    sortKey: ({ title }) => title,
    cell: ({ id, title, ownerName, siteId }) => (
      <>
        <Link
          href={adminSessionPath(id)}
          className="block truncate font-serif text-[1.0625rem] after:absolute after:inset-0"
        >
          {title}
        </Link>
        <p className="truncate text-xs text-ink-3">
          <OwnerAndSite ownerName={ownerName} siteId={siteId} />
        </p>
      </>
    ),
  },
  state: {
    width: 'w-40',
    firstOrder: 'asc',
    sortKey: ({ state }) => state,
    cell: ({ state }) => <StateMark state={state} />,
  },
  tokens: {
    width: 'w-40',
    isFigure: true,
    firstOrder: 'desc',
    sortKey: ({ context }) => context?.currentTokens ?? null,
    cell: ({ context }) =>
      context ? (
        t('of', { current: context.currentTokens, usable: context.usableTokens })
      ) : (
        <span className="text-ink-3">{t('notMeasured')}</span>
      ),
  },
  percent: {
    width: 'w-44',
    firstOrder: 'desc',
    sortKey: ({ context }) => context?.percentUsed ?? null,
    cell: ({ context }) => context && <FillBar percent={context.percentUsed} />,
  },
  rounds: {
    width: 'w-20',
    isFigure: true,
    firstOrder: 'desc',
    sortKey: ({ rounds }) => rounds,
    cell: ({ rounds }) => number.format(rounds),
  },
  queued: {
    width: 'w-22',
    isFigure: true,
    isMinor: true,
    firstOrder: 'desc',
    sortKey: ({ queued }) => queued,
    cell: ({ queued }) => number.format(queued),
  },
  cost: {
    width: 'w-24',
    isFigure: true,
    isMinor: true,
    firstOrder: 'desc',
    sortKey: ({ cost }) => cost,
    cell: ({ context, cost }) =>
      context === null && cost === null ? <span className="text-ink-3">–</span> : <Cost amount={cost} />,
  },
  updated: {
    width: 'w-22',
    isFigure: true,
    firstOrder: 'desc',
    sortKey: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => (
      <span className="text-ink-2">
        <TimeAgo time={updatedAt} />
      </span>
    ),
  },
};

/** Names of the columns, in order. */
export const sortColumns = Object.keys(sessionColumns) as readonly SortColumn[];

/** The session's owner and, if the server has several sites, the session's site. */
export function OwnerAndSite({ ownerName, siteId }: Pick<SessionOverview, 'ownerName' | 'siteId'>) {
  const { items } = useSites();
  const site = items.find(({ id }) => id === siteId);
  const siteName = site === undefined ? t('goneSite') : items.length > 1 ? nameOfSite(site) : null;
  return [ownerName, siteName].filter((part) => part !== null).join(' · ');
}

/** Figures of a session on one line, for screens too narrow for the columns. */
export function figureLine({ context, rounds, queued, cost, messageCount }: SessionOverview): string {
  return [
    ...(context ? [t('of', { current: context.currentTokens, usable: context.usableTokens })] : []),
    t('messages', { count: messageCount }),
    ...(rounds > 0 ? [t('roundCount', { count: rounds })] : []),
    ...(queued > 0 ? [t('waitingCount', { count: queued })] : []),
    ...(cost === null ? [] : [dollars(cost)]),
  ].join(' · ');
}
