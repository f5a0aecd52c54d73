import { toast } from 'sonner';
import { messageOf } from '#components/api/api-error';
import { strings } from '#components/words';

/** Tells the user that a request failed, and why. */
export function reportFailure(error: unknown): void {
  toast.error(strings.common.failed(messageOf(error)));
}

/** Long enough to read what was done, and to reach the button by keyboard; ms. */
const ACTION_MS = 12_000;

interface ToastOptions {
  /** Toasts with the same id replace each other. */
  readonly id?: string;
}

/** A word that something was done, with a button: mostly the way back. That its action failed is told, too. */
export function toastWithAction(
  message: string,
  label: string,
  action: () => void | Promise<void>,
  options: ToastOptions = {},
): void {
  let isTaken = false;
  const run = async () => {
    // A second click, while the toast leaves.
    if (isTaken) return;
    isTaken = true;
    try {
      await action();
    } catch (error) {
      reportFailure(error);
    }
  };
  toast(message, { ...options, duration: ACTION_MS, action: { label, onClick: () => void run() } });
}

/** For `onInteractOutside` of a dialog: keeps it open while a toast above it is used. */
export function keepOpenForToasts(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toast]')) event.preventDefault();
}
