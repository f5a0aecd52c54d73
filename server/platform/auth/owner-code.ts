import { randomInt } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { hashOf, storeOneTimeSecret } from '#server/platform/auth/verifications';
import { ForbiddenError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { StoreTransaction } from '#server/platform/database/database';
import { verifications } from '#server/platform/database/schema/people';

/** Lower-case letters and digits that cannot be mistaken for each other. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/** Letters of a code: 20 of 31 are 99 bits, so that guessing is infeasible even without a limit on attempts. */
const LENGTH = 20;
/** Letters between two hyphens, for reading aloud and typing. */
const GROUP = 4;

const FIRST_OWNER = 'first-owner';
/** Stored expiry of the code, which has none: it is deleted when it is used, and replaced at the next start. */
const NEVER = new Date(Date.UTC(9999, 0));

/**
 * Creates the one-time code with which the first owner is created: a person who can read the server's log is its
 * operator, which neither an address nor a host name can prove. Only the code of the newest start is valid, for every
 * instance on this database.
 */
export async function replaceOwnerCode(tx: StoreTransaction): Promise<string> {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const groups = Array.from({ length: LENGTH / GROUP }, (_, at) =>
    letters.slice(at * GROUP, (at + 1) * GROUP).join(''),
  );
  const code = groups.join('-');
  await forgetOwnerCode(tx);
  await storeOneTimeSecret(tx, FIRST_OWNER, hashOf(plain(code)), NEVER);
  return code;
}

/** Writes the code to the output of the server, at every log level: without it, the first sign-in is impossible. */
export function announceOwnerCode(origin: string, code: string): void {
  process.stdout.write(
    `Nobody has an account yet. Create the owner at ${origin}/login with this one-time code: ${code}\n`,
  );
}

/** @throws ForbiddenError if it is not the code of the newest start */
export async function requireOwnerCode(tx: StoreTransaction, code: string): Promise<void> {
  const [stored] = await tx.select().from(verifications).where(eq(verifications.identifier, FIRST_OWNER));
  if (stored?.value === hashOf(plain(code))) return;
  throw new ForbiddenError(serverText('owner-code-wrong'));
}

/** Deletes the code: after the first owner, it must not create another. */
export async function forgetOwnerCode(tx: StoreTransaction): Promise<void> {
  await tx.delete(verifications).where(eq(verifications.identifier, FIRST_OWNER));
}

/** Letters and digits of a code, ignoring grouping and case. */
function plain(code: string): string {
  return code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
