import { LOGIN_PATH } from '#server/core/addresses';

/* Requests that the server refuses until somebody signs in again: they wait for it, and are sent again after it. */

/** `expired`: nobody is signed in any more. `stale`: the last sign-in was a while ago, and this wants a new one. */
export type AskedBecause = 'expired' | 'stale';

interface Waiting {
  readonly because: AskedBecause;
  readonly answer: (hasSignedIn: boolean) => void;
}

const listeners = new Set<() => void>();
let waiting: readonly Waiting[] = [];
/** They would not: what the page does by itself asks no more. */
let isDeclined = false;

function tell(): void {
  for (const listener of listeners) listener();
}

/** Asks the person at the page to sign in again; false: they would not. */
export function askToSignInAgain(because: AskedBecause): Promise<boolean> {
  const isIdle = isDeclined && !navigator.userActivation.isActive;
  if (because === 'expired' && (isIdle || window.location.pathname === LOGIN_PATH)) return Promise.resolve(false);
  return new Promise((answer) => {
    waiting = [...waiting, { because, answer }];
    tell();
  });
}

/** Tells those who have asked, all at once. */
export function answerSignInAgain(hasSignedIn: boolean): void {
  const asked = waiting;
  waiting = [];
  isDeclined = !hasSignedIn;
  tell();
  for (const { answer } of asked) answer(hasSignedIn);
}

/** For `useSyncExternalStore`: why somebody has asked; undefined: nobody has. */
export const signInAgain = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  because: () => waiting[0]?.because,
};

/** Written when somebody signs out: other tabs of this browser show nothing of theirs any longer. */
const LEFT = 'throughline-left';

export function tellOtherTabs(): void {
  try {
    window.localStorage.setItem(LEFT, String(Date.now()));
  } catch {
    // It can be full, or switched off: they hear it from the server.
  }
}

if (typeof window !== 'undefined')
  window.addEventListener('storage', ({ key }) => key === LEFT && window.location.assign(LOGIN_PATH));
