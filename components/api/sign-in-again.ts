import { LOGIN_PATH, signInPath } from '#server/core/addresses';

/* Requests that the server refuses until somebody signs in again: they wait for it, and are sent again after it. */

/** `expired`: nobody is signed in any more. `stale`: the last sign-in was a while ago, and this wants a new one. */
export type AskedBecause = 'expired' | 'stale';

interface Waiting {
  readonly because: AskedBecause;
  readonly answer: (hasSignedIn: boolean) => void;
}

const listeners = new Set<() => void>();
let waiting: readonly Waiting[] = [];

function tell(): void {
  for (const listener of listeners) listener();
}

/** Asks the person at the page to sign in again; false: they would not. */
export function askToSignInAgain(because: AskedBecause): Promise<boolean> {
  if (because === 'expired' && window.location.pathname === LOGIN_PATH) return Promise.resolve(false);
  return new Promise((answer) => {
    waiting = [...waiting, { because, answer }];
    tell();
  });
}

/** Tells those who have asked, all at once. */
export function answerSignInAgain(hasSignedIn: boolean): void {
  const asked = waiting;
  waiting = [];
  tell();
  for (const { answer } of asked) answer(hasSignedIn);
}

/** They would not. Without anybody signed in, nothing on the page goes on: it is left for the one to sign in at. */
export function declineSignInAgain(because: AskedBecause): void {
  answerSignInAgain(false);
  const { pathname, search } = window.location;
  if (because === 'expired') window.location.assign(signInPath(pathname + search));
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
