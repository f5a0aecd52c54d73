// An address; a copy of it could differ from where the server leads.
// oxlint-disable-next-line no-restricted-imports
import { LOGIN_PATH, signInPath } from '#server/core/sign-in-path';

/** Leaves the page that is shown for the one to sign in at. */
export function goToSignIn(): void {
  const { pathname, search } = window.location;
  if (pathname !== LOGIN_PATH) window.location.assign(signInPath(pathname + search));
}
