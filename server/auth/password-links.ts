import { randomBytes } from 'node:crypto';
import { and, eq, gt } from 'drizzle-orm';
import { forgetVerifications, hashOf, keepSecret } from '#server/auth/verifications';
import type { StoreTransaction } from '#server/store/database';
import { verifications } from '#server/store/schema/people';

/** Purpose of a link. An invitation waits for mail to be read; whoever has forgotten a password sits there. */
export type LinkPurpose = 'invitation' | 'reset';
const HOUR_MS = 3_600_000;
const LIFE_MS: Readonly<Record<LinkPurpose, number>> = { invitation: 7 * 24 * HOUR_MS, reset: HOUR_MS };
const TOKEN_BYTES = 32;
const LINK = 'password-link';

/** The secret part of a link to choose a password with. */
export interface PasswordToken {
  readonly token: string;
  readonly purpose: LinkPurpose;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Makes somebody's link, in the place of any before. */
export async function replaceToken(tx: StoreTransaction, userId: string, purpose: LinkPurpose): Promise<PasswordToken> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = new Date(Date.now() + LIFE_MS[purpose]);
  await forgetVerifications(tx, userId);
  await keepSecret(tx, `${LINK} ${hashOf(token)}`, userId, expiresAt);
  return { token, purpose, expiresAt: expiresAt.getTime() };
}

/** Link owner's id; null: it was used or replaced, or has expired. */
export async function ownerOfToken(tx: Pick<StoreTransaction, 'select'>, token: string): Promise<string | null> {
  const isIt = eq(verifications.identifier, `${LINK} ${hashOf(token)}`);
  const [found] = await tx
    .select({ userId: verifications.value })
    .from(verifications)
    .where(and(isIt, gt(verifications.expiresAt, new Date())));
  return found?.userId ?? null;
}
