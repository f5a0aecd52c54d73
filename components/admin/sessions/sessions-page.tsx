'use client';

import { useSearchParams } from 'next/navigation';
import { LiveMark } from '#components/admin/live-mark';
import { PageTitle } from '#components/admin/page-title';
import { SessionFilters } from '#components/admin/sessions/session-filters';
import { SessionCards } from '#components/admin/sessions/session-cards';
import { SessionTable } from '#components/admin/sessions/session-table';
import { SessionsSkeleton } from '#components/admin/sessions/sessions-skeleton';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { type SessionListView, defaultView, parseView, viewQuery } from '#lib/admin/session-list';
import { useSessionList } from '#lib/admin/use-session-list';
import type { SessionList } from '#lib/admin/use-session-list';
import { ADMIN_PATH, replacePath } from '#lib/desk/navigation';
import { adminStrings } from '#lib/strings/admin';
import { useMediaQuery } from '#lib/ui/use-media-query';

const say = adminStrings.sessions;
/** From this width on the columns have room. */
const TABLE_FITS = '(min-width: 900px)';

/** Changes the view that is in the address, which the page may not have followed yet. */
function show(changes: Partial<SessionListView>): void {
  const query = viewQuery({ ...parseView(new URLSearchParams(window.location.search)), ...changes });
  replacePath(query === '' ? ADMIN_PATH : `${ADMIN_PATH}?${query}`);
}

/** All sessions: what fills their contexts, live. */
export function SessionsPage() {
  const view = parseView(useSearchParams());
  const list = useSessionList(view);
  return (
    <>
      <PageTitle title={say.title} intro={say.intro}>
        <LiveMark />
      </PageTitle>
      <SessionFilters view={view} onChange={show} />
      <output className="sr-only">{list.rows ? say.shown(list.rows.length) : say.loading}</output>
      <Rows list={list} view={view} />
    </>
  );
}

interface RowsProps {
  readonly list: SessionList;
  readonly view: SessionListView;
}

function Rows({ list, view }: RowsProps) {
  const isWide = useMediaQuery(TABLE_FITS);
  const { rows } = list;
  if (list.error !== undefined) return <Notice title={say.failed} action={{ label: say.retry, run: list.reload }} />;
  if (rows === undefined) return <SessionsSkeleton />;
  if (rows.length === 0) return <NoRows view={view} />;
  const List = isWide ? SessionTable : SessionCards;
  return (
    <>
      <List rows={rows} changed={list.changed} view={view} onView={({ sort, order }) => show({ sort, order })} />
      <footer className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm text-ink-2">
        {list.others > 0 && (
          <span className="flex items-center gap-3">
            {say.fresh(list.others)}
            <Button onClick={list.reload}>{say.refresh}</Button>
          </span>
        )}
        {list.hasMore && (
          <Button onClick={list.loadMore} disabled={list.isLoadingMore}>
            {list.isLoadingMore ? say.loadingMore : say.more}
          </Button>
        )}
      </footer>
    </>
  );
}

function NoRows({ view }: { readonly view: SessionListView }) {
  const isFiltered = view.q !== '' || view.state !== null;
  return isFiltered ? (
    <Notice title={say.noMatch} body={say.noMatchBody} action={{ label: say.clear, run: () => show(defaultView) }} />
  ) : (
    <Notice title={say.empty} body={say.emptyBody} />
  );
}
