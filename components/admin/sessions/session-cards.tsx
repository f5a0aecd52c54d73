import { ArrowDown, ArrowUp } from 'lucide-react';
import Link from 'next/link';
import { useId } from 'react';
import { FillBar } from '#components/admin/fill-bar';
import { FreshMark } from '#components/admin/sessions/fresh-mark';
import type { SessionRowsProps } from '#components/admin/sessions/session-table';
import { StateMark } from '#components/admin/state-mark';
import { TimeAgo } from '#components/admin/time-ago';
import { IconButton } from '#components/ui/icon-button';
import { firstOrder, sortColumns } from '#lib/admin/session-list';
import { adminSessionPath } from '#lib/desk/navigation';
import { adminStrings } from '#lib/strings/admin';
import type { SessionOverview } from '#server/core/context-report';

const say = adminStrings.sessions;

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
