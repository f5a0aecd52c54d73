/** Path of a conversation, with its id. */
const SESSION_PATH = /^\/c\/([^/]+)\/?$/;

/** Path of the empty workspace, where a new conversation starts. */
export const HOME_PATH = '/';

/** Path of the administrator's table of sessions. */
export const ADMIN_PATH = '/admin';

/** Path of the documentation in the app. */
export const HELP_PATH = '/help';

/** Path of the settings. */
export const ADMIN_SETTINGS_PATH = '/admin/settings';

/** Path of the audit log. */
export const ADMIN_AUDIT_PATH = '/admin/audit';
/** Path of the cost page. */
export const ADMIN_COSTS_PATH = '/admin/costs';

/** Path of the account page (API keys). */
export const ACCOUNT_PATH = '/account';

/** Path of the pages and posts in the library. */
export const LIBRARY_PAGES_PATH = '/library/pages';
/** Path of the journal of changes. */
export const LIBRARY_CHANGES_PATH = '/library/changes';
/** Path of the media library. */
export const LIBRARY_MEDIA_PATH = '/library/media';
/** Path of the messages from the site's forms. */
export const LIBRARY_MESSAGES_PATH = '/library/messages';
/** Path of the site's name, theme and menu. */
export const LIBRARY_SITE_PATH = '/library/site';
/** Path of the design of the site. */
export const LIBRARY_DESIGN_PATH = '/library/design';
/** Path of the trash. */
export const LIBRARY_TRASH_PATH = '/library/trash';
/** Path of import and export. */
export const LIBRARY_IMPORT_PATH = '/library/import';

/** Address of the workspace with a page of the site open in the preview and one of its sections selected. */
export function deskPagePath(path: string, sectionId?: string): string {
  const section = sectionId === undefined ? '' : `${SECTION_HASH}${encodeURIComponent(sectionId)}`;
  return `${HOME_PATH}${PAGE_HASH}${encodeURIComponent(path)}${section}`;
}

/** A page of the site that an address opens, and the section that it selects. */
export interface AddressedPage {
  readonly path: string;
  readonly sectionId: string | null;
}

/**
 * Lasting address of a page of the site in the workspace: `/?page=about%2Fteam`.
 * @param siteId the site, where there are several; null: the address names none
 */
export function pageAddress(path: string, siteId: string | null): string {
  const query = new URLSearchParams({
    [PAGE_PARAMETER]: path === '/' ? path : path.slice(1),
    ...(siteId !== null && { [SITE_PARAMETER]: siteId }),
  });
  return `${HOME_PATH}?${query.toString()}`;
}

/** The site that an address names together with a page; null: none. */
export function siteOfAddress({ search }: Pick<Location, 'search'>): string | null {
  const query = new URLSearchParams(search);
  return query.has(PAGE_PARAMETER) ? query.get(SITE_PARAMETER) : null;
}

/** The page of the site that an address opens, by its query or its hash; null: none. */
export function pageOfAddress({ search, hash }: Pick<Location, 'search' | 'hash'>): AddressedPage | null {
  const named = new URLSearchParams(search).get(PAGE_PARAMETER)?.trim();
  if (named === undefined || named === '') return pageOfHash(hash);
  // Resolves `..`, so that no other part of this server is shown as a page.
  const { pathname } = new URL(`http://site/${named.replace(/^[/\\]+/, '')}`);
  return { path: pathname, sectionId: null };
}

/** Parameter of the query that names a page by its path or slug. */
const PAGE_PARAMETER = 'page';
/** Parameter of the query that names the site of the page by its id. */
const SITE_PARAMETER = 'site';

/** The page of the site that the hash of an address opens, and the selected section; null: none. */
function pageOfHash(hash: string): AddressedPage | null {
  if (!hash.startsWith(PAGE_HASH)) return null;
  try {
    const [path = '/', sectionId = null] = hash.slice(PAGE_HASH.length).split(SECTION_HASH).map(decodeURIComponent);
    return { path, sectionId };
  } catch {
    return null;
  }
}

/** Parts of the hash of `deskPagePath`. */
const PAGE_HASH = '#page=';
const SECTION_HASH = '&section=';

/** Path of a session's page for administrators. */
export function adminSessionPath(id: string): string {
  return `/admin/sessions/${encodeURIComponent(id)}`;
}

/** Path of a conversation. */
export function sessionPath(id: string): string {
  return `/c/${encodeURIComponent(id)}`;
}

/** The id of the conversation in a path; null if the path contains none. */
export function sessionIdOf(pathname: string): string | null {
  const id = SESSION_PATH.exec(pathname)?.[1];
  return id === undefined ? null : decodeURIComponent(id);
}

/**
 * Navigates within the workspace without requesting a page from the server: all content of the target is loaded
 * already, and a running stream continues. Next's `usePathname` follows.
 */
export function goTo(path: string): void {
  window.history.pushState(null, '', path);
}

/** Replaces the current history entry; otherwise like `goTo`. */
export function replacePath(path: string): void {
  window.history.replaceState(null, '', path);
}

/** Path of the API reference, which is public. */
export const DOCS_PATH = '/docs/api';
/** Path of the schemas in the API reference. */
export const SHAPES_PATH = `${DOCS_PATH}/shapes`;
