import { api } from '#components/api/api-client';
import { undoOne } from '#components/changes/undo-actions';
import { changesStrings } from '#components/changes/words';
import { refreshContent, showWritten } from '#components/desk/content-cache';
import { flushEditors } from '#components/editor/page-editor';
import { inYourWords } from '#components/served-words';
import { toast } from '#components/toast';
import { plannedStrings } from '#components/planned/words';
import { ConfirmDialog } from '#components/ui/dialogs';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import { strings } from '#components/words';
import type { EntryItem } from '#server/core/site-lists';

const say = plannedStrings.now;

interface PublishDialogProps {
  readonly entry: Pick<EntryItem, 'type' | 'id' | 'title' | 'path' | 'status' | 'marks' | 'publishAt'>;
  readonly onClose: () => void;
}

/** Says what visitors will see of a page or post, and publishes it. */
export function PublishDialog({ entry, onClose }: PublishDialogProps) {
  const { type, id, title } = entry;
  const publish = async () => {
    // Else visitors would see it without what was typed last.
    if (!(await flushEditors(id))) throw new Error(say.isUnsaved);
    const { change, notes = [] } = await api.publish(type, id);
    if (change !== null) {
      showWritten([change]);
      toastWithAction(say.done(title), changesStrings.undo, () => undoOne(change));
    } else refreshContent();
    if (notes.length > 0) toast(notes.map(inYourWords).join(' '));
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={say.title(title)}
      body={whatVisitorsSee(entry)}
      confirm={strings.page.publish}
      variant="primary"
      onConfirm={() => void publish().catch(reportFailure)}
    />
  );
}

/** Tells what the publication of an entry is for visitors. */
export function whatVisitorsSee({
  path,
  status,
  marks = [],
  publishAt,
}: Pick<EntryItem, 'path' | 'status' | 'marks' | 'publishAt'>): string {
  return [
    marks.includes('private') ? say.ofPrivate(path) : status === 'changed' ? say.ofChanges(path) : say.ofDraft(path),
    ...(publishAt === null ? [] : [say.ofPlan]),
    say.isUndoable,
  ].join(' ');
}
