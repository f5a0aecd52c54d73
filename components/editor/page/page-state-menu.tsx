import { ExternalLink, EyeOff, Rocket, Trash2 } from 'lucide-react';
import { useMayPublish } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { undoOne } from '#components/changes/undo-actions.ts';
import { PublishAllDialog } from '#components/editor/page/publish-all-dialog';
import { translator } from '#components/i18n.ts';
import { noteTexts } from '#components/message-text.ts';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { useOpened } from '#components/ui/hooks.ts';
import { MenuItem } from '#components/ui/menu-rows';
import { afterMenu } from '#components/ui/menus';
import { type Publication, unpublishedContent } from '#components/workspace/all-entries.ts';
import { refreshContent, showWritten } from '#components/workspace/content-cache.ts';
import { useEntries, useIsDesignWaiting } from '#components/workspace/entries.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import type { EntryItem } from '#server/core/site/site-lists';
import { toast } from 'sonner';

const t = translator('pageState');
const tChanges = translator('changes');

/** A question of the menu that is open. */
type Question =
  | { readonly kind: 'unpublish' | 'delete'; readonly entry: EntryItem }
  | { readonly kind: 'all'; readonly publication: Publication };

/** The items of a page's menu that change what visitors see, and the dialogs that they open. */
export function usePageStateMenu(entry: EntryItem | undefined, onDeleted: () => void) {
  const mayPublish = useMayPublish();
  const previewHref = usePreviewHref();
  const question = useOpened<Question>();
  const { entries = [], hasMore } = useEntries();
  // A page that is planned is published at its time.
  const waiting = entries.filter(({ status, publishAt }) => status !== 'published' && publishAt === null);
  const isDesignWaiting = useIsDesignWaiting();
  const askForAll = async () => {
    const publication = await unpublishedContent();
    if (publication.entries.length === 0 && !publication.hasDesign) toast(t('nothingWaiting'));
    else question.open({ kind: 'all', publication });
  };
  const sitePath = entry !== undefined && entry.status !== 'draft' ? entry.path : '/';
  const items = (
    <>
      {mayPublish && (waiting.length > 1 || isDesignWaiting || hasMore) && (
        <MenuItem onSelect={() => afterMenu(() => void askForAll().catch(reportFailure))}>
          <Rocket aria-hidden />
          {hasMore ? t('publishAllOf') : t('publishAll', { count: waiting.length + (isDesignWaiting ? 1 : 0) })}
        </MenuItem>
      )}
      <MenuItem onSelect={() => window.open(previewHref(sitePath, 'published'), '_blank', 'noopener')}>
        <ExternalLink aria-hidden />
        {t('viewSite')}
      </MenuItem>
      {mayPublish && entry !== undefined && (
        <>
          {entry.status !== 'draft' && (
            <MenuItem onSelect={() => afterMenu(() => question.open({ kind: 'unpublish', entry }))}>
              <EyeOff aria-hidden />
              {t('unpublish')}
            </MenuItem>
          )}
          <MenuItem onSelect={() => afterMenu(() => question.open({ kind: 'delete', entry }))}>
            <Trash2 aria-hidden />
            {t('delete')}
          </MenuItem>
        </>
      )}
    </>
  );
  const asked = question.opened?.target;
  const dialogs = (
    <>
      {asked?.kind === 'all' && <PublishAllDialog publication={asked.publication} onClose={question.close} />}
      {asked !== undefined && asked.kind !== 'all' && (
        <ConfirmDialog
          open
          onOpenChange={(isOpen) => !isOpen && question.close()}
          title={t(`${asked.kind}Title`, { title: asked.entry.title })}
          body={t(`${asked.kind}Body`)}
          confirm={t(asked.kind)}
          onConfirm={() => void change(asked.kind, asked.entry, onDeleted).catch(reportFailure)}
        />
      )}
    </>
  );
  return { items, dialogs };
}

/** Hides or deletes an entry, and offers to undo it. */
async function change(
  kind: 'unpublish' | 'delete',
  { type, id, title }: EntryItem,
  onDeleted: () => void,
): Promise<void> {
  const { change: made, ...result } = await (kind === 'delete' ? api.trashEntry(type, id) : api.unpublish(type, id));
  if (kind === 'delete') onDeleted();
  if (made === null) return refreshContent();
  showWritten([made]);
  toastWithAction(t(`${kind}Done`, { title }), tChanges('undo'), () => undoOne(made));
  const notes = noteTexts(result);
  if (notes.length > 0) toast(notes.join(' '));
}
