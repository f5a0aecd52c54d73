import { pagePolicy } from '#server/http/page-policy';

export interface AnswerHeadersOptions {
  /** Other origins whose pictures the assistant may show. */
  readonly allowedOrigins: readonly string[];
  /** Of this answer alone. */
  readonly nonce: string;
  /** Browsers reach this server over https only, and are to remember that. */
  readonly isHttps: boolean;
  readonly isDevelopment: boolean;
}

/** What none of our pages needs; named, so that nothing that gets into one can ask for it. */
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
