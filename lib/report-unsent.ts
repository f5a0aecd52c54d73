import { toast } from 'sonner';
import { strings } from '#lib/strings';

/** Tells the user why a message could not be sent. Where its text is then, is up to the caller. */
export function reportUnsent(error: unknown): void {
  toast.error(strings.queue.failed(error instanceof Error ? error.message : String(error)));
}
