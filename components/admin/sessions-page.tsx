'use client';

import { useSearchParams } from 'next/navigation';
import { type SessionList, useSessionList } from '#components/admin/use-session-list';
import {
  defaultView,
  isFiltered,
  parseView,
  type SessionListView,
  viewQuery,
} from '#components/admin/session-list-view';
import { SessionCards, SessionTable } from '#components/admin/session-table';
import { LiveMark } from '#components/admin/use-live';
import { adminStrings } from '#components/admin/words';
import { nameOfSite, useSites } from '#components/desk/site-of-page';
import { ADMIN_PATH, replacePath } from '#components/desk/navigation';
import { Button } from '#components/ui/buttons';
import { ChoiceField, SearchField } from '#components/ui/fields';
import { useMediaQuery } from '#components/ui/hooks';
import { LoadFailed, Notice } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import { useTypedSearch } from '#components/ui/typed-search';

const say = adminStrings.sessions;
/** Width from which the columns have room. */
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
  if (list.error !== undefined) return <LoadFailed title={say.failed} onRetry={list.reload} />;
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
  return isFiltered(view) ? (
    <Notice title={say.noMatch} body={say.noMatchBody} action={{ label: say.clear, run: () => show(defaultView) }} />
  ) : (
    <Notice title={say.empty} body={say.emptyBody} />
  );
}

interface SessionFiltersProps {
  readonly view: SessionListView;
  readonly onChange: (changes: Partial<SessionListView>) => void;
}

/** Search by title, one state or all, and where there are several sites one of them or all. */
function SessionFilters({ view, onChange }: SessionFiltersProps) {
  const sites = useSites().items;
  const [text, setText] = useTypedSearch(view.q, (q) => onChange({ q }));
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-4 gap-y-3">
      <SearchField label={say.search} value={text} onChange={setText} className="w-full sm:w-72" />
      <ChoiceField
        label={say.filter}
        any={say.anyState}
        choices={adminStrings.states}
        value={view.state}
        onChange={(state) => onChange({ state })}
        onAny={() => onChange({ state: null })}
      />
      {(sites.length > 1 || view.site !== null) && (
        <ChoiceField
          label={say.site}
          any={say.anySite}
          choices={Object.fromEntries(sites.map((site) => [site.id, nameOfSite(site)]))}
          value={view.site}
          onChange={(site) => onChange({ site })}
          onAny={() => onChange({ site: null })}
        />
      )}
    </search>
  );
}

const ROWS = 8;

/** The table's outline, as high as its rows will be, while it loads. */
function SessionsSkeleton() {
  return (
    <div aria-hidden className="mt-6">
      <div className="h-[1.625rem] border-b border-rule-strong max-[899px]:hidden" />
      {Array.from({ length: ROWS }, (_, row) => (
        <div key={row} className="flex h-14 items-center gap-8 border-b border-rule max-[899px]:h-26">
          <span
            className="h-3 animate-breathe rounded bg-rule"
            style={{ width: `${String(30 + ((row * 37) % 40))}%` }}
          />
          <span className="ml-auto h-1.5 w-40 animate-breathe rounded bg-rule" />
        </div>
      ))}
    </div>
  );
}
