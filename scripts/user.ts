import { randomBytes } from 'node:crypto';
import { text as readAll } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { auditCommand } from '#scripts/lib/audit-command';
import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { createPeople, type PersonChanges } from '#server/platform/auth/people';
import { NotFoundError } from '#server/core/errors';
import type { JsonObject } from '#server/core/json';
import { newPersonBody } from '#server/http/schemas/access';
import { type Database, openDatabase } from '#server/platform/database/database';

const USAGE = `Usage: npm run user -- create --email you@example.com --role admin|editor|author [--name "Your name"]
       npm run user -- password --email you@example.com [--keep-keys] [--remove-second-factor]

create    makes an account. The first one is an administrator and owns every conversation of local mode; made here, it
          needs no code from the log.
password  gives somebody who has an account another password, signs them out everywhere and revokes their API keys,
          which ends what was begun with them; --keep-keys leaves the keys as they are, and --remove-second-factor takes
          away passkeys and one-time codes, for who has lost them.

The password is read from standard input when something is piped in; otherwise one is made and shown once.`;

/** Reads a password from standard input, or generates one of 128 random bits. */
async function choosePassword(): Promise<{ password: string; isMade: boolean }> {
  const piped = process.stdin.isTTY ? '' : (await readAll(process.stdin)).replace(/\r?\n$/, '');
  return piped === ''
    ? { password: randomBytes(16).toString('base64url'), isMade: true }
    : { password: piped, isMade: false };
}

/** Parses the command line. @throws Error with the usage */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      email: { type: 'string' },
      name: { type: 'string' },
      role: { type: 'string' },
      'keep-keys': { type: 'boolean', default: false },
      'remove-second-factor': { type: 'boolean', default: false },
    },
  });
  const { email, role, name, 'keep-keys': keepsKeys, 'remove-second-factor': removesFactors } = values;
  const command = positionals.join(' ');
  if (email !== undefined && command === 'create' && role !== undefined && !keepsKeys && !removesFactors)
    return { command, account: { email, role, name: name ?? email.split('@')[0] } } as const;
  if (email !== undefined && command === 'password' && role === undefined && name === undefined)
    return {
      command,
      account: { email },
      choice: { apiKeys: keepsKeys ? 'keep' : 'revoke', ...(removesFactors && { secondFactor: 'remove' as const }) },
    } as const;
  throw new Error(USAGE);
}

/** The value, validated. @throws Error with all validation errors, worded for people */
function checked<T>(schema: z.ZodType<T>, given: object, refusal: string): T {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `- ${path.join('.')} ${message}`);
  throw new Error(`${refusal}\n${problems.join('\n')}`);
}

/** Opens the configured database for `work`. */
async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const env = readEnvironment();
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    migrationsFolder: projectPath('drizzle'),
  });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

/** `npm run user -- create` */
async function create(given: object): Promise<void> {
  const { password, isMade } = await choosePassword();
  const person = checked(newPersonBody, { ...given, password }, 'The account cannot be made like this:');
  await withDatabase(async (database) => {
    const { id, email, role } = await createPeople(database).create(person);
    await auditCommand(database, 'user', 'user-created', { target: email, details: { id, role } });
    console.log(`${email} may sign in (${role}).`);
    if (isMade) console.log(`Password, shown this once: ${password}`);
  });
}

/** What identifies an account, and its new password. */
const passwordBody = newPersonBody.pick({ email: true, password: true });

/** `npm run user -- password` */
async function setPassword(given: object, choice: Pick<PersonChanges, 'apiKeys' | 'secondFactor'>): Promise<void> {
  const { password, isMade } = await choosePassword();
  const { email } = checked(passwordBody, { ...given, password }, 'The password cannot be set like this:');
  await withDatabase(async (database) => {
    const people = createPeople(database);
    const person = (await people.list()).find((each) => each.email === email);
    if (person === undefined) throw new NotFoundError('account', email);
    const { id, role, banned } = await people.update(person.id, { password, ...choice });
    const details = { id, changed: ['password'], ...choice, role, banned } as JsonObject;
    await auditCommand(database, 'user', 'user-changed', { target: email, details });
    console.log(`${email} has another password, and is signed out everywhere.`);
    if (choice.secondFactor) console.log('Their passkeys and one-time codes are removed.');
    if (choice.apiKeys === 'revoke') console.log('Their API keys are revoked; --keep-keys would have kept them.');
    if (banned) console.log('The account is suspended: an administrator has to let it in again.');
    if (isMade) console.log(`Password, shown this once: ${password}`);
  });
}

try {
  const given = readArguments();
  await (given.command === 'create' ? create(given.account) : setPassword(given.account, given.choice));
} catch (error) {
  exitWithMessage(error);
}
