import { isFiltered, type SessionListView } from '#components/admin/session-list-view.ts';
import type { SessionOverview } from '#server/core/conversation/session-overview';
import { sessionColumns } from '#components/admin/session-columns';
import { perLanguage } from '#components/language.ts';

const collator = perLanguage((code) => new Intl.Collator(code, { numeric: true, sensitivity: 'base' }));

/** Sessions in the view's order; sessions that are equal in the sorted column keep their order. */
export function sortSessions(
  sessions: readonly SessionOverview[],
  { sort, order }: Pick<SessionListView, 'sort' | 'order'>,
): readonly SessionOverview[] {
  const key = sessionColumns[sort].sortKey;
  const sign = order === 'asc' ? 1 : -1;
  return sessions.toSorted((a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return typeof left === 'string' ? sign * collator().compare(left, String(right)) : sign * (left - Number(right));
  });
}

/** Sessions that changed since the table was loaded, by id; null means deleted. */
export type Changes = ReadonlyMap<string, SessionOverview | null>;

/** Rows with the changes since they were loaded. */
interface LiveRows {
  readonly rows: readonly SessionOverview[];
  /** Number of changed sessions that are not in the table and may now belong in it. */
  readonly others: number;
}

/**
 * Rows in the view's order with current data. A changed row keeps its position, so that nothing moves while the user
 * reads. A new session is inserted if nothing is filtered; otherwise it is unknown whether it belongs in the table.
 * @param rows as loaded
 */
export function applyChanges(rows: readonly SessionOverview[], changes: Changes, view: SessionListView): LiveRows {
  const known = new Set(rows.map((row) => row.id));
  const unknown = [...changes.values()].filter((session) => session !== null && !known.has(session.id));
  const isViewFiltered = isFiltered(view);
  const added = isViewFiltered ? [] : unknown.filter((session) => session !== null);
  const sorted = sortSessions([...added, ...rows], view);
  return {
    rows: sorted.flatMap((row) => {
      const change = changes.get(row.id);
      return change === undefined ? [row] : change === null ? [] : [change];
    }),
    others: isViewFiltered ? unknown.length : 0,
  };
}
