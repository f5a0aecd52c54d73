import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { eq } from 'drizzle-orm';
import type { Database } from '#server/platform/database/database';
import { twoFactors } from '#server/platform/database/schema/people';

/**
 * AUTH_SECRET and its former values. New signatures and encryptions use the current value; what a former value has signed
 * or encrypted can still be verified and decrypted.
 */
export interface AuthSecrets {
  readonly current: string;
  readonly former: readonly string[];
}

/**
 * The secrets with version numbers, as better-auth expects them: it writes the number into what it encrypts. The number is
 * derived from the secret, so that the order of FORMER_AUTH_SECRET does not matter.
 */
export function versionedSecrets({ current, former }: AuthSecrets) {
  return [...new Set([current, ...former])].map((value) => ({ version: versionOf(value), value }));
}

function versionOf(secret: string): number {
  return Number.parseInt(createHash('sha256').update(secret).digest('hex').slice(0, 8), 16);
}

/** A request whose cookies were signed again with the current secret. */
export interface RenewedCookies {
  readonly headers: Headers;
  /** Only the cookies that changed, by name: the browser must receive them. */
  readonly values: ReadonlyMap<string, string>;
}

/** Signs the cookies of a request that a former secret has signed with the current one. Others stay unchanged. */
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

/** Null for a value that none of the former secrets has signed. */
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
 * Encrypts the stored secrets of authenticator apps with the current secret, where a former secret was used. Runs at the
 * start of the server.
 * @returns ids of people whose app secrets cannot be decrypted, because their secret is unknown
 */
export async function reencryptFactors(database: Database, secrets: AuthSecrets): Promise<string[]> {
  const keys = new Map(versionedSecrets(secrets).map(({ version, value }) => [version, value]));
  const key = { keys, currentVersion: versionOf(secrets.current) };
  const unreadable: string[] = [];
  for (const { id, userId, secret, backupCodes } of await database.read.select().from(twoFactors)) {
    if ([secret, backupCodes].every((text) => text.startsWith(`$ba$${key.currentVersion}$`))) continue;
    const reencrypt = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
    try {
      const renewed = { secret: await reencrypt(secret), backupCodes: await reencrypt(backupCodes) };
      await database.write((tx) => tx.update(twoFactors).set(renewed).where(eq(twoFactors.id, id)).run());
    } catch {
      unreadable.push(userId);
    }
  }
  return unreadable;
}
