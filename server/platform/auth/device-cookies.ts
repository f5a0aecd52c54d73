import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuthSecrets } from '#server/platform/auth/secret-rotation';

/** Lifetime of a device cookie; seconds. Each sign-in renews it. A choice, not measured. */
const LIFETIME_S = 365 * 86_400;
/** Random bytes of a device id, 128 bits: guessing one is infeasible. */
const DEVICE_ID_BYTES = 16;

/**
 * Device cookies mark browsers in which a person has signed in before. Wrong passwords from such a browser are counted
 * separately, so that strangers who try an account cannot lock its owner out (OWASP, "Device cookies"). The cookie
 * grants nothing else, and is valid for one account.
 */
export interface DeviceCookies {
  /** Id of the device in the request's cookies; null if this browser is not known for the account. */
  read(headers: Headers, email: string): string | null;
  /** A `Set-Cookie` value that makes the browser known for this account; an existing id is kept. */
  issue(headers: Headers, email: string): string;
}

/** @param origin of our pages: with https, the cookie is sent over https only */
export function createDeviceCookies({ current, former }: AuthSecrets, origin: string): DeviceCookies {
  const isSecure = origin.startsWith('https:');
  const attributes = `Max-Age=${LIFETIME_S}; Path=/api/auth; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  // Browsers take a cookie with this prefix from https only, as for the cookies of sessions.
  const nameFor = (email: string) => `${isSecure ? '__Secure-' : ''}${cookieName(email)}`;
  const read: DeviceCookies['read'] = (headers, email) => {
    const start = `${nameFor(email)}=`;
    const cookie = (headers.get('cookie') ?? '').split('; ').find((each) => each.startsWith(start));
    const [id = '', signature = ''] = cookie?.slice(start.length).split('.') ?? [];
    const given = Buffer.from(signature);
    const isSigned = [current, ...former].some((secret) => {
      const expected = Buffer.from(signatureOf(id, email, secret));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    return isSigned ? id : null;
  };
  return {
    read,
    issue: (headers, email) => {
      const id = read(headers, email) ?? randomBytes(DEVICE_ID_BYTES).toString('base64url');
      return `${nameFor(email)}=${id}.${signatureOf(id, email, current)}; ${attributes}`;
    },
  };
}

/** One cookie per account: several people may share a browser. */
function cookieName(email: string): string {
  return `throughline.device_${createHash('sha256').update(email).digest('hex').slice(0, 16)}`;
}

function signatureOf(id: string, email: string, secret: string): string {
  return createHmac('sha256', secret).update(`device cookie\0${email}\0${id}`).digest('base64url');
}
