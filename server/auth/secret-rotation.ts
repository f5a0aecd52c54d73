import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { eq } from 'drizzle-orm';
import type { Database } from '#server/store/database';
import { twoFactors } from '#server/store/schema/people';

/** AUTH_SECRET, and those it was before, which still open what they have closed. */
export interface AuthSecrets {
  readonly current: string;
  readonly former: readonly string[];
}

/**
 * Numbers the secrets for better-auth, which writes the number into what it encrypts: by the secret itself, so that
 * nobody has to keep an order.
 */
export function versionedSecrets({ current, former }: AuthSecrets) {
  return [...new Set([current, ...former])].map((value) => ({ version: versionOf(value), value }));
}

function versionOf(secret: string): number {
  return Number.parseInt(createHash('sha256').update(secret).digest('hex').slice(0, 8), 16);
}

/** Cookies of a request that a former secret has signed, signed anew. */
export interface RenewedCookies {
  readonly headers: Headers;
  /** The cookies that have to be sent to the browser, by name. */
  readonly values: ReadonlyMap<string, string>;
}

export function renewCookies(headers: Headers, { current, former }: AuthSecrets): RenewedCookies {
  const cookies = headers.get('cookie') ?? '';
  const values = new Map<string, string>();
  if (former.length === 0 || cookies === '') return { headers, values };
  const renewed = cookies.split('; ').map((cookie) => {
    const [name = '', encoded = ''] = cookie.split(/=(.*)/s);
    const value = renewValue(encoded, current, former);
    if (value === null) return cookie;
    values.set(name, value);
    return `${name}=${value}`;
  });
  if (values.size === 0) return { headers, values };
  const copy = new Headers(headers);
  copy.set('cookie', renewed.join('; '));
  return { headers: copy, values };
}

/** Null for what none of the former secrets has signed. */
function renewValue(encoded: string, current: string, former: readonly string[]): string | null {
  const signed = decoded(encoded);
  const at = signed?.lastIndexOf('.') ?? -1;
  if (signed === null || at < 1) return null;
  const [value, signature] = [signed.slice(0, at), Buffer.from(signed.slice(at + 1))];
  const isSigned = former.some((secret) => {
    const expected = Buffer.from(signatureOf(value, secret));
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  });
  return isSigned ? encodeURIComponent(`${value}.${signatureOf(value, current)}`) : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Signs a cookie as better-auth does. */
function signatureOf(value: string, secret: string): string {
  return createHmac('sha256', secret).update(value).digest('base64');
}

/**
 * Encrypts the secrets of apps for one-time codes with the present secret, where a former one has encrypted them.
 * @returns ids of people whose cannot be read: their secret is not known any more
 */
export async function sealFactors(database: Database, secrets: AuthSecrets): Promise<string[]> {
  const keys = new Map(versionedSecrets(secrets).map(({ version, value }) => [version, value]));
  const key = { keys, currentVersion: versionOf(secrets.current) };
  const unreadable: string[] = [];
  for (const { id, userId, secret, backupCodes } of await database.read.select().from(twoFactors)) {
    if ([secret, backupCodes].every((text) => text.startsWith(`$ba$${key.currentVersion}$`))) continue;
    const anew = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
    try {
      const sealed = { secret: await anew(secret), backupCodes: await anew(backupCodes) };
      await database.write((tx) => tx.update(twoFactors).set(sealed).where(eq(twoFactors.id, id)).run());
    } catch {
      unreadable.push(userId);
    }
  }
  return unreadable;
}
