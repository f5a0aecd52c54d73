import clsx from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import Link from 'next/link';
import { useId } from 'react';
import { Cost, FillBar, StateMark } from '#components/admin/marks';
import {
  firstOrder,
  type SessionListView,
  type SortColumn,
  sortColumns,
  sortedBy,
} from '#components/admin/session-list';
import { adminStrings } from '#components/admin/words';
import { adminSessionPath } from '#components/desk/navigation';
import { IconButton } from '#components/ui/buttons';
import { TimeAgo } from '#components/ui/time-ago';
import type { SessionOverview } from '#server/core/context-report';

const say = adminStrings.sessions;
const figures: ReadonlySet<SortColumn> = new Set(['tokens', 'rounds', 'queued', 'cost', 'updated']);
/** Leave when there is little room; the session's own page has them. */
const minor: ReadonlySet<SortColumn> = new Set(['queued', 'cost']);

/** How a column's cells stand. */
function cell(column: SortColumn): string {
  return clsx('px-3', figures.has(column) && 'text-right tabular-nums', minor.has(column) && 'max-[1099px]:hidden');
}

export interface SessionRowsProps {
  readonly rows: readonly SessionOverview[];
  /** Ids of rows that changed while they were looked at. */
  readonly changed: ReadonlySet<string>;
  readonly view: SessionListView;
  readonly onView: (view: SessionListView) => void;
}

/** Sessions as a table; each row leads to the session. */
export function SessionTable({ rows, changed, view, onView }: SessionRowsProps) {
  return (
    <table className="mt-6 w-full table-fixed border-collapse text-sm">
      <caption className="sr-only">{say.table}</caption>
      <colgroup>
        {sortColumns.map((column) => (
          <col key={column} className={clsx(widths[column], minor.has(column) && 'max-[1099px]:hidden')} />
        ))}
      </colgroup>
      <thead>
        <tr className="border-b border-rule-strong">
          {sortColumns.map((column) => (
            <Heading key={column} column={column} view={view} onView={onView} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((session) => (
          <Row key={session.id} session={session} hasChanged={changed.has(session.id)} />
        ))}
      </tbody>
    </table>
  );
}

const widths: Record<SortColumn, string> = {
  title: 'w-auto',
  state: 'w-40',
  tokens: 'w-40',
  percent: 'w-44',
  rounds: 'w-20',
  queued: 'w-22',
  cost: 'w-24',
  updated: 'w-22',
};

interface HeadingProps extends Pick<SessionRowsProps, 'view' | 'onView'> {
  readonly column: SortColumn;
}

function Heading({ column, view, onView }: HeadingProps) {
  const isSorted = view.sort === column;
  const Arrow = view.order === 'asc' ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (view.order === 'asc' ? 'ascending' : 'descending') : 'none'}
      className={clsx(cell(column), 'pb-2 font-normal first:pl-0 last:pr-0', !figures.has(column) && 'text-left')}
    >
      <button
        type="button"
        onClick={() => onView(sortedBy(view, column))}
        className={clsx(
          'group inline-flex items-center gap-1 rounded align-bottom text-xs',
          figures.has(column) && 'flex-row-reverse',
          isSorted ? 'font-medium text-ink' : 'text-ink-2 hover:text-ink',
        )}
      >
        {say.columns[column]}
        <Arrow
          aria-hidden
          className={clsx('size-3 stroke-2', !isSorted && 'opacity-0 group-hover:opacity-40 group-focus:opacity-40')}
        />
      </button>
    </th>
  );
}

function Row({ session, hasChanged }: { readonly session: SessionOverview; readonly hasChanged: boolean }) {
  const { context } = session;
  return (
    <tr className="relative h-14 border-b border-rule hover:bg-ink/3 has-[a:focus-visible]:bg-ink/4">
      <th scope="row" className="pr-3 text-left font-normal">
        <Link
          href={adminSessionPath(session.id)}
          className="block truncate font-serif text-[1.0625rem] after:absolute after:inset-0"
        >
          {session.title}
        </Link>
        {session.ownerName !== null && <p className="truncate text-xs text-ink-3">{session.ownerName}</p>}
        <FreshMark isFresh={hasChanged} version={versionOf(session)} />
      </th>
      <td className={cell('state')}>
        <StateMark state={session.state} />
      </td>
      <td className={cell('tokens')}>
        {context ? (
          say.of(context.currentTokens, context.usableTokens)
        ) : (
          <span className="text-ink-3">{say.notMeasured}</span>
        )}
      </td>
      <td className={cell('percent')}>{context && <FillBar percent={context.percentUsed} />}</td>
      <td className={cell('rounds')}>{adminStrings.number(session.rounds)}</td>
      <td className={cell('queued')}>{adminStrings.number(session.queued)}</td>
      <td className={cell('cost')}>
        {context === null && session.cost === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <Cost amount={session.cost} />
        )}
      </td>
      <td className="pl-3 text-right text-ink-2 tabular-nums">
        <TimeAgo time={session.updatedAt} />
      </td>
    </tr>
  );
}

/** Another one for whatever is shown of a session. */
function versionOf(session: SessionOverview): string {
  return JSON.stringify(session);
}

/** The table where there is no room for its columns: one entry below the other. */
export function SessionCards({ rows, changed, view, onView }: SessionRowsProps) {
  const id = useId();
  const isAscending = view.order === 'asc';
  return (
    <>
      <div className="mt-4 flex items-center gap-2">
        <label htmlFor={id} className="text-sm text-ink-2">
          {say.sort}
        </label>
        <select
          id={id}
          value={view.sort}
          onChange={(event) => {
            const sort = sortColumns.find((column) => column === event.target.value) ?? view.sort;
            onView({ ...view, sort, order: firstOrder(sort) });
          }}
          className="h-9 rounded-md border border-rule-strong bg-sheet px-2 text-sm"
        >
          {sortColumns.map((column) => (
            <option key={column} value={column}>
              {say.columns[column]}
            </option>
          ))}
        </select>
        <IconButton
          label={isAscending ? say.ascending : say.descending}
          icon={isAscending ? <ArrowUp aria-hidden /> : <ArrowDown aria-hidden />}
          onClick={() => onView({ ...view, order: isAscending ? 'desc' : 'asc' })}
        />
      </div>
      <ul aria-label={say.table} className="mt-4 border-t border-rule-strong">
        {rows.map((session) => (
          <li key={session.id} className="relative border-b border-rule py-4">
            <Card session={session} />
            <FreshMark isFresh={changed.has(session.id)} version={JSON.stringify(session)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Card({ session }: { readonly session: SessionOverview }) {
  const { context } = session;
  return (
    <>
      <div className="flex items-baseline justify-between gap-3">
        <Link
          href={adminSessionPath(session.id)}
          className="min-w-0 truncate font-serif text-lg after:absolute after:inset-0"
        >
          {session.title}
        </Link>
        <span className="shrink-0 text-xs text-ink-2">
          <TimeAgo time={session.updatedAt} />
        </span>
      </div>
      <div className="mt-1.5 flex items-center justify-between gap-4">
        <StateMark state={session.state} />
        {context ? (
          <FillBar percent={context.percentUsed} className="w-40 text-sm" />
        ) : (
          <span className="text-sm text-ink-3">{say.notMeasured}</span>
        )}
      </div>
      <p className="mt-1.5 text-xs text-ink-2 tabular-nums">{cardLine(session)}</p>
    </>
  );
}

function cardLine({ context, rounds, queued, cost, messageCount, ownerName }: SessionOverview): string {
  return [
    ...(ownerName === null ? [] : [ownerName]),
    ...(context ? [say.of(context.currentTokens, context.usableTokens)] : []),
    say.messages(messageCount),
    ...(rounds > 0 ? [say.roundCount(rounds)] : []),
    ...(queued > 0 ? [say.waitingCount(queued)] : []),
    ...(cost === null ? [] : [adminStrings.dollars(cost)]),
  ].join(' · ');
}

interface FreshMarkProps {
  readonly isFresh: boolean;
  /** Another text shows the mark anew. */
  readonly version: string;
}

/** A line at the edge of a row that has just changed; it fades. Its row or card must be positioned. */
function FreshMark({ isFresh, version }: FreshMarkProps) {
  if (!isFresh) return null;
  return (
    <span
      key={version}
      aria-hidden
      className="pointer-events-none absolute inset-y-2 -left-3 w-[3px] animate-settle rounded-full bg-accent"
    />
  );
}
