import { api, paths } from '#lib/api/api-client';
import { showWritten, undoOne } from '#lib/changes/undo-actions';
import { toastWithAction } from '#lib/ui/toast-with-action';
import { plannedTime } from '#lib/planned/planned-time';
import { changesStrings } from '#lib/strings/changes';
import { plannedStrings } from '#lib/strings/planned';
import type { ChangeSet, EntryType } from '#server/core/content';

const say = plannedStrings;

/** What of an entry it takes to plan its publication. */
export interface Plannable {
  readonly type: EntryType;
  readonly id: string;
  readonly title: string;
  /** Epoch milliseconds; null: not planned. */
  readonly publishAt: number | null;
}

/** Plans the publication of a draft; null: takes the plan back. @throws ApiError */
export async function planPublication({ type, id, title }: Plannable, publishAt: number | null): Promise<void> {
  const path = `${paths.entry(type, id)}/schedule`;
  const { change } = await api.json<{ readonly change: ChangeSet }>('POST', path, { publishAt });
  showWritten([change]);
  const message = publishAt === null ? say.cancelled(title) : say.done(title, plannedTime(publishAt));
  toastWithAction(message, changesStrings.undo, () => undoOne(change));
}
