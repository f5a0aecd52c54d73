import { isFiltered, type SessionListView } from '#components/admin/session-list-view';
import { useCallback, useEffect, useRef, useState } from 'react';
import useSWRInfinite from 'swr/infinite';
import { useLive } from '#components/admin/use-live';
import { api, type Page } from '#components/api/api-client';
import { ApiError } from '#components/api/api-error';
import { paths } from '#components/api/paths';
import type { SessionOverview } from '#server/core/session-overview';
import { sessionColumns } from '#components/admin/session-columns';
import { perLanguage } from '#components/in-your-language';
import { useKeptData } from '#components/ui/kept-data';

const collator = perLanguage((code) => new Intl.Collator(code, { numeric: true, sensitivity: 'base' }));

/** Sessions in the view's order; equal ones stay as they were. */
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

/** Sessions that changed since the table was loaded, by id; null: deleted. */
export type Changes = ReadonlyMap<string, SessionOverview | null>;

/** Rows with what has changed since they were loaded. */
interface LiveRows {
  readonly rows: readonly SessionOverview[];
  /** Sessions that changed and are not in the table: they may belong there now. */
  readonly others: number;
}

/**
 * Rows in the view's order, as they are now. A row that changed keeps the place it had: nothing moves under the reader's
 * hand. A new session comes to its place where nothing is filtered; else it is not known whether it belongs there.
 * @param rows as loaded
 */
export function applyChanges(rows: readonly SessionOverview[], changes: Changes, view: SessionListView): LiveRows {
  const known = new Set(rows.map((row) => row.id));
  const unknown = [...changes.values()].filter((session) => session !== null && !known.has(session.id));
  const isPart = isFiltered(view);
  const added = isPart ? [] : unknown.filter((session) => session !== null);
  const sorted = sortSessions([...added, ...rows], view);
  return {
    rows: sorted.flatMap((row) => {
      const change = changes.get(row.id);
      return change === undefined ? [row] : change === null ? [] : [change];
    }),
    others: isPart ? unknown.length : 0,
  };
}

const PAGE_SIZE = 100;
/** Pages loaded to sort by anything but the server's order; a longer list is sorted as far as it is loaded. */
const MOST_PAGES = 20;

export interface SessionList {
  /** Undefined while the first page loads. */
  readonly rows: readonly SessionOverview[] | undefined;
  readonly error: unknown;
  /** Sessions that changed and may now belong into the table. */
  readonly others: number;
  /** Ids of rows that changed while the table was open. */
  readonly changed: ReadonlySet<string>;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

function pageQuery({ q, state, site }: SessionListView, cursor: string | null): string {
  const params = new URLSearchParams({ limit: String(PAGE_SIZE) });
  if (q.trim() !== '') params.set('q', q.trim());
  if (state !== null) params.set('state', state);
  if (site !== null) params.set('site', site);
  if (cursor !== null) params.set('cursor', cursor);
  return params.toString();
}

const nothing: Changes = new Map();

/** Changes since the sessions of one search were requested. */
interface Heard {
  readonly query: string;
  readonly changes: Changes;
}

/** The administrator's table: pages of sessions as a view wants them, kept up to date while they are looked at. */
export function useSessionList(view: SessionListView): SessionList {
  const query = pageQuery(view, null);
  /** Runs once the pages requested by `reload` are read, also after failed attempts. */
  const listed = useRef<(() => void) | null>(null);
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<Page<SessionOverview>>(
    (index, previous: Page<SessionOverview> | null) =>
      index > 0 && !previous?.nextCursor ? null : paths.adminSessions(pageQuery(view, previous?.nextCursor ?? null)),
    {
      revalidateOnMount: true,
      onSuccess: () => {
        listed.current?.();
        listed.current = null;
      },
    },
  );
  const [heard, setHeard] = useState<Heard>({ query, changes: nothing });
  if (heard.query !== query) setHeard({ query, changes: nothing });
  const { changes } = heard;
  const change = useCallback((next: (before: Changes) => Changes) => {
    setHeard((before) => ({ ...before, changes: next(before.changes) }));
  }, []);

  const hasMore = Boolean(data?.at(-1)?.nextCursor);
  const pages = data?.length ?? 0;
  const isLoadingMore = isValidating && pages > 0 && size > pages;
  const wantsAll = view.sort !== 'updated' || view.order !== 'desc';
  useEffect(() => {
    if (wantsAll && hasMore && size === pages && size < MOST_PAGES) void setSize(size + 1);
  }, [wantsAll, hasMore, pages, size, setSize]);

  const [readings] = useState(() => new SessionReadings(readSession));
  const reload = () => {
    const dropEarlier = readings.beforeList();
    listed.current = () => {
      dropEarlier();
      // What was heard before is in what was read now.
      change((now) => new Map([...now].filter(([id, session]) => changes.get(id) !== session)));
    };
    void mutate();
  };
  const waiting = useRef(new Set<string>());
  const refresh = async () => {
    const ids = [...waiting.current];
    waiting.current.clear();
    const news = await readings.read(ids);
    if (news.size > 0) change((before) => new Map([...before, ...news]));
  };
  useLive(
    ({ onEvent, ...listener }) =>
      api.adminEvents({
        ...listener,
        onEvent: ({ data: { sessionId } }) => {
          waiting.current.add(sessionId);
          onEvent();
        },
      }),
    () => void refresh(),
    reload,
  );

  const shown = useKeptData(data, error);
  const live = shown && applyChanges(unique(shown.flatMap((page) => page.items)), changes, view);
  return {
    rows: live?.rows,
    error: shown === undefined ? (error as unknown) : undefined,
    others: live?.others ?? 0,
    changed: new Set(changes.keys()),
    hasMore,
    isLoadingMore,
    loadMore: () => void setSize(pages + 1),
    reload,
  };
}

/** Null: it is gone. Undefined: it could not be read, the next change will tell. */
async function readSession(id: string): Promise<SessionOverview | null | undefined> {
  try {
    return await api.get<SessionOverview>(paths.adminSession(id));
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? null : undefined;
  }
}

/** Without repetitions: a session that was used meanwhile may stand in two pages. */
function unique(sessions: readonly SessionOverview[]): readonly SessionOverview[] {
  return [...new Map(sessions.map((session) => [session.id, session])).values()];
}

/** Reads sessions that have changed. Of two readings of one session the one that was asked for later counts. */
export class SessionReadings {
  readonly #read: (id: string) => Promise<SessionOverview | null | undefined>;
  #asked = 0;
  /** Last answered reading of each session. */
  readonly #answered = new Map<string, number>();
  /** Readings up to this one are in the list. */
  #listed = 0;

  /** @param read resolves to null for a session that is gone, to undefined where nothing is known */
  constructor(read: (id: string) => Promise<SessionOverview | null | undefined>) {
    this.#read = read;
  }

  /** Reads sessions and returns the results that are still news, by id. */
  async read(ids: readonly string[]): Promise<Changes> {
    const reading = (this.#asked += 1);
    const fresh = await Promise.all(ids.map(async (id) => [id, await this.#read(id)] as const));
    return new Map(
      fresh.filter((entry): entry is [string, SessionOverview | null] => {
        const [id, session] = entry;
        if (session === undefined || reading <= Math.max(this.#listed, this.#answered.get(id) ?? 0)) return false;
        this.#answered.set(id, reading);
        return true;
      }),
    );
  }

  /**
   * Call it before the list of sessions is requested, and the returned function once the list has arrived. Readings that
   * were requested before the list are dropped from then on.
   */
  beforeList(): () => void {
    const listed = this.#asked;
    return () => {
      this.#listed = Math.max(this.#listed, listed);
    };
  }
}
