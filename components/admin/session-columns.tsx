import Link from 'next/link';
import type { ReactNode } from 'react';
import { StateMark } from '#components/admin/state-mark';
import { Cost } from '#components/admin/cost';
import { FillBar } from '#components/admin/fill-bar';
import { adminStrings } from '#components/admin/words';
import { nameOfSite, useSites } from '#components/desk/site-of-page';
import { adminSessionPath } from '#components/desk/navigation';
import { dollars, number } from '#components/figures';
import type { SessionOverview } from '#server/core/session-overview';
import { TimeAgo } from '#components/ui/time-ago';

const say = adminStrings.sessions;

export type SortColumn = keyof typeof say.columns;
export type SortOrder = 'asc' | 'desc';

/** A column of the table of sessions: everything the screen knows about it. Its heading is in the words. */
interface SessionColumn {
  readonly width: string;
  /** Stands at the right. */
  readonly isFigure?: boolean;
  /** Hidden where there is little room; the session's own page shows it. */
  readonly isMinor?: boolean;
  /** Order after the first click on the heading. */
  readonly firstOrder: SortOrder;
  /** Value to sort by; null comes last in either order. */
  readonly sortKey: (session: SessionOverview) => string | number | null;
  readonly cell: (session: SessionOverview) => ReactNode;
}

/** The columns of the table of sessions, in their order. */
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
        say.of(context.currentTokens, context.usableTokens)
      ) : (
        <span className="text-ink-3">{say.notMeasured}</span>
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

export const sortColumns = Object.keys(sessionColumns) as readonly SortColumn[];

/** Whose session it is, and where there are several sites, which one it works on. */
export function OwnerAndSite({ ownerName, siteId }: Pick<SessionOverview, 'ownerName' | 'siteId'>) {
  const { items } = useSites();
  const site = items.find(({ id }) => id === siteId);
  const siteName = site === undefined ? say.goneSite : items.length > 1 ? nameOfSite(site) : null;
  return [ownerName, siteName].filter((part) => part !== null).join(' · ');
}

/** Figures of a session on one line, for screens without room for the columns. */
export function figureLine({ context, rounds, queued, cost, messageCount }: SessionOverview): string {
  return [
    ...(context ? [say.of(context.currentTokens, context.usableTokens)] : []),
    say.messages(messageCount),
    ...(rounds > 0 ? [say.roundCount(rounds)] : []),
    ...(queued > 0 ? [say.waitingCount(queued)] : []),
    ...(cost === null ? [] : [dollars(cost)]),
  ].join(' · ');
}
