import type { ExternalToast, toast as drawn } from 'sonner';

type Draw = typeof drawn;

/** What draws toasts; null: it is not there yet. */
let draw: Draw | null = null;
/** What was said before. */
let waiting: ((draw: Draw) => void)[] = [];
const listeners = new Set<() => void>();

function whenDrawn(run: (draw: Draw) => void): void {
  if (draw !== null) return run(draw);
  waiting.push(run);
  for (const listener of listeners) listener();
}

const say =
  (kind: 'message' | 'error' | 'success') =>
  (message: string, options?: ExternalToast): void =>
    whenDrawn((there) => void there[kind](message, options));

/** Tells the user something in a moment's note over the page. What draws it is fetched when somebody is there, or with the first. */
export const toast = Object.assign(say('message'), {
  error: say('error'),
  success: say('success'),
  dismiss: (id: string): void => whenDrawn((there) => void there.dismiss(id)),
});

/** Toasts are drawn from now on, those that wait first. */
export function drawToasts(there: Draw): void {
  draw = there;
  const said = waiting;
  waiting = [];
  for (const run of said) run(there);
}

/** True while a toast waits for what draws it. */
export const isToastWaiting = (): boolean => waiting.length > 0;

/** Calls back with each toast that has to wait. */
export function onWaitingToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
