import { atom } from 'nanostores';
import { LOGIN_PATH, signInPath } from '#server/core/sign-in-paths';

/* Holds requests that the server refuses until the user signs in again, and repeats them after that. */

/** `expired`: the sign-in has expired. `stale`: the action requires a more recent sign-in. */
export type SignInReason = 'expired' | 'stale';

/** A refused request that waits for the user. */
interface WaitingRequest {
  readonly because: SignInReason;
  readonly answer: (hasSignedIn: boolean) => void;
}

const waiting = atom<readonly WaitingRequest[]>([]);

/** Asks the user to sign in again; resolves to false if they decline. */
export function askToSignInAgain(because: SignInReason): Promise<boolean> {
  if (because === 'expired' && window.location.pathname === LOGIN_PATH) return Promise.resolve(false);
  return new Promise((answer) => {
    waiting.set([...waiting.get(), { because, answer }]);
  });
}

/** Answers all waiting requests together. */
export function answerSignInAgain(hasSignedIn: boolean): void {
  const asked = waiting.get();
  waiting.set([]);
  for (const { answer } of asked) answer(hasSignedIn);
}

/**
 * Call this when the user declines to sign in. If the sign-in has expired, opens the sign-in page, because no request
 * of this page can succeed.
 */
export function declineSignInAgain(because: SignInReason): void {
  answerSignInAgain(false);
  const { pathname, search } = window.location;
  if (because === 'expired') window.location.assign(signInPath(pathname + search));
}

/** For `useSyncExternalStore`: why a sign-in is requested; undefined if no request waits. */
export const signInAgain = {
  subscribe: (listener: () => void): (() => void) => waiting.listen(listener),
  because: () => waiting.get()[0]?.because,
};

/**
 * Key in the local storage that is written on sign-out, so that other tabs of this browser stop showing the person's
 * data.
 */
const SIGN_OUT_KEY = 'throughline-left';

/** Makes all other tabs of this browser open the sign-in page. Call this after a sign-out. */
export function notifyOtherTabs(): void {
  try {
    window.localStorage.setItem(SIGN_OUT_KEY, String(Date.now()));
  } catch {
    // Storage can be full or disabled; the other tabs then learn it from the server.
  }
}

if (typeof window !== 'undefined')
  window.addEventListener('storage', ({ key }) => key === SIGN_OUT_KEY && window.location.assign(LOGIN_PATH));
