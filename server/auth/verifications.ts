import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { createId } from '#server/core/ids';
import type { StoreTransaction } from '#server/store/database';
import { verifications } from '#server/store/schema/people';

/**
 * Stores a secret that works once.
 * @param identifier its purpose, with its hash where there may be several
 * @param value its owner's id, or its hash
 */
export async function keepSecret(
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

/** SHA-256 of a secret, hexadecimal: nothing else of it is stored. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Ends all that would let this person in later: links to choose a password with, and sign-ins that wait for a code. */
export async function forgetVerifications(tx: StoreTransaction, userId: string): Promise<void> {
  await tx.delete(verifications).where(eq(verifications.value, userId));
}
