import { InvalidInputError } from '#server/core/errors';

/** Statuses that ask for the same request again. */
const SAME_REQUEST = new Set([307, 308]);

/** What was asked, and who gave the address. */
interface Asked {
  readonly url: URL;
  readonly method: string;
  readonly allowed: 'configured' | 'public';
}

/** @throws InvalidInputError */
export function checkAddress(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidInputError('An address must begin with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError('An address must hold no user name and no password.');
  }
  return url;
}

/** Where a redirect leads. @throws InvalidInputError where it is not followed */
export function nextAddress({ url, method, allowed }: Asked, status: number, location: string | null): URL {
  if (location === null || !URL.canParse(location, url)) {
    throw new InvalidInputError(`The server redirects to nowhere (${status}).`);
  }
  const next = checkAddress(new URL(location, url));
  if (allowed === 'configured' && next.origin !== url.origin) {
    throw new InvalidInputError(
      `The server redirects to ${next.origin}, which is not followed. Set that address if it is right.`,
    );
  }
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new InvalidInputError(`The server redirects to ${next.origin}, which is not encrypted.`);
  }
  if (method !== 'GET' && !SAME_REQUEST.has(status)) {
    throw new InvalidInputError(`The server redirects (${status}) what must not be repeated as GET. Set ${next.href}.`);
  }
  return next;
}
