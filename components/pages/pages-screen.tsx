'use client';

import { Plus, Replace } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter, useSearchParams } from 'next/navigation';
import { translator } from '#components/i18n.ts';
import { useMayDraft, useMayPublish } from '#components/access/access-client.ts';
import { BatchPanel } from '#components/pages/batch-panel';
import { EntriesSection } from '#components/pages/entries-section';
import { PagesFilters } from '#components/pages/pages-filters';
import { MoveDialog } from '#components/pages/move-dialog';
import { changeView, filterOf, isFiltered, type PagesView, viewOf } from '#components/pages/pages-view.ts';
import { ReplaceDialog } from '#components/editor/find/replace-dialog';
import { SelectionBar } from '#components/pages/selection-bar';
import type { BatchRequest } from '#components/pages/batch-changes.ts';
import { useBatch } from '#components/pages/use-batch.ts';
import { useEntries } from '#components/pages/use-entries.ts';
import { NOTHING_SELECTED, withEntries } from '#components/pages/selection.ts';
import { useSelection } from '#components/pages/use-selection.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { entryPath } from '#components/workspace/preview-path.ts';
import { Button } from '#components/ui/buttons';
import { Switch } from '#components/ui/controls/choices';
import { PublishDialog } from '#components/editor/page/publish-dialog';
import { PreviewLinkDialog } from '#components/editor/page/preview-link-dialog';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { loadCode } from '#components/ui/load-code';
import { useOpened } from '#components/ui/hooks.ts';
import { PageTitle } from '#components/ui/page-parts';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('pages');

const NewPage = dynamic(() => loadCode(async () => (await import('#components/editor/panels/new-page')).NewPage), {
  ssr: false,
});

/** All pages and posts of the site with their states, and what can be done with one or several of them. */
export function PagesScreen() {
  const view = viewOf(useSearchParams());
  /** The dialog for a new page; opened with the entry to copy, or null. */
  const dialog = useOpened<EntryItem | null>();
  const publishing = useOpened<EntryItem>();
  const sharing = useOpened<EntryItem>();
  const replacing = useOpened();
  const mayDraft = useMayDraft();
  const mayPublish = useMayPublish();
  const router = useRouter();
  const filter = filterOf(view);
  const pages = useEntries('page', filter);
  const tree = view.isTree && !isFiltered(view) ? { filter, open: view.open } : null;
  const top = useEntries('page', tree && { ...filter, parent: 'none' });
  const moving = useOpened<EntryItem>();
  const posts = useEntries('post', filter);
  const selecting = useSelection(JSON.stringify(filter));
  const batch = useBatch();
  const startBatch = (request: BatchRequest, ids: readonly string[]) => {
    void batch.start(request, ids, selecting.clear).catch(reportFailure);
  };
  const isRunning = batch.run?.isEnded === false;
  const section = {
    isFiltered: isFiltered(view),
    selecting: mayDraft && !isRunning ? selecting : null,
    actionsOf: (entry: EntryItem) => ({
      ...(mayDraft && { onCopy: () => dialog.open(entry), onShare: () => sharing.open(entry) }),
      ...(mayDraft && !isRunning && entry.type === 'page' && { onMove: () => moving.open(entry) }),
      ...(mayPublish && entry.status !== 'published' && { onPublish: () => publishing.open(entry) }),
    }),
  };
  const source = dialog.opened?.target;
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')}>
        {/* Rendered from the start, because they occupy a separate line on a phone. */}
        <div className="flex flex-wrap gap-2">
          <Button disabled={!mayDraft} onClick={() => replacing.open()}>
            <Replace aria-hidden className="size-4" />
            {t('replace.button')}
          </Button>
          <Button variant="primary" disabled={!mayDraft} onClick={() => dialog.open(null)}>
            <Plus aria-hidden className="size-4" />
            {t('new')}
          </Button>
        </div>
      </PageTitle>
      <PagesFilters view={view} />
      {selecting.selection.size > 0 ? (
        <SelectionBar
          selecting={selecting}
          filter={filter}
          total={(pages.data?.[0]?.total ?? 0) + (posts.data?.[0]?.total ?? 0)}
          mayPublish={mayPublish}
          onStart={startBatch}
        />
      ) : (
        batch.run && (
          <BatchPanel
            run={batch.run}
            onCancel={batch.cancel}
            onLeave={batch.leave}
            onUndo={() => batch.run && void batch.undo(batch.run)}
            onResume={() => batch.run && void batch.resume(batch.run)}
            onClose={() => {
              batch.close();
              document.getElementById('entries-page')?.focus();
            }}
          />
        )
      )}
      <div className="mt-8 flex flex-col gap-12">
        <EntriesSection
          type="page"
          {...section}
          entries={tree ? top : pages}
          total={pages.data?.[0]?.total}
          tree={tree}
          control={<ViewSwitch view={view} />}
        />
        {/* Below the pages, so rendered only after they have loaded. */}
        {(pages.data ?? pages.error) !== undefined && (
          <EntriesSection type="post" {...section} entries={posts} total={posts.data?.[0]?.total} tree={null} />
        )}
      </div>
      {publishing.opened && <PublishDialog entry={publishing.opened.target} onClose={publishing.close} />}
      {sharing.opened && <PreviewLinkDialog entry={sharing.opened.target} onClose={sharing.close} />}
      {moving.opened && (
        <MoveDialog
          selection={withEntries(NOTHING_SELECTED, [moving.opened.target], true)}
          onClose={moving.close}
          onSubmit={(request) => {
            const { id } = moving.opened?.target ?? {};
            moving.close();
            if (id !== undefined) startBatch(request, [id]);
          }}
        />
      )}
      {replacing.opened && <ReplaceDialog ids={null} onClose={replacing.close} />}
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

/** Chooses between a list and a tree. */
function ViewSwitch({ view }: { readonly view: PagesView }) {
  return (
    <div className="ml-auto flex flex-wrap items-center gap-x-3 gap-y-1">
      {view.isTree && isFiltered(view) && <span className="text-xs text-ink-3">{t('tree.flat')}</span>}
      <Switch
        label={t('tree.label')}
        value={view.isTree ? 'tree' : 'list'}
        choices={{ list: t('tree.list'), tree: t('tree.tree') }}
        onChange={(value) => changeView({ isTree: value === 'tree' })}
      />
    </div>
  );
}
