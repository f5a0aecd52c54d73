'use client';

import { Copy, Ellipsis, ExternalLink, Eye, Plus, Rocket, Share2 } from 'lucide-react';
import Link from 'next/link';
import { useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useEffectEvent } from 'react';
import { labelsOf } from '#components/labels.ts';
import { translator } from '#components/i18n.ts';
import { useMayDraft, useMayPublish } from '#components/access/access-client.ts';
import { type EntryFilter, paths } from '#components/api/paths.ts';
import { contentRefreshes } from '#components/workspace/content-cache.ts';
import { deskPagePath, LIBRARY_PAGES_PATH, replacePath } from '#components/workspace/navigation.ts';
import { entryPath } from '#components/workspace/preview-path.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import { Button, IconButton } from '#components/ui/buttons';
import { ChoiceField, SearchField } from '#components/ui/fields';
import { PublishDialog } from '#components/editor/page/publish-dialog';
import { PreviewLinkDialog } from '#components/editor/page/preview-link-dialog';
import dynamic from 'next/dynamic';
import { loadCode } from '#components/ui/load-code';
import { useOpened } from '#components/ui/hooks.ts';
import { usePreviousData } from '#components/ui/previous-data.ts';
import { afterMenu, Menu } from '#components/ui/menus';
import { MenuItem } from '#components/ui/menu-rows';
import { LoadFailed, LoadingBlock } from '#components/ui/notices';
import { PageTitle, TimeAgo } from '#components/ui/page-parts';
import type { EntryType } from '#server/core/site/content';
import type { EntryItem, entryListSchema } from '#server/core/site/site-lists';
import type { Shape } from '#server/core/shapes';
import { scheduledTime } from '#components/ui/times.ts';
import { useTypedSearch } from '#components/ui/typed-search.ts';
import { useApiPages } from '#components/api/use-api.ts';

const t = translator('pages');
const tShared = translator('shared');

const NewPage = dynamic(() => loadCode(async () => (await import('#components/editor/panels/new-page')).NewPage), {
  ssr: false,
});

const states = ['draft', 'published', 'changed', 'scheduled'] as const;
type State = (typeof states)[number];

/** Entries per request. */
const PAGE = 30;

/** All pages and posts of the site with their states, and buttons to open, copy, publish and create them. */
export function PagesScreen() {
  const view = viewOf(useSearchParams());
  const { state } = view;
  const [text, setText] = useTypedSearch(view.text, (wanted) => changeView({ text: wanted }));
  const setState = (wanted: State | null) => changeView({ state: wanted });
  /** The dialog for a new page; opened with the entry to copy, or null. */
  const dialog = useOpened<EntryItem | null>();
  const publishing = useOpened<EntryItem>();
  const sharing = useOpened<EntryItem>();
  const mayDraft = useMayDraft();
  const mayPublish = useMayPublish();
  const router = useRouter();
  const filter = { text: view.text || undefined, ...filterOf(state) };
  const pages = useEntries('page', filter);
  const posts = useEntries('post', filter);
  const reload = useEffectEvent(() => void Promise.all([pages.mutate(), posts.mutate()]));
  // Lists of several pages are not refreshed automatically.
  useEffect(() => contentRefreshes.listen(() => reload()), []);
  const section = {
    isFiltered: Object.values(filter).some((value) => value !== undefined),
    mayDraft,
    onCopy: (entry: EntryItem) => dialog.open(entry),
    onShare: (entry: EntryItem) => sharing.open(entry),
    ...(mayPublish && { onPublish: (entry: EntryItem) => publishing.open(entry) }),
  };
  const source = dialog.opened?.target;
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')}>
        {/* Rendered from the start, because it occupies a separate line on a phone. */}
        <Button variant="primary" disabled={!mayDraft} onClick={() => dialog.open(null)}>
          <Plus aria-hidden className="size-4" />
          {t('new')}
        </Button>
      </PageTitle>
      <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3">
        <SearchField label={t('search')} value={text} onChange={setText} className="w-full sm:w-72" />
        <ChoiceField
          label={t('state')}
          any={t('anyState')}
          choices={labelsOf(states, (each) => t(`states.${each}`))}
          value={state}
          onChange={setState}
          onAny={() => setState(null)}
        />
      </search>
      <div className="mt-8 flex flex-col gap-12">
        <EntriesSection type="page" {...section} entries={pages} />
        {/* Below the pages, so rendered only after they have loaded. */}
        {(pages.data ?? pages.error) !== undefined && <EntriesSection type="post" {...section} entries={posts} />}
      </div>
      {publishing.opened && <PublishDialog entry={publishing.opened.target} onClose={publishing.close} />}
      {sharing.opened && <PreviewLinkDialog entry={sharing.opened.target} onClose={sharing.close} />}
      {dialog.opened && (
        <NewPage
          {...(source && { source })}
          onMade={({ type, draft }) => router.push(deskPagePath(entryPath({ type, slug: draft.slug }, '')))}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

/** Search and filter of the list, as the address has them. */
interface PagesView {
  readonly text: string;
  /** Null: pages and posts in every state. */
  readonly state: State | null;
}

function viewOf(query: URLSearchParams): PagesView {
  const state = states.find((each) => each === query.get('state'));
  return { text: query.get('q') ?? '', state: state ?? null };
}

/** Changes the view. Reads the present one from the address, because the screen may not have rendered it yet. */
function changeView(change: Partial<PagesView>): void {
  const { text, state } = { ...viewOf(new URLSearchParams(window.location.search)), ...change };
  const query = new URLSearchParams({ ...(text !== '' && { q: text }), ...(state !== null && { state }) }).toString();
  replacePath(query === '' ? LIBRARY_PAGES_PATH : `${LIBRARY_PAGES_PATH}?${query}`);
}

function filterOf(state: State | null): EntryFilter {
  if (state === null) return {};
  return state === 'scheduled' ? { scheduled: '1' } : { status: state };
}

/** The pages or posts that match the filter, as far as loaded. */
function useEntries(type: EntryType, filter: EntryFilter) {
  const read = useApiPages((index, previous: EntryPage | null) => {
    if (index === 0) return paths.entryList(type, filter, PAGE);
    return previous?.nextCursor ? paths.entryList(type, filter, PAGE, previous.nextCursor) : null;
  });
  return { ...read, data: usePreviousData(read.data, read.error) };
}

interface EntriesSectionProps {
  readonly type: EntryType;
  readonly entries: ReturnType<typeof useEntries>;
  readonly isFiltered: boolean;
  readonly mayDraft: boolean;
  readonly onCopy: (entry: EntryItem) => void;
  readonly onShare: (entry: EntryItem) => void;
  /** Absent if the user may not publish. */
  readonly onPublish?: (entry: EntryItem) => void;
}

function EntriesSection({ type, entries, isFiltered, mayDraft, onCopy, onShare, onPublish }: EntriesSectionProps) {
  const { data, error, size, setSize, isValidating, mutate } = entries;
  const items = data?.flatMap((page) => page.items);
  const total = data?.[0]?.total ?? 0;
  return (
    <section aria-labelledby={`entries-${type}`}>
      <h2
        id={`entries-${type}`}
        className="flex items-baseline gap-3 font-serif text-xl font-medium tracking-[-0.01em]"
      >
        {t(`types.${type}.title`)}
        {total > 0 && (
          <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">{t('count', { count: total })}</span>
        )}
      </h2>
      {items === undefined && error !== undefined ? (
        <LoadFailed title={t('failed')} error={error} onRetry={() => void mutate()} />
      ) : items === undefined ? (
        <LoadingBlock label={t('loading')} />
      ) : items.length === 0 ? (
        <p className="mt-3 border-t border-rule py-5 text-sm text-ink-2">
          {isFiltered ? t(`types.${type}.none`) : t(`types.${type}.empty`)}
        </p>
      ) : (
        <ul className="mt-3 border-t border-rule">
          {items.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              parent={items.find(({ id }) => id === entry.parent)?.title}
              {...(mayDraft && { onCopy: () => onCopy(entry), onShare: () => onShare(entry) })}
              {...(onPublish && entry.status !== 'published' && { onPublish: () => onPublish(entry) })}
            />
          ))}
        </ul>
      )}
      {data?.at(-1)?.nextCursor && (
        <Button
          className="mt-4"
          disabled={isValidating && data.length < size}
          onClick={() => void setSize(data.length + 1)}
        >
          {t('more')}
        </Button>
      )}
    </section>
  );
}

type EntryPage = Shape<typeof entryListSchema>;

interface EntryRowProps {
  readonly entry: EntryItem;
  /** Title of the parent page. */
  readonly parent: string | undefined;
  /** Absent if the user may not create pages. */
  readonly onCopy?: () => void;
  /** Absent if the user may not change drafts. */
  readonly onShare?: () => void;
  /** Absent if nothing is unpublished, or the user may not publish. */
  readonly onPublish?: () => void;
}

/** A page or post; its title opens it in the preview next to the assistant. */
function EntryRow({ entry, parent, onCopy, onShare, onPublish }: EntryRowProps) {
  const previewHref = usePreviewHref();
  const { title, path, status, publishAt, updatedAt, sectionCount, excerpt, kind } = entry;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-rule py-3.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="text-base font-medium [overflow-wrap:anywhere]">
          <Link
            href={deskPagePath(path)}
            prefetch={false}
            aria-label={t('open', { title })}
            className="underline-offset-3 hover:text-accent hover:underline"
          >
            {title}
          </Link>
          <span className="ml-2 text-sm font-normal text-ink-3">{path}</span>
        </p>
        {excerpt !== undefined && <p className="line-clamp-1 text-sm text-ink-2">{excerpt}</p>}
        <p className="text-sm text-ink-3">
          {kind !== undefined && `${kind} · `}
          {t('edited')} <TimeAgo time={updatedAt} /> · {t('sections', { count: sectionCount })}
          {parent !== undefined && ` · ${t('below', { title: parent })}`}
        </p>
      </div>
      <EntryState status={status} publishAt={publishAt} marks={entry.marks} />
      <Menu trigger={<IconButton label={t('menu', { title })} icon={<Ellipsis aria-hidden />} />}>
        {onPublish && (
          <MenuItem onSelect={() => afterMenu(onPublish)}>
            <Rocket aria-hidden />
            {tShared('page.publish')}
          </MenuItem>
        )}
        {onCopy && (
          <MenuItem onSelect={onCopy}>
            <Copy aria-hidden />
            {t('copy')}
          </MenuItem>
        )}
        {onShare && (
          <MenuItem onSelect={() => afterMenu(onShare)}>
            <Share2 aria-hidden />
            {tShared('page.share')}
          </MenuItem>
        )}
        <MenuItem onSelect={() => window.open(previewHref(path, 'draft'), '_blank', 'noopener')}>
          <Eye aria-hidden />
          {t('preview')}
        </MenuItem>
        {status !== 'draft' && (
          <MenuItem onSelect={() => window.open(previewHref(path, 'published'), '_blank', 'noopener')}>
            <ExternalLink aria-hidden />
            {t('view')}
          </MenuItem>
        )}
      </Menu>
    </li>
  );
}

/** Colour of the dot for each state. */
const dots = { draft: 'bg-ink-3', published: 'bg-accent', changed: 'bg-amber' };

function EntryState({ status, publishAt, marks = [] }: Pick<EntryItem, 'status' | 'publishAt' | 'marks'>) {
  return (
    <p className="flex w-56 flex-wrap items-center gap-x-2 text-sm text-ink-2">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[status]}`} />
      {t(`states.${status}`)}
      {marks.length > 0 && (
        <span className="w-full text-xs text-ink-3">{marks.map((mark) => tShared(`marks.${mark}`)).join(' · ')}</span>
      )}
      {publishAt !== null && (
        <span className="w-full text-xs text-ink-3">{t('scheduled', { when: scheduledTime(publishAt) })}</span>
      )}
    </p>
  );
}
