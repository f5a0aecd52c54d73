import { sessionColumns, type SortColumn, sortColumns, type SortOrder } from '#components/admin/session-columns';
import type { SessionState } from '#server/core/conversation/session-overview';

/** Every state, as a choice. */
export const stateChoices = [
  'idle',
  'running',
  'compacting',
  'waiting_approval',
  'held',
  'failed',
] as const satisfies readonly SessionState[];

/** Search, filter and order of the table of sessions. */
export interface SessionListView {
  /** Text to search for in the titles; empty: none. */
  readonly q: string;
  /** The only state to show; null: every one. */
  readonly state: SessionState | null;
  /** Id of the only site to show; null: every one. */
  readonly site: string | null;
  readonly sort: SortColumn;
  readonly order: SortOrder;
}

/** All sessions, those used last first. */
export const defaultView: SessionListView = { q: '', state: null, site: null, sort: 'updated', order: 'desc' };

/** The view after a click on a column's heading. */
export function sortedBy(view: SessionListView, column: SortColumn): SessionListView {
  if (view.sort !== column) return { ...view, sort: column, order: sessionColumns[column].firstOrder };
  return { ...view, order: view.order === 'asc' ? 'desc' : 'asc' };
}

/** Reads a view from an address; missing or invalid values become the default. */
export function parseView(params: URLSearchParams): SessionListView {
  return {
    q: params.get('q') ?? defaultView.q,
    state: stateChoices.find((state) => state === params.get('state')) ?? null,
    site: params.get('site'),
    sort: sortColumns.find((column) => column === params.get('sort')) ?? defaultView.sort,
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
  };
}

/** A view as the query of an address; the default view gives an empty query. */
export function viewQuery({ q, state, site, sort, order }: SessionListView): string {
  const params = new URLSearchParams();
  if (q.trim() !== '') params.set('q', q.trim());
  if (state !== null) params.set('state', state);
  if (site !== null) params.set('site', site);
  if (sort !== defaultView.sort || order !== defaultView.order) {
    params.set('sort', sort);
    params.set('order', order);
  }
  return params.toString();
}

/** True if the view hides some sessions. */
export function isFiltered({ q, state, site }: SessionListView): boolean {
  return q.trim() !== '' || state !== null || site !== null;
}
