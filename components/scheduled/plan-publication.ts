import { api } from '#components/api/api-client.ts';
import { undoOne } from '#components/changes/undo-actions.ts';
import { showWritten } from '#components/workspace/content-cache.ts';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import type { EntryType } from '#server/core/site/content';
import { scheduledTime } from '#components/ui/times.ts';
import { translator } from '#components/i18n.ts';

const t = translator('scheduled');
const tChanges = translator('changes');

/** Facts about an entry needed to schedule its publication. */
export interface Schedulable {
  readonly type: EntryType;
  readonly id: string;
  readonly title: string;
  /** Epoch milliseconds; null: not scheduled. */
  readonly publishAt: number | null;
}

/**
 * Schedules the publication of a draft, and offers to undo that in a toast. Rejects with ApiError.
 * @param publishAt epoch ms; null cancels the schedule
 */
export async function planPublication({ type, id, title }: Schedulable, publishAt: number | null): Promise<void> {
  const change = await api.schedule(type, id, publishAt);
  showWritten([change]);
  const message = publishAt === null ? t('cancelled', { title }) : t('done', { title, when: scheduledTime(publishAt) });
  toastWithAction(message, tChanges('undo'), () => undoOne(change));
}
