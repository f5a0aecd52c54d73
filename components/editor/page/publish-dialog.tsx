import { api } from '#components/api/api-client.ts';
import { useState } from 'react';
import { undoOne } from '#components/changes/undo-actions.ts';
import { VersionDifferences } from '#components/changes/version-differences';
import { refreshContent, showWritten } from '#components/workspace/content-cache.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { CheckList, usePublishChecks } from '#components/editor/page/publish-checks';
import { noteTexts } from '#components/message-text.ts';
import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import type { EntryItem } from '#server/core/site/site-lists';

const tChanges = translator('changes');
const tCompare = translator('changes.compare');
const tShared = translator('shared');

const t = translator('scheduled.now');

interface PublishDialogProps {
  readonly entry: Pick<EntryItem, 'type' | 'id' | 'title' | 'path' | 'status' | 'marks' | 'publishAt'>;
  readonly onClose: () => void;
}

/** Explains what visitors will see of a page or post, and publishes it. */
export function PublishDialog({ entry, onClose }: PublishDialogProps) {
  const { type, id, title } = entry;
  const { hasProblems, ...checks } = usePublishChecks([entry]);
  const publish = async () => {
    // Otherwise visitors would see the page without the last input.
    if (!(await flushEditors(id))) throw new Error(t('isUnsaved'));
    const { change, ...result } = await api.publish(type, id);
    const notes = noteTexts(result);
    if (change !== null) {
      showWritten([change]);
      toastWithAction(t('done', { title }), tChanges('undo'), () => undoOne(change));
    } else refreshContent();
    if (notes.length > 0) toast(notes.join(' '));
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('title', { title })}
      body={whatVisitorsSee(entry)}
      confirm={hasProblems ? t('anyway') : tShared('page.publish')}
      variant="primary"
      isWaiting={checks.checked === undefined}
      onConfirm={() => void publish().catch(reportFailure)}
    >
      <CheckList {...checks} />
      {entry.status === 'changed' && <UnpublishedChanges entry={entry} />}
    </ConfirmDialog>
  );
}

/** What publishing changes for visitors, as one difference; loaded when it is opened. */
function UnpublishedChanges({ entry }: { readonly entry: PublishDialogProps['entry'] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="mt-3 text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer rounded text-ink-2 hover:text-ink">{tCompare('unpublished')}</summary>
      <div className="mt-3 max-h-[50dvh] overflow-y-auto">{isOpen && <VersionDifferences entry={entry} />}</div>
    </details>
  );
}

/** Describes the effect of publishing an entry for visitors. */
function whatVisitorsSee({
  path,
  status,
  marks = [],
  publishAt,
}: Pick<EntryItem, 'path' | 'status' | 'marks' | 'publishAt'>): string {
  return [
    marks.includes('private')
      ? t('ofPrivate', { path })
      : status === 'changed'
        ? t('ofChanges', { path })
        : t('ofDraft', { path }),
    ...(publishAt === null ? [] : [t('ofPlan')]),
    t('isUndoable'),
  ].join(' ');
}
