import { toast } from 'sonner';
import { ApiError, messageOf } from '#components/api/api-error';
import { queueStrings } from '#components/chat/session/words';
import { reportFailure } from '#components/ui/toasts';

/** Reports a failure about a waiting message: usually it is no longer waiting. */
export function reportQueueFailure(error: unknown): void {
  if (error instanceof ApiError && error.status === 404) toast(queueStrings.gone);
  else reportFailure(error);
}

/** Tells the user why a message could not be sent. The caller keeps its text. */
export function reportUnsent(error: unknown): void {
  toast.error(queueStrings.failed(messageOf(error)));
}
