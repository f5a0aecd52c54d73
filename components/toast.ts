import type { ExternalToast, toast as drawn } from 'sonner';

type Draw = typeof drawn;

/** Draws toasts; null: it is not there yet. */
let draw: Draw | null = null;
/** Toasts that were said before. */
let waiting: { readonly message: string; readonly run: (draw: Draw) => void }[] = [];
const listeners = new Set<() => void>();

function whenDrawn(run: (draw: Draw) => void, message: string): void {
  if (draw !== null) return run(draw);
  waiting.push({ message, run });
  for (const listener of listeners) listener();
}

const say =
  (kind: 'message' | 'error' | 'success') =>
  (message: string, options?: ExternalToast): void =>
    whenDrawn((there) => void there[kind](message, options), message);

/** Tells the user something in a moment's note over the page. What draws it is fetched when somebody is there, or with the first. */
export const toast = Object.assign(say('message'), {
  error: say('error'),
  success: say('success'),
  dismiss: (id: string): void => void draw?.dismiss(id),
});

/** Toasts are drawn from now on, those that wait first. */
export function drawToasts(there: Draw): void {
  draw = there;
  for (const { run } of waiting) run(there);
  waiting = [];
}

/** True while a toast waits for what draws it. */
export const isToastWaiting = (): boolean => waiting.length > 0;

/** Words of the newest toast that waits, for where none can be drawn; they do not wait any longer. */
export function takeWaitingToast(): string | null {
  const message = waiting.at(-1)?.message ?? null;
  waiting = [];
  return message;
}

/** Calls back with each toast that has to wait. */
export function onWaitingToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
