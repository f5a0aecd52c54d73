import { valueRules } from '#server/core/value-rules';

/* Addresses: of links and pictures in content, and of the pages of a site. */

/** Decodes the percent encoding of a piece of an address; returns it unchanged if the encoding is broken. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Base for parsing relative addresses; any host would do. */
const ANY_SITE = 'http://site.invalid';

/** True if browsers can parse an address, absolute or relative to a page. Rendering leaves out all others. */
export function isReadableAddress(address: string): boolean {
  return URL.canParse(address, ANY_SITE);
}

/** Allowed beginnings of an entered address, by its use, with their names for the error. */
const ADDRESS_FORMS = {
  link: { form: /^(?:https?:\/\/[^/]|\/|#|mailto:.)/i, allowed: '/, #, mailto: or http(s)://' },
  /** A link in a formatted text. */
  textLink: { form: /^(?:https?:\/\/[^/]|\/|#|mailto:.|tel:.)/i, allowed: '/, #, mailto:, tel: or http(s)://' },
  /** A link within the site. */
  page: { form: /^\//, allowed: '/, as a page of this site does' },
  picture: { form: /^(?:https?:\/\/[^/]|\/)/i, allowed: '/ or http(s)://' },
  redirect: { form: /^(?:https?:\/\/[^/]|\/)/i, allowed: '/ or http(s)://' },
} as const;

/**
 * Checks an address in content. Called wherever content is entered, so that no stored address can run a script.
 * @returns what is wrong with it, as the end of a sentence; null: nothing
 */
export function addressProblem(address: string, use: keyof typeof ADDRESS_FORMS): string | null {
  const { form, allowed } = ADDRESS_FORMS[use];
  if (/\s/.test(address)) return valueRules.spaces;
  // `//host` and `/\host` start with a slash, but browsers read them as another site.
  if (!form.test(address) || /^\/[/\\]/.test(address)) return `must start with ${allowed}`;
  return isReadableAddress(address) ? null : valueRules.validAddress;
}

/** Posts are below this segment of the site; its page lists them, unless a page has this slug. */
export const POSTS_SEGMENT = 'blog';

/** Slug of the top-level page that visitors see at unknown addresses. */
export const NOT_FOUND_SLUG = '404';

/**
 * The absolute address of a page.
 * @param site address of the start page, without a trailing slash: `https://example.org`
 * @param path of the page on the site: `/about/team`
 */
export function pageAddress(site: string, path: string): string {
  return new URL(path === '/' ? site : `${site}/${path.replace(/^\//, '')}`).href;
}
