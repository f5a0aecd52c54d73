import { randomInt } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { hashOf, keepSecret } from '#server/auth/verifications';
import { ForbiddenError } from '#server/core/errors';
import type { StoreTransaction } from '#server/store/database';
import { verifications } from '#server/store/schema/people';

/** Small letters and digits that nobody takes for another. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/** 99 bits: guessing is hopeless, whatever the limit of attempts. */
const LENGTH = 20;
const GROUP = 4;

const FIRST_OWNER = 'first-owner';
/** Time at which the code expires: it ends with its use, or with the next start. */
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
  await keepSecret(tx, FIRST_OWNER, hashOf(plain(code)), NEVER);
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

/** Ends the code: once there is an owner, none makes another. */
export async function forgetOwnerCode(tx: StoreTransaction): Promise<void> {
  await tx.delete(verifications).where(eq(verifications.identifier, FIRST_OWNER));
}

/** Letters and digits of a code: grouping and case make no difference. */
function plain(code: string): string {
  return code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
