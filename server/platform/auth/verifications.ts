import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { createId } from '#server/core/ids';
import type { StoreTransaction } from '#server/platform/database/database';
import { verifications } from '#server/platform/database/schema/people';

/**
 * Stores a secret that works once, in better-auth's table of verifications.
 * @param identifier purpose of the secret, followed by the hash of the secret if several may exist for the purpose
 * @param value id of the secret's owner; or the hash of the secret if it belongs to no user
 */
export async function storeOneTimeSecret(
  tx: StoreTransaction,
  identifier: string,
  value: string,
  expiresAt: Date,
): Promise<void> {
  const now = new Date();
  await tx
    .insert(verifications)
    .values({ id: createId('ver'), identifier, value, expiresAt, createdAt: now, updatedAt: now });
}

/** SHA-256 of a secret, hexadecimal: the secret itself is not stored. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Deletes everything with which a person could still sign in after a change of their account: links for choosing a
 * password, and sign-ins that wait for a code.
 */
export async function deleteVerifications(tx: StoreTransaction, userId: string): Promise<void> {
  await tx.delete(verifications).where(eq(verifications.value, userId));
}
