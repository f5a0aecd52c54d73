import { createHash } from 'node:crypto';
import { createId } from '#server/core/ids';
import type { StoreTransaction } from '#server/store/database';
import { verifications } from '#server/store/schema/people';

/* Secrets that work once: the owner's code and links to choose a password with. Only their hashes are stored. */

/** Stores a secret's hash under the name of what it is for. */
export async function keep(tx: StoreTransaction, identifier: string, value: string, expiresAt: Date): Promise<void> {
  const now = new Date();
  await tx
    .insert(verifications)
    .values({ id: createId('ver'), identifier, value, expiresAt, createdAt: now, updatedAt: now });
}

/** SHA-256 of a secret, hexadecimal. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
