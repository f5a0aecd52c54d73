const SESSION_PATH = /^\/c\/([^/]+)\/?$/;

/** Address of the empty desk, where a new conversation starts. */
export const HOME_PATH = '/';

/** Address of a conversation. */
export function sessionPath(id: string): string {
  return `/c/${encodeURIComponent(id)}`;
}

/** The conversation an address names, or null where it names none. */
export function sessionIdOf(pathname: string): string | null {
  const id = SESSION_PATH.exec(pathname)?.[1];
  return id === undefined ? null : decodeURIComponent(id);
}

/**
 * Goes to another address of the desk without asking the server for a page: everything shown there is already
 * here, and a running stream goes on. Next's `usePathname` follows.
 */
export function goTo(path: string): void {
  window.history.pushState(null, '', path);
}

/** As goTo, in place of the present history entry. */
export function replacePath(path: string): void {
  window.history.replaceState(null, '', path);
}
