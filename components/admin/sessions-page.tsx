'use client';

import { useSearchParams } from 'next/navigation';
import { type SessionList, useSessionList } from '#components/admin/use-session-list.ts';
import {
  defaultView,
  isFiltered,
  parseView,
  type SessionListView,
  sortedBy,
  stateChoices,
  viewQuery,
} from '#components/admin/session-list-view.ts';
import { ProgramCompactions } from '#components/admin/program-compactions';
import { LiveMark } from '#components/admin/live-mark';
import { translator } from '#components/i18n.ts';
import { nameOfSite, useSites } from '#components/workspace/site-of-page';
import { ADMIN_PATH, adminSessionPath, replacePath } from '#components/workspace/navigation.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { ChoiceField, SearchField } from '#components/ui/fields';
import { useMediaQuery } from '#components/ui/hooks.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { PageTitle, TimeAgo } from '#components/ui/page-parts';
import { useTypedSearch } from '#components/ui/typed-search.ts';
import clsx from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import Link from 'next/link';
import { StateMark } from '#components/admin/state-mark';
import { FillBar } from '#components/admin/fill-bar';
import {
  figureLine,
  OwnerAndSite,
  sessionColumns,
  type SortColumn,
  sortColumns,
} from '#components/admin/session-columns';
import type { SessionOverview } from '#server/core/conversation/session-overview';
import { labelsOf } from '#components/labels.ts';

const t = translator('admin.sessions');
const tStates = translator('admin.states');

/** CSS classes of the cells of a column. */
function cellStyle(column: SortColumn): string {
  const { isFigure, isMinor } = sessionColumns[column];
  return clsx('px-3 first:pl-0 last:pr-0', isFigure && 'text-right tabular-nums', isMinor && 'max-[1099px]:hidden');
}

interface SessionRowsProps {
  readonly rows: readonly SessionOverview[];
  /** Ids of rows that changed while the page was open. */
  readonly changed: ReadonlySet<string>;
  readonly view: SessionListView;
  readonly onView: (view: SessionListView) => void;
}

/** Sessions as a table; each row is a link to the session. */
function SessionTable({ rows, changed, view, onView }: SessionRowsProps) {
  return (
    <table className="mt-6 w-full table-fixed border-collapse text-sm">
      <caption className="sr-only">{t('table')}</caption>
      <colgroup>
        {sortColumns.map((column) => (
          <col
            key={column}
            className={clsx(sessionColumns[column].width, sessionColumns[column].isMinor && 'max-[1099px]:hidden')}
          />
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

interface HeadingProps {
  readonly view: SessionListView;
  readonly onView: (view: SessionListView) => void;
  readonly column: SortColumn;
}

function Heading({ column, view, onView }: HeadingProps) {
  const isSorted = view.sort === column;
  const isFigure = sessionColumns[column].isFigure === true;
  const Arrow = view.order === 'asc' ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (view.order === 'asc' ? 'ascending' : 'descending') : 'none'}
      className={clsx(cellStyle(column), 'pb-2 font-normal', !isFigure && 'text-left')}
    >
      <button
        type="button"
        onClick={() => onView(sortedBy(view, column))}
        className={clsx(
          'group inline-flex items-center gap-1 rounded align-bottom text-xs',
          isFigure && 'flex-row-reverse',
          isSorted ? 'font-medium text-ink' : 'text-ink-2 hover:text-ink',
        )}
      >
        {t(`columns.${column}`)}
        <Arrow
          aria-hidden
          className={clsx('size-3 stroke-2', !isSorted && 'opacity-0 group-hover:opacity-40 group-focus:opacity-40')}
        />
      </button>
    </th>
  );
}

function Row({ session, hasChanged }: { readonly session: SessionOverview; readonly hasChanged: boolean }) {
  const [title, ...others] = sortColumns;
  return (
    <tr className="relative h-14 border-b border-rule hover:bg-ink/3 has-[a:focus-visible]:bg-ink/4">
      <th scope="row" className="pr-3 text-left font-normal">
        {sessionColumns[title!].cell(session)}
        <ChangeMark isChanged={hasChanged} session={session} />
      </th>
      {others.map((column) => (
        <td key={column} className={cellStyle(column)}>
          {sessionColumns[column].cell(session)}
        </td>
      ))}
    </tr>
  );
}

/** The table for narrow screens: one entry below the other. */
function SessionCards({ rows, changed, view, onView }: SessionRowsProps) {
  const isAscending = view.order === 'asc';
  return (
    <>
      <div className="mt-4 flex items-center gap-2">
        <ChoiceField
          label={t('sort')}
          choices={labelsOf(sortColumns, (column) => t(`columns.${column}`))}
          value={view.sort}
          onChange={(sort) => onView({ ...view, sort, order: sessionColumns[sort].firstOrder })}
        />
        <IconButton
          label={isAscending ? t('ascending') : t('descending')}
          icon={isAscending ? <ArrowUp aria-hidden /> : <ArrowDown aria-hidden />}
          onClick={() => onView({ ...view, order: isAscending ? 'desc' : 'asc' })}
        />
      </div>
      <ul aria-label={t('table')} className="mt-4 border-t border-rule-strong">
        {rows.map((session) => (
          <li key={session.id} className="relative border-b border-rule py-4">
            <Card session={session} />
            <ChangeMark isChanged={changed.has(session.id)} session={session} />
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
          <span className="text-sm text-ink-3">{t('notMeasured')}</span>
        )}
      </div>
      <p className="mt-1.5 text-xs text-ink-3">
        <OwnerAndSite ownerName={session.ownerName} siteId={session.siteId} />
      </p>
      <p className="mt-1.5 text-xs text-ink-2 tabular-nums">{figureLine(session)}</p>
    </>
  );
}

/**
 * A line at the edge of a row that has just changed; it fades, and appears again after another change. The row or card
 * must be positioned.
 */
function ChangeMark({ isChanged, session }: { readonly isChanged: boolean; readonly session: SessionOverview }) {
  if (!isChanged) return null;
  return (
    <span
      key={JSON.stringify(session)}
      aria-hidden
      className="pointer-events-none absolute inset-y-2 -left-3 w-[3px] animate-settle rounded-full bg-accent"
    />
  );
}

/** Screens wide enough for the table. */
const TABLE_FITS = '(min-width: 900px)';

/** Changes the view. Reads the present one from the address, because the page may not have rendered it yet. */
function changeView(changes: Partial<SessionListView>): void {
  const query = viewQuery({ ...parseView(new URLSearchParams(window.location.search)), ...changes });
  replacePath(query === '' ? ADMIN_PATH : `${ADMIN_PATH}?${query}`);
}

/** All sessions and what fills their contexts, updated live. */
export function SessionsPage() {
  const view = parseView(useSearchParams());
  const list = useSessionList(view);
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')}>
        <LiveMark />
      </PageTitle>
      <SessionFilters view={view} onChange={changeView} />
      <output className="sr-only">{list.rows ? t('shown', { count: list.rows.length }) : t('loading')}</output>
      <Rows list={list} view={view} />
      <ProgramCompactions />
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
  if (list.error !== undefined) return <LoadFailed title={t('failed')} onRetry={list.reload} />;
  if (rows === undefined) return <SessionsSkeleton />;
  if (rows.length === 0) return <NoRows view={view} />;
  const List = isWide ? SessionTable : SessionCards;
  return (
    <>
      <List rows={rows} changed={list.changed} view={view} onView={({ sort, order }) => changeView({ sort, order })} />
      <footer className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm text-ink-2">
        {list.others > 0 && (
          <span className="flex items-center gap-3">
            {t('fresh', { count: list.others })}
            <Button onClick={list.reload}>{t('refresh')}</Button>
          </span>
        )}
        {list.hasMore && (
          <Button onClick={list.loadMore} disabled={list.isLoadingMore}>
            {list.isLoadingMore ? t('loadingMore') : t('more')}
          </Button>
        )}
      </footer>
    </>
  );
}

function NoRows({ view }: { readonly view: SessionListView }) {
  return isFiltered(view) ? (
    <Notice
      title={t('noMatch')}
      body={t('noMatchBody')}
      action={{ label: t('clear'), run: () => changeView(defaultView) }}
    />
  ) : (
    <Notice title={t('empty')} body={t('emptyBody')} />
  );
}

interface SessionFiltersProps {
  readonly view: SessionListView;
  readonly onChange: (changes: Partial<SessionListView>) => void;
}

/** Search by title, by one state or all, and, if there are several sites, by one site or all. */
function SessionFilters({ view, onChange }: SessionFiltersProps) {
  const sites = useSites().items;
  const [text, setText] = useTypedSearch(view.q, (q) => onChange({ q }));
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-4 gap-y-3">
      <SearchField label={t('search')} value={text} onChange={setText} className="w-full sm:w-72" />
      <ChoiceField
        label={t('filter')}
        any={t('anyState')}
        choices={labelsOf(stateChoices, (state) => tStates(state))}
        value={view.state}
        onChange={(state) => onChange({ state })}
        onAny={() => onChange({ state: null })}
      />
      {(sites.length > 1 || view.site !== null) && (
        <ChoiceField
          label={t('site')}
          any={t('anySite')}
          choices={Object.fromEntries(sites.map((site) => [site.id, nameOfSite(site)]))}
          value={view.site}
          onChange={(site) => onChange({ site })}
          onAny={() => onChange({ site: null })}
        />
      )}
    </search>
  );
}

/** Number of rows of the placeholder. */
const PLACEHOLDER_ROWS = 8;

/** Placeholder with the table's outline and the height of its rows while it loads. */
function SessionsSkeleton() {
  return (
    <div aria-hidden className="mt-6">
      <div className="h-[1.625rem] border-b border-rule-strong max-[899px]:hidden" />
      {Array.from({ length: PLACEHOLDER_ROWS }, (_, row) => (
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
