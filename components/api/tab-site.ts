/* The site that this tab works on: for as long as its document is open it is one, whatever is chosen in other tabs. */

/** Header that names the site that a request is about. */
export const SITE_HEADER = 'x-site';

/** Entry of the tab's own storage, which outlives a reload. */
const KEPT = 'throughline-site';
/** Entry that says that the tab's site has gone away. */
const GONE = 'throughline-site-gone';

let current: string | null = null;

/** The site that requests of this tab are about; null: the server decides. */
export const tabSite = (): string | null => current;

/** Says which site the document that was loaded is about. */
export function setTabSite(siteId: string | null): void {
  current = siteId;
}

/** The site that this tab worked on before it was loaded again; null: it is new. */
export function keptSite(): string | null {
  return window.sessionStorage.getItem(KEPT);
}

export function keepSite(siteId: string): void {
  window.sessionStorage.setItem(KEPT, siteId);
}

/** Loads the page again for another site: this one has been disconnected, or taken away from whoever looks. */
export function leaveGoneSite(): void {
  if (keptSite() === null) return;
  window.sessionStorage.removeItem(KEPT);
  window.sessionStorage.setItem(GONE, '1');
  window.location.reload();
}

/** Tells once whether the page was loaded again for that reason. */
export function hasLeftGoneSite(): boolean {
  const has = window.sessionStorage.getItem(GONE) !== null;
  window.sessionStorage.removeItem(GONE);
  return has;
}
