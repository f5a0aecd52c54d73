/* The site of this tab: it stays the same while the document is open, regardless of the choice in other tabs. */

/** Header that names the site that a request is about. */
export const SITE_HEADER = 'x-site';

/** Key of the site's id in the tab's session storage, which outlives a reload. */
const SITE_KEY = 'throughline-site';
/** Key in the session storage that records a reload because the site is gone. */
const SITE_GONE_KEY = 'throughline-site-gone';

let current: string | null = null;

/** The site that requests of this tab are about; null: the server decides. */
export const tabSite = (): string | null => current;

/** Sets the site of the loaded document. */
export function setTabSite(siteId: string | null): void {
  current = siteId;
}

/** The site of this tab before the reload; null for a new tab. */
export function storedSite(): string | null {
  return window.sessionStorage.getItem(SITE_KEY);
}

/** Keeps the site of this tab across a reload. */
export function storeSite(siteId: string): void {
  window.sessionStorage.setItem(SITE_KEY, siteId);
}

/**
 * Reloads the page without a site, so that the server chooses another: this one was disconnected, or the user lost
 * access to it.
 */
export function leaveDeletedSite(): void {
  if (storedSite() === null) return;
  window.sessionStorage.removeItem(SITE_KEY);
  window.sessionStorage.setItem(SITE_GONE_KEY, '1');
  window.location.reload();
}

/** True once after a reload by leaveDeletedSite. */
export function hasLeftDeletedSite(): boolean {
  const has = window.sessionStorage.getItem(SITE_GONE_KEY) !== null;
  window.sessionStorage.removeItem(SITE_GONE_KEY);
  return has;
}
