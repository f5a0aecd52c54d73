import { PREVIEW_LINK_ROOT } from '#server/core/site/preview/preview-links';

/* Headers that limit what browsers may do with our responses: Content-Security-Policy and others. */

/** Facts about a response on which its headers depend. */
export interface SecurityHeadersOptions {
  /** Other origins from which the assistant may show pictures. */
  readonly allowedOrigins: readonly string[];
  /** Random text of this response only; it marks the scripts and styles of the server itself. */
  readonly nonce: string;
  /** True if browsers reach this server over https only and should remember that. */
  readonly isHttps: boolean;
  /** True on the development server. */
  readonly isDevelopment: boolean;
  /** True if the response is opened in its own tab, not in a frame. */
  readonly isTab: boolean;
}

/** Browser features that none of our pages needs; listed so that injected code cannot request them. */
const NO_FEATURES = [
  'camera',
  'microphone',
  'geolocation',
  'payment',
  'usb',
  'serial',
  'midi',
  'display-capture',
  'browsing-topics',
];

/** Time for which browsers remember https: a year, the minimum for the preload lists of browsers. Seconds. */
const HSTS_MAX_AGE_S = 31_536_000;

/**
 * The security headers of every response: pages, files and errors.
 * @param path decoded path of the address
 */
export function securityHeaders(path: string, options: SecurityHeadersOptions): Readonly<Record<string, string>> {
  const isShared = isUnder(SHARED, path);
  return {
    'content-security-policy': pagePolicy(path, options),
    'x-content-type-options': 'nosniff',
    // Addresses of drafts and conversations must not be disclosed to other sites. That of a preview link contains its
    // secret, so it is disclosed to no page at all.
    'referrer-policy': isShared ? 'no-referrer' : 'same-origin',
    ...(isShared && { 'x-robots-tag': 'noindex, nofollow, noarchive' }),
    // DNS prefetching of link hosts would disclose the text of their names to the owners of the hosts.
    'x-dns-prefetch-control': 'off',
    'permissions-policy': NO_FEATURES.map((feature) => `${feature}=()`).join(', '),
    // A page that opened ours, or that ours opened, gets no reference to its window.
    'cross-origin-opener-policy': 'same-origin',
    // Other sites may embed the pictures of the published site, and no other resource of ours.
    'cross-origin-resource-policy': path.startsWith('/media/') ? 'cross-origin' : 'same-origin',
    ...(options.isHttps && { 'strict-transport-security': `max-age=${String(HSTS_MAX_AGE_S)}` }),
  };
}

/**
 * The security headers of every response of the published site under its own host (SITE_URL): no script runs there, not
 * even ours, and forms are submitted to the site itself.
 * @param isHttps true if browsers reach the site over https only and should remember that
 */
export function publicSiteHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': publicSitePolicy([]),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': NO_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
    ...(isHttps && { 'strict-transport-security': `max-age=${String(HSTS_MAX_AGE_S)}` }),
  };
}

/**
 * The Content-Security-Policy of a page of the published site.
 * @param players origins of the players of its videos, which may be shown in frames
 */
export function publicSitePolicy(players: readonly string[]): string {
  return join(
    "default-src 'none'",
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data: https:",
    // The page itself makes no connections; tools that inspect it read its robots.txt through the page.
    "connect-src 'self'",
    ...(players.length === 0 ? [] : [`frame-src ${players.join(' ')}`]),
    "base-uri 'none'",
    "form-action 'self' mailto:",
    "frame-ancestors 'none'",
  );
}

/** First part of the path of preview links. */
const SHARED = PREVIEW_LINK_ROOT.slice(1);

/** First parts of the paths at which no page is served, except pages with a policy of their own. */
const FILES = [
  'api',
  'v1',
  'mcp',
  'media',
  'forms',
  'look',
  'register',
  'oauth/register',
  'oauth/token',
  'oauth/revoke',
  '.well-known',
];

interface PolicyOptions {
  /** Other origins from which the assistant may show pictures. */
  readonly allowedOrigins: readonly string[];
  /** Random text of this response only; it marks the scripts and styles of the server itself. */
  readonly nonce: string;
  /** True on the development server, whose tools evaluate text and write styles. */
  readonly isDevelopment?: boolean;
  /** True if the response is opened in its own tab. Default false: it may be in a frame. */
  readonly isTab?: boolean;
}

/**
 * SHA-256 of the texts of style elements that are added to a page by code that accepts no nonce. A test recomputes the
 * hashes from their sources, so that a change of a source does not go unnoticed.
 */
export const styleHashes = {
  /** An empty element: browsers check an element before code has written its text. */
  empty: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  sonner: 'StEaX+se6YS7pqjzrzMIA0KaX9zF/8zAhvQXZAe5epY=',
  /** Of server/core/fallback-style, for pages that failed in the browser. */
  fallbackPage: 'VxXz6WT76H9D34KDdrtOdSbROu3o2c6vdlJLW3GFYEw=',
};

/** The policy of files and data: opened as a page, they may do nothing at all. */
export const FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

/**
 * The policy of pages of a connected site in their own theme: only their styles, and files that we forward. No scripts run,
 * not even ours; the workspace measures positions from outside the frame.
 */
const THEME_POLICY = join(
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
);

/**
 * The policy of drafts that preview links show: only their styles, fonts and pictures. No scripts run. The form for
 * comments sends them to this server; other forms have no address. Pictures of other sites are not loaded, as in the editors' preview.
 */
const SHARED_POLICY = join(
  "default-src 'none'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  'sandbox allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox',
);

/**
 * The Content-Security-Policy of an address: what the browser may load and run there, and which pages may frame it.
 *
 * A model writes into all of our pages. Any markup or style that its text manages to inject has no nonce and does not
 * run, and it can reach only this origin and the allowed ones. Drafts show pictures of this origin only, because a
 * picture is requested as soon as the preview shows it; published content may show pictures from elsewhere, as sites
 * do. The workspace frames both; no page frames the workspace.
 */
export function pagePolicy(pathname: string, options: PolicyOptions): string {
  // In its own tab, the draft has the editor's tools, which save edits.
  if (isUnder('preview', pathname)) return sitePolicy("'self' data:", 'mailto:', options, options.isTab);
  if (isUnder('look/page', pathname)) return THEME_POLICY;
  if (isUnder(SHARED, pathname)) return SHARED_POLICY;
  if (isUnder('site', pathname)) return sitePolicy("'self' data: https:", "'self' mailto:", options);
  // Includes files of users and pictures of the site; a policy set by a Next route itself would not be sent in addition
  // to this one.
  if (FILES.some((name) => isUnder(name, pathname))) return FILE_POLICY;
  return join(
    ...scriptsAndStyles(options),
    ["img-src 'self' data: blob:", ...options.allowedOrigins].join(' '),
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  );
}

/**
 * The policy of a page of the site. After loading, such a page sends no requests to the server, unless it has the editor's
 * tools.
 * @param pictures sources of `img-src`
 * @param forms targets of `form-action`
 * @param hasTools true for a draft in its own tab
 */
function sitePolicy(pictures: string, forms: string, options: PolicyOptions, hasTools = false): string {
  return join(
    ...scriptsAndStyles(options),
    `img-src ${pictures}`,
    `connect-src ${options.isDevelopment || hasTools ? "'self'" : "'none'"}`,
    "frame-src 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'self'",
  );
}

/**
 * Directives of all pages. Scripts are our own files and elements with the nonce: `'self'` is sufficient, because nothing
 * made by a user or a model is served as a script (nosniff). Style attributes are allowed: the server writes them
 * (widths, the site's accent colour), the style of one element affects no other, and what it could load is limited
 * here.
 */
function scriptsAndStyles({ nonce, isDevelopment = false }: PolicyOptions): readonly string[] {
  const hashes = Object.values(styleHashes).map((hash) => `'sha256-${hash}'`);
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${isDevelopment ? " 'unsafe-eval'" : ''}`,
    // A nonce would disable 'unsafe-inline'.
    isDevelopment ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}' ${hashes.join(' ')}`,
    "style-src-attr 'unsafe-inline'",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
  ];
}

function isUnder(name: string, pathname: string): boolean {
  return pathname === `/${name}` || pathname.startsWith(`/${name}/`);
}

function join(...directives: readonly string[]): string {
  return directives.join('; ');
}
