import { LOGIN_PATH, signInPath } from '#server/core/addresses';

/* Requests that the server refuses because the last sign-in was a while ago: they are sent again after a new one. */

type Waiting = (hasSignedIn: boolean) => void;

const listeners = new Set<() => void>();
let waiting: Waiting[] = [];

function tell(): void {
  for (const listener of listeners) listener();
}

/** Asks the person at the page to sign in again; false: they would not. */
export function askToSignInAgain(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve];
    tell();
  });
}

/** Tells those who have asked, all at once. */
export function answerSignInAgain(hasSignedIn: boolean): void {
  const asked = waiting;
  waiting = [];
  tell();
  for (const answer of asked) answer(hasSignedIn);
}

/** For `useSyncExternalStore`: whether anybody has asked. */
export const signInAgain = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isAsked: () => waiting.length > 0,
};

/** Leaves the page that is shown for the one to sign in at. */
export function goToSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname !== LOGIN_PATH) window.location.assign(signInPath(pathname + search));
}
