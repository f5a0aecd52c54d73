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
import type { Publication } from '#components/workspace/all-entries.ts';
import type { EntryItem } from '#server/core/site/site-lists';

const tChanges = translator('changes');
const t = translator('history.leave');
const tDesign = translator('design');
const tNow = translator('scheduled.now');

/** Most steps that are done without showing progress: they take a moment. */
const MAX_WITHOUT_PROGRESS = 5;

/** What a publication contains, for its texts. */
export function contentOf(pages: number, hasDesign: boolean) {
  return { pages, what: !hasDesign ? 'pages' : pages === 0 ? 'design' : 'both' };
}

/** Publishes an entry. @returns the change; null: visitors saw the same before */
async function publishEntry({ type, id }: EntryItem): Promise<ChangeSet | null> {
  // Otherwise visitors would see the page without the last input.
  if (!(await flushEditors(id))) throw new Error(tNow('isUnsaved'));
  return (await api.publish(type, id)).change;
}

/**
 * Publishes the design, then entries one after another, until one fails. A toast offers to undo all of them; a failure is
 * reported after it.
 */
export async function publishTogether({ entries, hasDesign }: Publication): Promise<void> {
  const steps = [
    ...(hasDesign ? [async () => (await api.publishDesign()).change] : []),
    ...entries.map((entry) => () => publishEntry(entry)),
  ];
  const total = steps.length;
  const published: ChangeSet[] = [];
  let failure: unknown = null;
  const progress = total > MAX_WITHOUT_PROGRESS ? toast.loading(t('publishing', { done: 0, total })) : null;
  try {
    for (const [done, step] of steps.entries()) {
      if (progress !== null) toast.loading(t('publishing', { done, total }), { id: progress });
      const change = await step();
      if (change !== null) published.push(change);
    }
  } catch (error) {
    failure = error;
  }
  if (progress !== null) toast.dismiss(progress);
  if (published.length > 0) {
    showWritten(published);
    const pages = published.filter(({ targetType }) => targetType !== 'design').length;
    toastWithAction(t('published', contentOf(pages, pages < published.length)), tChanges('undo'), async () => {
      for (const change of published.toReversed()) await undoOne(change);
    });
  }
  // Last, because only the newest toast is visible, and the toast about published pages stays longer.
  if (failure !== null) reportFailure(failure);
}

interface PublishAllDialogProps {
  readonly publication: Publication;
  /** Publishes it. Default: as `publishTogether`. */
  readonly onConfirm?: () => void;
  readonly onClose: () => void;
}

/** Explains what visitors will see of several entries and the design, shows what the checks have found, and publishes them. */
export function PublishAllDialog({
  publication,
  onConfirm = () => void publishTogether(publication),
  onClose,
}: PublishAllDialogProps) {
  const { entries, hasDesign } = publication;
  const { hasProblems, ...checks } = usePublishChecks(entries, hasDesign);
  const privateTitles = entries.filter(({ marks = [] }) => marks.includes('private')).map(({ title }) => title);
  const [usual, anyway] = checks.total === 1 ? [t('publish'), tNow('anyway')] : [t('publishAll'), tNow('allAnyway')];
  const ofPrivate = t('confirmPrivate', {
    titles: privateTitles.map((title) => t('quoted', { title })).join(', '),
    count: privateTitles.length,
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('confirmTitle', contentOf(entries.length, hasDesign))}
      body={[
        ...(privateTitles.length > 0 ? [ofPrivate] : []),
        t('confirmBody', contentOf(entries.length, hasDesign)),
      ].join(' ')}
      confirm={hasProblems ? anyway : usual}
      variant="primary"
      isWaiting={checks.checked === undefined}
      onConfirm={onConfirm}
    >
      {checks.total > 1 && (
        <ul className="mt-3 max-h-40 list-disc overflow-y-auto pl-5 text-sm text-ink-2">
          {hasDesign && <li>{tDesign('title')}</li>}
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
