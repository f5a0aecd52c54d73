import { InvalidInputError } from '#server/core/errors';

/** Paths that people copy along from the address bar. */
const BEYOND_THE_SITE = /\/(?:wp-admin|wp-json|wp-login\.php|wp-content|index\.php)(?:\/.*)?$/i;

/**
 * The address of a site, without a slash at the end, from that of its start page or of anything in its administration.
 * @throws InvalidInputError
 */
export function siteAddress(text: string): string {
  const given = text.trim();
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError('The address of the site must begin with https:// or http://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError('The address of the site must not contain a user name or password.');
  }
  return `${url.origin}${url.pathname.replace(BEYOND_THE_SITE, '').replace(/\/+$/, '')}`;
}
