import type { SessionListView } from '#components/admin/session-list-view.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLive } from '#components/admin/use-live.ts';
import { api, type Page } from '#components/api/api-client.ts';
import { ApiError } from '#components/api/api-error.ts';
import type { Query } from '#components/api/routes.ts';
import { useApiPages } from '#components/api/use-api.ts';
import { paths } from '#components/api/paths.ts';
import type { SessionOverview } from '#server/core/conversation/session-overview';
import { usePreviousData } from '#components/ui/previous-data.ts';
import { SessionReadings } from '#components/admin/session-readings.ts';
import { applyChanges, type Changes } from '#components/admin/session-rows.ts';

/** Sessions per request. */
const PAGE_SIZE = 100;
/** Most pages loaded to sort by anything but the server's order; of a longer list, only the loaded part is sorted. */
const MAX_PAGES = 20;

/** The administrator's table of sessions, and its actions. */
export interface SessionList {
  /** Undefined while the first page loads. */
  readonly rows: readonly SessionOverview[] | undefined;
  /** Error of the first load; undefined: none. Later failures keep the rows. */
  readonly error: unknown;
  /** Number of changed sessions that may now belong in the table. */
  readonly others: number;
  /** Ids of rows that changed while the table was open. */
  readonly changed: ReadonlySet<string>;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

function pageQuery({ q, state, site }: SessionListView, cursor: string | null): Query<'GET', '/api/admin/sessions'> {
  return {
    limit: PAGE_SIZE,
    q: q.trim() || undefined,
    state: state ?? undefined,
    site: site ?? undefined,
    cursor: cursor ?? undefined,
  };
}

const noChanges: Changes = new Map();

/** Changes reported by events since the sessions of one search were requested. */
interface ReportedChanges {
  readonly query: string;
  readonly changes: Changes;
}

/** The administrator's table: pages of sessions for a view, kept up to date while the page is open. */
export function useSessionList(view: SessionListView): SessionList {
  const query: string = paths.adminSessions(pageQuery(view, null));
  /** Called once the pages requested by `reload` have loaded, also after failed attempts. */
  const onPagesLoaded = useRef<(() => void) | null>(null);
  const { data, error, size, setSize, isValidating, mutate } = useApiPages(
    (index, previous: Page<SessionOverview> | null) =>
      index > 0 && !previous?.nextCursor ? null : paths.adminSessions(pageQuery(view, previous?.nextCursor ?? null)),
    {
      revalidateOnMount: true,
      onSuccess: () => {
        onPagesLoaded.current?.();
        onPagesLoaded.current = null;
      },
    },
  );
  const [reported, setReported] = useState<ReportedChanges>({ query, changes: noChanges });
  if (reported.query !== query) setReported({ query, changes: noChanges });
  const { changes } = reported;
  const change = useCallback((next: (before: Changes) => Changes) => {
    setReported((before) => ({ ...before, changes: next(before.changes) }));
  }, []);

  const hasMore = Boolean(data?.at(-1)?.nextCursor);
  const pages = data?.length ?? 0;
  const isLoadingMore = isValidating && pages > 0 && size > pages;
  const needsAllPages = view.sort !== 'updated' || view.order !== 'desc';
  useEffect(() => {
    if (needsAllPages && hasMore && size === pages && size < MAX_PAGES) void setSize(size + 1);
  }, [needsAllPages, hasMore, pages, size, setSize]);

  const [readings] = useState(() => new SessionReadings(readSession));
  const reload = () => {
    const dropEarlier = readings.beforeList();
    onPagesLoaded.current = () => {
      dropEarlier();
      // Earlier events are already contained in the loaded pages.
      change((now) => new Map([...now].filter(([id, session]) => changes.get(id) !== session)));
    };
    void mutate();
  };
  const changedIds = useRef(new Set<string>());
  const refresh = async () => {
    const ids = [...changedIds.current];
    changedIds.current.clear();
    const results = await readings.read(ids);
    if (results.size > 0) change((before) => new Map([...before, ...results]));
  };
  useLive(
    ({ onEvent, ...listener }) =>
      api.adminEvents({
        ...listener,
        onEvent: ({ data: { sessionId } }) => {
          changedIds.current.add(sessionId);
          onEvent();
        },
      }),
    () => void refresh(),
    reload,
  );

  const shown = usePreviousData(data, error);
  const live = shown && applyChanges(unique(shown.flatMap((page) => page.items)), changes, view);
  return {
    rows: live?.rows,
    error: shown === undefined ? error : undefined,
    others: live?.others ?? 0,
    changed: new Set(changes.keys()),
    hasMore,
    isLoadingMore,
    loadMore: () => void setSize(pages + 1),
    reload,
  };
}

/** Reads a session. Null: it was deleted. Undefined: it could not be read; its next change reads it again. */
async function readSession(id: string): Promise<SessionOverview | null | undefined> {
  try {
    return await api.get(paths.adminSession(id));
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? null : undefined;
  }
}

/** Removes duplicates: a session that was used between two page requests may be in both pages. */
function unique(sessions: readonly SessionOverview[]): readonly SessionOverview[] {
  return [...new Map(sessions.map((session) => [session.id, session])).values()];
}
