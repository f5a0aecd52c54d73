import { EyeOff, FolderInput, Replace, Rocket, Tags, Trash2, UserPen } from 'lucide-react';
import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { allEntries } from '#components/workspace/all-entries.ts';
import type { BatchRequest } from '#components/pages/batch-changes.ts';
import type { Selection } from '#components/pages/selection.ts';
import type { SelectionControl } from '#components/pages/use-selection.ts';
import { AuthorDialog } from '#components/pages/author-dialog';
import { MoveDialog } from '#components/pages/move-dialog';
import { ReplaceDialog } from '#components/editor/find/replace-dialog';
import { TagDialog } from '#components/pages/tag-dialog';
import type { EntryFilter } from '#components/api/paths.ts';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { BatchAction } from '#server/core/site/bulk/batches';

const t = translator('pages');
const tShared = translator('shared');

interface SelectionBarProps {
  readonly selecting: SelectionControl;
  readonly filter: EntryFilter;
  /** Number of all pages and posts that match the filter. */
  readonly total: number;
  readonly mayPublish: boolean;
  readonly onStart: (request: BatchRequest, ids: readonly string[]) => void;
}

/** What can be done with the selected pages and posts. */
export function SelectionBar({ selecting, filter, total, mayPublish, onStart }: SelectionBarProps) {
  const { selection } = selecting;
  const [asked, setAsked] = useState<BatchAction | null>(null);
  const [isReading, setIsReading] = useState(false);
  const [isReplacing, setIsReplacing] = useState(false);
  const count = selection.size;
  const selectAll = async () => {
    setIsReading(true);
    try {
      const lists = await Promise.all((['page', 'post'] as const).map((type) => allEntries(type, filter)));
      selecting.set(lists.flat(), true);
    } catch (error) {
      reportFailure(error);
    }
    setIsReading(false);
  };
  const pageIds = [...selection.values()].filter(({ type }) => type === 'page').map(({ id }) => id);
  const start = (request: BatchRequest) => {
    setAsked(null);
    // Posts have no page above.
    onStart(request, request.action === 'move' ? pageIds : [...selection.keys()]);
  };
  return (
    <section
      aria-label={t('selection.label')}
      className="sticky top-15 z-10 mt-6 flex flex-wrap items-center gap-x-2 gap-y-2 rounded-lg border border-rule-strong bg-sheet px-3 py-2 shadow-sheet"
    >
      <output className="mr-2 text-sm font-medium tabular-nums">{t('selection.count', { count })}</output>
      {mayPublish && (
        <>
          <Button onClick={() => setAsked('publish')}>
            <Rocket aria-hidden className="size-4" />
            {tShared('page.publish')}
          </Button>
          <Button onClick={() => setAsked('unpublish')}>
            <EyeOff aria-hidden className="size-4" />
            {t('selection.unpublish')}
          </Button>
        </>
      )}
      <Button onClick={() => setAsked('tag')}>
        <Tags aria-hidden className="size-4" />
        {t('selection.tag')}
      </Button>
      <Button onClick={() => setAsked('author')}>
        <UserPen aria-hidden className="size-4" />
        {t('selection.author')}
      </Button>
      <Button disabled={pageIds.length === 0} onClick={() => setAsked('move')}>
        <FolderInput aria-hidden className="size-4" />
        {t('selection.move')}
      </Button>
      <Button onClick={() => setIsReplacing(true)}>
        <Replace aria-hidden className="size-4" />
        {t('replace.button')}
      </Button>
      {mayPublish && (
        <Button onClick={() => setAsked('trash')}>
          <Trash2 aria-hidden className="size-4" />
          {t('selection.trash')}
        </Button>
      )}
      <span className="ml-auto flex flex-wrap gap-1">
        {count < total && (
          <Button variant="ghost" isBusy={isReading} onClick={() => void selectAll()}>
            {t('selection.all', { count: total })}
          </Button>
        )}
        <Button variant="ghost" onClick={selecting.clear}>
          {t('selection.clear')}
        </Button>
      </span>
      {isReplacing && <ReplaceDialog ids={[...selection.keys()]} onClose={() => setIsReplacing(false)} />}
      {asked === 'tag' && <TagDialog count={count} onClose={() => setAsked(null)} onSubmit={start} />}
      {asked === 'author' && <AuthorDialog count={count} onClose={() => setAsked(null)} onSubmit={start} />}
      {asked === 'move' && <MoveDialog selection={selection} onClose={() => setAsked(null)} onSubmit={start} />}
      {(asked === 'publish' || asked === 'unpublish' || asked === 'trash') && (
        <ConfirmDialog
          open
          onOpenChange={(isOpen) => !isOpen && setAsked(null)}
          title={t(`batch.confirm.${asked}.title`, { count })}
          body={[t(`batch.confirm.${asked}.body`), ...(asked === 'publish' ? publishingNotes(selection) : [])].join(
            ' ',
          )}
          confirm={asked === 'publish' ? tShared('page.publish') : t(`selection.${asked}`)}
          variant={asked === 'publish' ? 'primary' : 'danger'}
          onConfirm={() => start({ action: asked })}
        />
      )}
    </section>
  );
}

/** What publishing the selection does apart from showing drafts: it ends schedules and shows private entries. */
function publishingNotes(selection: Selection): string[] {
  const entries = [...selection.values()];
  const scheduled = entries.filter(({ publishAt }) => publishAt !== null).length;
  const hidden = entries.filter(({ marks = [] }) => marks.includes('private')).length;
  return [
    ...(scheduled > 0 ? [t('batch.confirm.publish.scheduled', { count: scheduled })] : []),
    ...(hidden > 0 ? [t('batch.confirm.publish.private', { count: hidden })] : []),
  ];
}
