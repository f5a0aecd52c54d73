import { translator } from '#components/i18n.ts';
import { ApiError, messageOf } from '#components/api/api-error.ts';
import { toast } from 'sonner';
import { reportFailure } from '#components/ui/dialogs/toasts';

const t = translator('queue');

/** Reports a failure about a waiting message: usually it is no longer waiting. */
export function reportQueueFailure(error: unknown): void {
  if (error instanceof ApiError && error.status === 404) toast(t('gone'));
  else reportFailure(error);
}

/** Shows the user why a message could not be sent. The caller keeps its text. */
export function reportUnsent(error: unknown): void {
  toast.error(t('failed', { reason: messageOf(error) }));
}
