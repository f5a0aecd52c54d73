import { createHash, randomBytes, randomInt } from 'node:crypto';
import { createId } from '#server/core/ids';
import type { StoreTransaction } from '#server/store/database';
import { verifications } from '#server/store/schema/people';
import { and, eq, gt } from 'drizzle-orm';
import { ForbiddenError } from '#server/core/errors';

/* Secrets that work once: the owner's code and links to choose a password with. Only their hashes are stored. */

/** Stores a secret's hash under the name of what it is for. */
async function keep(tx: StoreTransaction, identifier: string, value: string, expiresAt: Date): Promise<void> {
  const now = new Date();
  await tx
    .insert(verifications)
    .values({ id: createId('ver'), identifier, value, expiresAt, createdAt: now, updatedAt: now });
}

/** SHA-256 of a secret, hexadecimal. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Small letters and digits that nobody takes for another. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/** 99 bits: guessing is hopeless, whatever the limit of attempts. */
const LENGTH = 20;
const GROUP = 4;

const FIRST_OWNER = 'first-owner';
/** It ends with its use, or with the next start. */
const NEVER = new Date(Date.UTC(9999, 0));

/**
 * Makes the one-time code with which the first owner is made: whoever reads the server's log is its operator, which
 * neither an address nor the name of a host can prove. The code of the newest start alone holds, for every instance on
 * this database.
 */
export async function replaceOwnerCode(tx: StoreTransaction): Promise<string> {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const groups = Array.from({ length: LENGTH / GROUP }, (_, at) =>
    letters.slice(at * GROUP, (at + 1) * GROUP).join(''),
  );
  const code = groups.join('-');
  await forgetOwnerCode(tx);
  await keep(tx, FIRST_OWNER, hashOf(plain(code)), NEVER);
  return code;
}

/** Writes the code where whoever runs the server reads it, whatever the level of the log: without it nobody could come in. */
export function announceOwnerCode(origin: string, code: string): void {
  process.stdout.write(
    `Nobody has an account yet. Create the owner at ${origin}/login with this one-time code: ${code}\n`,
  );
}

/** @throws ForbiddenError where it is not the code of the newest start */
export async function requireOwnerCode(tx: StoreTransaction, code: string): Promise<void> {
  const [stored] = await tx.select().from(verifications).where(eq(verifications.identifier, FIRST_OWNER));
  if (stored?.value === hashOf(plain(code))) return;
  throw new ForbiddenError(
    'This is not the code of the first account. The server writes it to its log when it starts; only the code of the newest start works.',
  );
}

/** There is somebody now, so no code makes an owner any more. */
export async function forgetOwnerCode(tx: StoreTransaction): Promise<void> {
  await tx.delete(verifications).where(eq(verifications.identifier, FIRST_OWNER));
}

/** Letters and digits of a code: grouping and case make no difference. */
function plain(code: string): string {
  return code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

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
  await forgetTokens(tx, userId);
  await keep(tx, `${LINK} ${hashOf(token)}`, userId, expiresAt);
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

/** Ends what would let somebody in who has another password, or is gone: links, and sign-ins that wait for a code. */
export async function forgetTokens(tx: StoreTransaction, userId: string): Promise<void> {
  await tx.delete(verifications).where(eq(verifications.value, userId));
}
