import { toast } from 'sonner';
import { reportFailure } from '#lib/ui/report-failure';

/** Long enough to read what was done, and to reach the button by keyboard; ms. */
const ACTION_MS = 12_000;

interface ToastOptions {
  /** The same word twice is one toast. */
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
