import { randomBytes } from 'node:crypto';
import { and, eq, gt, lt } from 'drizzle-orm';
import { deleteVerifications, hashOf, storeOneTimeSecret } from '#server/platform/auth/verifications';
import type { StoreReader, StoreTransaction } from '#server/platform/database/database';
import { verifications } from '#server/platform/database/schema/people';

/**
 * Purpose of a link. An invitation waits until its email is read; a person who has forgotten a password reads it
 * immediately.
 */
export type LinkPurpose = 'invitation' | 'reset';
const HOUR_MS = 3_600_000;
/** Time for which a link works; milliseconds. */
const LIFETIME_MS: Readonly<Record<LinkPurpose, number>> = { invitation: 7 * 24 * HOUR_MS, reset: HOUR_MS };
/** Random bytes of a token: guessing one is infeasible. */
const TOKEN_BYTES = 32;
/** Start of the identifier in the table of verifications. */
const LINK = 'password-link';

/** The secret part of a link for choosing a password. Only its hash is stored. */
export interface PasswordToken {
  readonly token: string;
  readonly purpose: LinkPurpose;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Creates a person's link and invalidates their earlier links. */
export async function replaceToken(tx: StoreTransaction, userId: string, purpose: LinkPurpose): Promise<PasswordToken> {
  await deleteVerifications(tx, userId);
  return addToken(tx, userId, purpose);
}

/** Creates an additional link; earlier links stay valid until a password is chosen with one of them. */
export async function addToken(tx: StoreTransaction, userId: string, purpose: LinkPurpose): Promise<PasswordToken> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = new Date(Date.now() + LIFETIME_MS[purpose]);
  const isExpired = and(eq(verifications.value, userId), lt(verifications.expiresAt, new Date()));
  await tx.delete(verifications).where(isExpired);
  await storeOneTimeSecret(tx, `${LINK} ${hashOf(token)}`, userId, expiresAt);
  return { token, purpose, expiresAt: expiresAt.getTime() };
}

/** Id of the link's owner; null if it was used or replaced, or has expired. */
export async function ownerOfToken(tx: StoreReader, token: string): Promise<string | null> {
  const isIt = eq(verifications.identifier, `${LINK} ${hashOf(token)}`);
  const [found] = await tx
    .select({ userId: verifications.value })
    .from(verifications)
    .where(and(isIt, gt(verifications.expiresAt, new Date())));
  return found?.userId ?? null;
}
