import { toast } from 'sonner';
import { ApiError } from '#lib/api/api-error';
import { messageOf } from '#lib/ui/message-of';
import { strings } from '#lib/strings';

/** Tells the user that what they asked for did not happen, and why. */
export function reportFailure(error: unknown): void {
  toast.error(strings.common.failed(messageOf(error)));
}

/** The same for a waiting message: the usual reason is that it waits no longer. */
export function reportQueueFailure(error: unknown): void {
  if (error instanceof ApiError && error.status === 404) toast(strings.queue.gone);
  else reportFailure(error);
}

/** Tells the user why a message could not be sent. Where its text is then, is up to the caller. */
export function reportUnsent(error: unknown): void {
  toast.error(strings.queue.failed(messageOf(error)));
}
