import { api } from '#components/api/api-client.ts';
import { undoOne } from '#components/changes/undo-actions.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import { CheckList, usePublishChecks } from '#components/editor/page/publish-checks';
import { translator } from '#components/i18n.ts';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { showWritten } from '#components/workspace/content-cache.ts';
import { toast } from 'sonner';
import type { ChangeSet } from '#server/core/site/changes';
import type { EntryItem } from '#server/core/site/site-lists';

const tChanges = translator('changes');
const t = translator('history.leave');
const tNow = translator('scheduled.now');

/** Most entries that are published without showing progress: they take a moment. */
const MAX_WITHOUT_PROGRESS = 5;

/**
 * Publishes entries one after another, until one fails. A toast offers to undo all of them; a failure is reported after
 * it.
 */
export async function publishEntries(entries: readonly EntryItem[]): Promise<void> {
  const published: ChangeSet[] = [];
  let failure: unknown = null;
  const progress =
    entries.length > MAX_WITHOUT_PROGRESS ? toast.loading(t('publishing', { done: 0, total: entries.length })) : null;
  try {
    for (const [done, { type, id }] of entries.entries()) {
      if (progress !== null) toast.loading(t('publishing', { done, total: entries.length }), { id: progress });
      // Otherwise visitors would see the page without the last input.
      if (!(await flushEditors(id))) throw new Error(tNow('isUnsaved'));
      const { change } = await api.publish(type, id);
      if (change !== null) published.push(change);
    }
  } catch (error) {
    failure = error;
  }
  if (progress !== null) toast.dismiss(progress);
  if (published.length > 0) {
    showWritten(published);
    toastWithAction(t('published', { pages: published.length }), tChanges('undo'), async () => {
      for (const change of published.toReversed()) await undoOne(change);
    });
  }
  // Last, because only the newest toast is visible, and the toast about published pages stays longer.
  if (failure !== null) reportFailure(failure);
}

interface PublishAllDialogProps {
  readonly entries: readonly EntryItem[];
  /** Publishes them. Default: as `publishEntries`. */
  readonly onConfirm?: () => void;
  readonly onClose: () => void;
}

/** Explains what visitors will see of several entries, shows what their checks have found, and publishes them. */
export function PublishAllDialog({
  entries,
  onConfirm = () => void publishEntries(entries),
  onClose,
}: PublishAllDialogProps) {
  const { hasProblems, ...checks } = usePublishChecks(entries);
  const privateTitles = entries.filter(({ marks = [] }) => marks.includes('private')).map(({ title }) => title);
  const [usual, anyway] = entries.length === 1 ? [t('publish'), tNow('anyway')] : [t('publishAll'), tNow('allAnyway')];
  const ofPrivate = t('confirmPrivate', {
    titles: privateTitles.map((title) => t('quoted', { title })).join(', '),
    count: privateTitles.length,
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('confirmTitle', { pages: entries.length })}
      body={[...(privateTitles.length > 0 ? [ofPrivate] : []), t('confirmBody')].join(' ')}
      confirm={hasProblems ? anyway : usual}
      variant="primary"
      isWaiting={checks.checked === undefined}
      onConfirm={onConfirm}
    >
      {entries.length > 1 && (
        <ul className="mt-3 max-h-40 list-disc overflow-y-auto pl-5 text-sm text-ink-2">
          {entries.map(({ id, title }) => (
            <li key={id} className="[overflow-wrap:anywhere]">
              {title}
            </li>
          ))}
        </ul>
      )}
      <CheckList {...checks} isNamed />
    </ConfirmDialog>
  );
}
