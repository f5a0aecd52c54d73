export interface AnswerHeadersOptions {
  /** Other origins whose pictures the assistant may show. */
  readonly allowedOrigins: readonly string[];
  /** Nonce of this answer alone. */
  readonly nonce: string;
  /** Browsers reach this server over https only, and are to remember that. */
  readonly isHttps: boolean;
  readonly isDevelopment: boolean;
  /** The answer is opened in a tab of its own, not in a frame. */
  readonly isTab: boolean;
}

/** Browser features that none of our pages needs; named, so that injected code cannot ask for them. */
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

/** A year; seconds. What browsers ask for before they keep it. */
const HTTPS_FOR = 31_536_000;

/**
 * The headers that every answer has, pages, files and refusals alike.
 * @param path of the address, decoded
 */
export function answerHeaders(path: string, options: AnswerHeadersOptions): Readonly<Record<string, string>> {
  return {
    'content-security-policy': pagePolicy(path, options),
    'x-content-type-options': 'nosniff',
    // Addresses of drafts and conversations are nobody else's business.
    'referrer-policy': 'same-origin',
    // Looking up the hosts of links ahead of time tells their owners what is written in their names.
    'x-dns-prefetch-control': 'off',
    'permissions-policy': NO_FEATURES.map((feature) => `${feature}=()`).join(', '),
    // A page that opened ours, or that ours opened, gets no hold of its window.
    'cross-origin-opener-policy': 'same-origin',
    // Other sites may show the pictures of the published site, and nothing else of ours.
    'cross-origin-resource-policy': path.startsWith('/media/') ? 'cross-origin' : 'same-origin',
    ...(options.isHttps && { 'strict-transport-security': `max-age=${String(HTTPS_FOR)}` }),
  };
}

/**
 * The headers of every answer of the published site under its own host: no script runs there, ours included, and forms are
 * sent to the site itself.
 * @param isHttps browsers reach the site over https only, and are to remember that
 */
export function publicSiteHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': join(
      "default-src 'none'",
      "style-src 'self'",
      "style-src-attr 'unsafe-inline'",
      "font-src 'self'",
      "img-src 'self' data: https:",
      // Nothing of the page connects; tools that look at it read its robots.txt through the page.
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'self' mailto:",
      "frame-ancestors 'none'",
    ),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': NO_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
    ...(isHttps && { 'strict-transport-security': `max-age=${String(HTTPS_FOR)}` }),
  };
}

interface PolicyOptions {
  /** Other origins whose pictures the assistant may show. */
  readonly allowedOrigins: readonly string[];
  /** Known to this answer only: what the server itself wrote into the page carries it, and nothing else can. */
  readonly nonce: string;
  /** The sources are served: the framework's own tools evaluate text and write styles. */
  readonly isDevelopment?: boolean;
  /** The answer is opened in a tab of its own. Default: it may be in a frame. */
  readonly isTab?: boolean;
}

/**
 * Style elements that are put into a page by code that takes no nonce: each is known by the SHA-256 of its text. A test
 * computes them again from where they come from, so that another version of them does not go unseen.
 */
export const styleHashes = {
  /** All browsers look at the element before its text is in it. */
  empty: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  sonner: 'StEaX+se6YS7pqjzrzMIA0KaX9zF/8zAhvQXZAe5epY=',
  /** #lib/fallback-style, which also stands in for pages that broke in the browser. */
  fallbackPage: 'VxXz6WT76H9D34KDdrtOdSbROu3o2c6vdlJLW3GFYEw=',
};

/** For files and data, which are no pages: opened as one they may do nothing at all. */
export const FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

/**
 * For pages of a connected site, as its own theme shows them: their styles, and files that we pass on. No script runs,
 * ours neither; the desk reads where things are from outside.
 */
const LOOK_POLICY = join(
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
 * The Content-Security-Policy of an address: what the browser may load and run there, and who may frame it.
 *
 * A model writes into all of our pages. Whatever its words should manage to put into one, as markup or style, has no
 * nonce and does not run; and it can reach this origin and the allowed ones, nobody else. Drafts show pictures of this
 * origin only, as a picture is asked for as soon as the preview shows it; what is published may show them from elsewhere,
 * as sites do. The desk frames both; nobody frames the desk.
 */
export function pagePolicy(pathname: string, options: PolicyOptions): string {
  // In a tab of its own the editor's tools are over the draft, and save what is edited.
  if (isUnder('preview', pathname)) return sitePolicy("'self' data:", 'mailto:', options, options.isTab);
  if (isUnder('look/page', pathname)) return LOOK_POLICY;
  if (isUnder('site', pathname)) return sitePolicy("'self' data: https:", "'self' mailto:", options);
  // Files of users and pictures of the site among them; a policy that a route of Next sets itself would not be sent beside this one.
  if (['api', 'v1', 'mcp', 'media', 'forms', 'look'].some((name) => isUnder(name, pathname))) return FILE_POLICY;
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
 * A page of the site: its forms are sent to this server, those of a WordPress site by the visitor's mail program, those of
 * a draft to nowhere. It asks the server for nothing once it is there.
 * @param hasTools but for the editor's tools
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
 * Policy of all pages. Scripts are files of ours and what carries the nonce: `'self'` is enough, as nothing
 * that a user or a model made is served as a script (nosniff). Style attributes are allowed: the server writes them
 * (widths, the site's accent colour), a style of one element reaches no other, and what it could load is limited here.
 */
function scriptsAndStyles({ nonce, isDevelopment = false }: PolicyOptions): readonly string[] {
  const hashes = Object.values(styleHashes).map((hash) => `'sha256-${hash}'`);
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${isDevelopment ? " 'unsafe-eval'" : ''}`,
    // A nonce would switch off 'unsafe-inline'.
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
