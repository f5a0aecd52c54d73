import { ArrowDown, ArrowUp } from 'lucide-react';
import clsx from 'clsx';
import Link from 'next/link';
import { Cost } from '#components/admin/cost';
import { FillBar } from '#components/admin/fill-bar';
import { FreshMark } from '#components/admin/sessions/fresh-mark';
import { StateMark } from '#components/admin/state-mark';
import { TimeAgo } from '#components/admin/time-ago';
import { type SessionListView, type SortColumn, sortColumns, sortedBy } from '#lib/admin/session-list';
import { adminSessionPath } from '#lib/desk/navigation';
import { adminStrings } from '#lib/strings/admin';
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
