import Link from 'next/link';
import type { ReactNode } from 'react';
import { adminStrings } from '#components/admin/words';
import { nameOfSite, useSites } from '#components/desk/site-of-page';
import { adminSessionPath } from '#components/desk/navigation';
import { dollars, number, percentage } from '#components/figures';
import type { SessionOverview, SessionState } from '#server/core/session-overview';
import { TimeAgo } from '#components/ui/page-parts';
import clsx from 'clsx';
import { Circle, CircleDashed, Hand, Layers2, type LucideIcon, Pause, TriangleAlert } from 'lucide-react';
import { contextLevel, FULL_PERCENT, levelBar, levelText, WARM_PERCENT } from '#components/ui/context-level';

const marks: Record<SessionState, { readonly icon: LucideIcon; readonly className: string }> = {
  idle: { icon: Circle, className: 'text-ink-3 [&_svg]:size-2.5' },
  running: { icon: CircleDashed, className: 'text-accent [&_svg]:motion-safe:animate-[spin_4s_linear_infinite]' },
  compacting: { icon: Layers2, className: 'text-accent [&_svg]:animate-breathe' },
  waiting_approval: { icon: Hand, className: 'text-amber' },
  held: { icon: Pause, className: 'text-amber' },
  failed: { icon: TriangleAlert, className: 'text-red' },
};

/** Icon and word for the state of a session. */
export function StateMark({ state }: { readonly state: SessionState }) {
  const { icon: Icon, className } = marks[state];
  return (
    <span className={clsx('inline-flex items-center gap-1.5 whitespace-nowrap text-sm', className)}>
      <span aria-hidden className="inline-flex w-4 justify-center [&_svg]:size-3.5 [&_svg]:stroke-2">
        <Icon />
      </span>
      {adminStrings.states[state]}
    </span>
  );
}

/** Context fill (percent of usable): a small bar with marks at its two levels, and the figure. */
export function FillBar({ percent, className }: { readonly percent: number; readonly className?: string }) {
  const level = contextLevel(percent);
  // What is beyond it is summarized before it is used: more than all of it says nothing.
  const shown = Math.min(100, percent);
  return (
    <span className={clsx('flex items-center gap-2.5', className)}>
      <span aria-hidden className="relative h-1.5 min-w-12 flex-1 overflow-hidden rounded-[2px] bg-rule">
        <span
          className={clsx('absolute inset-y-0 left-0 transition-[width] duration-500', levelBar[level])}
          style={{ width: `${String(shown)}%` }}
        />
        {[WARM_PERCENT, FULL_PERCENT].map((place) => (
          <span key={place} className="absolute inset-y-0 w-px bg-paper" style={{ left: `${String(place)}%` }} />
        ))}
      </span>
      <span className={clsx('w-11 text-right whitespace-nowrap tabular-nums', levelText[level])}>
        {percentage(shown)}
      </span>
    </span>
  );
}

/** An amount in US dollars; null where the provider does not say it. */
export function Cost({ amount }: { readonly amount: number | null }) {
  if (amount !== null) return <span className="tabular-nums">{dollars(amount)}</span>;
  return (
    <span className="text-ink-3" title={adminStrings.sessions.unknownCost}>
      {adminStrings.unknown}
    </span>
  );
}

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

/** The session's owner and, where there are several sites, the one it works on. */
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
