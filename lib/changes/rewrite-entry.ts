import { showWritten, undoOne } from '#lib/changes/undo-actions';
import { toastWithAction } from '#lib/ui/toast-with-action';
import { reportFailure } from '#lib/ui/report-failure';
import { changesStrings } from '#lib/strings/changes';
import type { ChangeSet } from '#server/core/content';

/** Does something to the page that is shown, shows what came of it and offers the way back; tells of a failure. */
export async function rewrite(write: () => Promise<ChangeSet>, message: string): Promise<void> {
  try {
    const change = await write();
    showWritten([change]);
    toastWithAction(message, changesStrings.undo, () => undoOne(change));
  } catch (error) {
    reportFailure(error);
  }
}
