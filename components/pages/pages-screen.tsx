'use client';

import { Copy, Ellipsis, ExternalLink, Eye, Plus, Rocket } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useEffect, useEffectEvent, useState } from 'react';
import useSWRInfinite from 'swr/infinite';
import { useMayDraft, useMayPublish } from '#components/access/access-client';
import { type EntryFilter, paths } from '#components/api/paths';
import { onContentRefreshed } from '#components/desk/content-cache';
import { deskPagePath } from '#components/desk/navigation';
import { entryPath } from '#components/desk/preview-path';
import { usePreviewHref } from '#components/desk/site-of-page';
import { pagesStrings } from '#components/pages/words';
import { Button, IconButton } from '#components/ui/buttons';
import { ChoiceField, SearchField } from '#components/ui/fields';
import { fetchedLater } from '#components/ui/fetched-later';
import { useOpened, useSettled } from '#components/ui/hooks';
import { useKeptData } from '#components/ui/kept-data';
import { afterMenu, Menu } from '#components/ui/menus';
import { MenuItem } from '#components/ui/menu-rows';
import { LoadFailed, LoadingBlock } from '#components/ui/notices';
import { PageTitle, TimeAgo } from '#components/ui/page-parts';
import { strings } from '#components/words';
import type { EntryType } from '#server/core/content';
import type { EntryItem, entryListSchema } from '#server/core/site-lists';
import type { Shape } from '#server/core/shapes';
import { plannedTime } from '#components/ui/times';

const PublishDialog = fetchedLater(async () => (await import('#components/editor/publish-dialog')).PublishDialog);
const NewPage = fetchedLater(async () => (await import('#components/editor/new-page')).NewPage);

const say = pagesStrings;
type State = keyof typeof say.states;

/** A pause in typing after which the search begins; ms. */
const TYPING_PAUSE = 250;
const PAGE = 30;

/** Every page and post of the site: its state, and the ways to open, copy and make one. */
export function PagesScreen() {
  const [text, setText] = useState('');
  const [state, setState] = useState<State | null>(null);
  const dialog = useOpened<EntryItem | null>();
  const publishing = useOpened<EntryItem>();
  const mayDraft = useMayDraft();
  const mayPublish = useMayPublish();
  const router = useRouter();
  const wanted = useSettled(text.trim(), TYPING_PAUSE);
  const filter = { text: wanted || undefined, ...filterOf(state) };
  const pages = useEntries('page', filter);
  const posts = useEntries('post', filter);
  const readAgain = useEffectEvent(() => void Promise.all([pages.mutate(), posts.mutate()]));
  // Lists of several pages are none of what is read again by itself.
  useEffect(() => onContentRefreshed(readAgain), []);
  const section = {
    isFiltered: Object.values(filter).some((value) => value !== undefined),
    mayDraft,
    onCopy: (entry: EntryItem) => dialog.open(entry),
    ...(mayPublish && { onPublish: (entry: EntryItem) => publishing.open(entry) }),
  };
  const source = dialog.opened?.target;
  return (
    <>
      <PageTitle title={say.title} intro={say.intro}>
        {/* There from the start, for it takes a line of its own on a phone. */}
        <Button variant="primary" disabled={!mayDraft} onClick={() => dialog.open(null)}>
          <Plus aria-hidden className="size-4" />
          {say.new}
        </Button>
      </PageTitle>
      <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3">
        <SearchField label={say.search} value={text} onChange={setText} className="w-full sm:w-72" />
        <ChoiceField
          label={say.state}
          any={say.anyState}
          choices={say.states}
          value={state}
          onChange={setState}
          onAny={() => setState(null)}
        />
      </search>
      <div className="mt-8 flex flex-col gap-12">
        <EntriesSection type="page" {...section} entries={pages} />
        {/* Below the pages, and so only once they are there. */}
        {(pages.data ?? pages.error) !== undefined && <EntriesSection type="post" {...section} entries={posts} />}
      </div>
      {publishing.opened && <PublishDialog entry={publishing.opened.target} onClose={publishing.close} />}
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

function filterOf(state: State | null): EntryFilter {
  if (state === null) return {};
  return state === 'scheduled' ? { scheduled: '1' } : { status: state };
}

/** The pages or posts that the filter lets through, as far as they were asked for. */
function useEntries(type: EntryType, filter: EntryFilter) {
  const read = useSWRInfinite<EntryPage, Error>((index, previous: EntryPage | null) => {
    if (index === 0) return paths.entryList(type, filter, PAGE);
    return previous?.nextCursor ? paths.entryList(type, filter, PAGE, previous.nextCursor) : null;
  });
  return { ...read, data: useKeptData(read.data, read.error) };
}

interface EntriesSectionProps {
  readonly type: EntryType;
  readonly entries: ReturnType<typeof useEntries>;
  readonly isFiltered: boolean;
  readonly mayDraft: boolean;
  readonly onCopy: (entry: EntryItem) => void;
  /** Absent: the reader may not publish. */
  readonly onPublish?: (entry: EntryItem) => void;
}

function EntriesSection({ type, entries, isFiltered, mayDraft, onCopy, onPublish }: EntriesSectionProps) {
  const { data, error, size, setSize, isValidating, mutate } = entries;
  const items = data?.flatMap((page) => page.items);
  const total = data?.[0]?.total ?? 0;
  const { title, empty, none } = say.types[type];
  return (
    <section aria-labelledby={`entries-${type}`}>
      <h2
        id={`entries-${type}`}
        className="flex items-baseline gap-3 font-serif text-xl font-medium tracking-[-0.01em]"
      >
        {title}
        {total > 0 && <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">{say.count(total)}</span>}
      </h2>
      {items === undefined && error !== undefined ? (
        <LoadFailed title={say.failed} error={error} onRetry={() => void mutate()} />
      ) : items === undefined ? (
        <LoadingBlock label={say.loading} />
      ) : items.length === 0 ? (
        <p className="mt-3 border-t border-rule py-5 text-sm text-ink-2">{isFiltered ? none : empty}</p>
      ) : (
        <ul className="mt-3 border-t border-rule">
          {items.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              parent={items.find(({ id }) => id === entry.parent)?.title}
              {...(mayDraft && { onCopy: () => onCopy(entry) })}
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
          {say.more}
        </Button>
      )}
    </section>
  );
}

type EntryPage = Shape<typeof entryListSchema>;

interface EntryRowProps {
  readonly entry: EntryItem;
  /** Title of the page above. */
  readonly parent: string | undefined;
  /** Absent: the reader may not make pages. */
  readonly onCopy?: () => void;
  /** Absent: there is nothing to publish, or the reader may not. */
  readonly onPublish?: () => void;
}

/** A page or post: its title leads to it beside the assistant. */
function EntryRow({ entry, parent, onCopy, onPublish }: EntryRowProps) {
  const previewHref = usePreviewHref();
  const { title, path, status, publishAt, updatedAt, sectionCount, excerpt, kind } = entry;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-rule py-3.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="text-base font-medium [overflow-wrap:anywhere]">
          <Link
            href={deskPagePath(path)}
            prefetch={false}
            aria-label={say.open(title)}
            className="underline-offset-3 hover:text-accent hover:underline"
          >
            {title}
          </Link>
          <span className="ml-2 text-sm font-normal text-ink-3">{path}</span>
        </p>
        {excerpt !== undefined && <p className="line-clamp-1 text-sm text-ink-2">{excerpt}</p>}
        <p className="text-sm text-ink-3">
          {kind !== undefined && `${kind} · `}
          {say.edited} <TimeAgo time={updatedAt} /> · {say.sections(sectionCount)}
          {parent !== undefined && ` · ${say.below(parent)}`}
        </p>
      </div>
      <StateMark status={status} publishAt={publishAt} marks={entry.marks} />
      <Menu trigger={<IconButton label={say.menu(title)} icon={<Ellipsis aria-hidden />} />}>
        {onPublish && (
          <MenuItem onSelect={() => afterMenu(onPublish)}>
            <Rocket aria-hidden />
            {strings.page.publish}
          </MenuItem>
        )}
        {onCopy && (
          <MenuItem onSelect={onCopy}>
            <Copy aria-hidden />
            {say.copy}
          </MenuItem>
        )}
        <MenuItem onSelect={() => window.open(previewHref(path, 'draft'), '_blank', 'noopener')}>
          <Eye aria-hidden />
          {say.preview}
        </MenuItem>
        {status !== 'draft' && (
          <MenuItem onSelect={() => window.open(previewHref(path, 'published'), '_blank', 'noopener')}>
            <ExternalLink aria-hidden />
            {say.view}
          </MenuItem>
        )}
      </Menu>
    </li>
  );
}

const dots = { draft: 'bg-ink-3', published: 'bg-accent', changed: 'bg-amber' };

function StateMark({ status, publishAt, marks = [] }: Pick<EntryItem, 'status' | 'publishAt' | 'marks'>) {
  return (
    <p className="flex w-56 flex-wrap items-center gap-x-2 text-sm text-ink-2">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[status]}`} />
      {say.states[status]}
      {marks.length > 0 && (
        <span className="w-full text-xs text-ink-3">{marks.map((mark) => strings.marks[mark]).join(' · ')}</span>
      )}
      {publishAt !== null && <span className="w-full text-xs text-ink-3">{say.scheduled(plannedTime(publishAt))}</span>}
    </p>
  );
}
