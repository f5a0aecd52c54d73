import { createHash, randomInt } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { and, asc, eq, inArray, isNull, ne } from 'drizzle-orm';
import { ConflictError, ForbiddenError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import {
  allows,
  commonScopes,
  type KeyChoice,
  LOCAL_OWNER,
  type Person,
  type Role,
  scopesOfRole,
} from '#server/core/people';
import type { Database, StoreTransaction } from '#server/store/database';
import { accounts, apiKeys, signIns, users, verifications } from '#server/store/schema/people';
import { keptRounds, sessions } from '#server/store/schema/sessions';
import { queuedMessages, turns } from '#server/store/schema/turns';

export interface NewPerson {
  readonly name: string;
  /** In small letters. */
  readonly email: string;
  readonly password: string;
}

export interface PersonChanges {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly banned?: boolean | undefined;
  readonly password?: string | undefined;
  /** Handling of their API keys with a new password. Default `revoke`. */
  readonly apiKeys?: KeyChoice | undefined;
}

/** People who may sign in. There is always an administrator among them, once there is anybody. */
export interface People {
  /** Oldest first. */
  list(): Promise<Person[]>;
  /** Null: there is nobody (any more) with this id. */
  find(id: string): Promise<Person | null>;
  isEmpty(): Promise<boolean>;
  /** Makes another one-time code for the first account, in the place of any before. Null: there is somebody already. */
  offerOwner(): Promise<string | null>;
  /**
   * The first account, an administrator. It is the owner of what local mode has made (`LOCAL_OWNER`).
   * @param code of `offerOwner`
   * @throws ConflictError when there is somebody already, ForbiddenError for another code
   */
  createOwner(person: NewPerson, code: string): Promise<Person>;
  /** @throws ConflictError when the e-mail is taken, and for an editor where there is no administrator yet */
  create(person: NewPerson & { readonly role: Role }): Promise<Person>;
  /**
   * A new password, and a ban, sign them out everywhere but in `exceptSignIn`; a new password revokes their API keys, too.
   * With a lesser role, what they have begun or has waiting has its rights alone.
   * @throws NotFoundError, ConflictError when no administrator would be left
   */
  update(id: string, changes: PersonChanges, exceptSignIn?: string): Promise<Person>;
  /**
   * Signs them out and revokes their API keys. Their conversations stay, for administrators to look after.
   * @throws NotFoundError, ConflictError when no administrator would be left
   */
  remove(id: string): Promise<Person>;
}

/** better-auth's name of "by e-mail and password". */
const CREDENTIAL = 'credential';

export function createPeople(database: Database): People {
  const add = async ({ password, ...person }: NewPerson & { readonly role: Role }, ownerCode?: string) => {
    const hash = await hashPassword(password);
    return database.write(async (tx) => {
      const isFirst = await isEmpty(tx);
      if (ownerCode !== undefined) {
        if (!isFirst) throw new ConflictError('There is an owner already. Sign in.');
        await requireOwnerCode(tx, ownerCode);
      }
      if (isFirst) await forgetOwnerCode(tx);
      if (isFirst && person.role !== 'admin') throw new ConflictError('The first account is an administrator.');
      await requireFreeEmail(tx, person.email);
      const now = new Date();
      const row = { ...person, id: isFirst ? LOCAL_OWNER : createId('usr'), createdAt: now, updatedAt: now };
      const [added] = await tx.insert(users).values(row).returning();
      await tx.insert(accounts).values({
        id: createId('acc'),
        userId: row.id,
        accountId: row.id,
        providerId: CREDENTIAL,
        password: hash,
        createdAt: now,
        updatedAt: now,
      });
      return toPerson(added ?? missing(row.id));
    });
  };
  return {
    list: async () =>
      (await database.read.select().from(users).orderBy(asc(users.createdAt), asc(users.id))).map(toPerson),
    find: async (id) => {
      const [found] = await database.read.select().from(users).where(eq(users.id, id));
      return found ? toPerson(found) : null;
    },
    isEmpty: () => isEmpty(database.read),
    offerOwner: () => database.write(async (tx) => ((await isEmpty(tx)) ? replaceOwnerCode(tx) : null)),
    createOwner: (person, code) => add({ ...person, role: 'admin' }, code),
    create: (person) => add(person),
    update: async (id, { password, apiKeys: keyChoice = 'revoke', ...changes }, exceptSignIn) => {
      const hash = password === undefined ? null : await hashPassword(password);
      return database.write(async (tx) => {
        const isDemotion = changes.role !== undefined && changes.role !== 'admin';
        if (isDemotion || changes.banned === true) await requireOtherAdmin(tx, id);
        const set = definedOf(changes);
        const [updated] = await tx
          .update(users)
          .set({ ...set, updatedAt: new Date() })
          .where(eq(users.id, id))
          .returning();
        if (!updated) missing(id);
        if (isDemotion) await narrowWork(tx, id, updated.role);
        if (hash !== null) await setPassword(tx, id, hash);
        if (hash !== null && keyChoice === 'revoke') await revokeKeys(tx, id);
        if (hash !== null || changes.banned === true) await endSignIns(tx, id, exceptSignIn);
        return toPerson(updated);
      });
    },
    remove: (id) =>
      database.write(async (tx) => {
        await requireOtherAdmin(tx, id);
        await endSignIns(tx, id);
        await tx.delete(accounts).where(eq(accounts.userId, id));
        await tx.delete(keptRounds).where(eq(keptRounds.ownerId, id));
        await revokeKeys(tx, id);
        const [removed] = await tx.delete(users).where(eq(users.id, id)).returning();
        return toPerson(removed ?? missing(id));
      }),
  };
}

type UserRow = typeof users.$inferSelect;

function toPerson({ id, name, email, role, banned, createdAt }: UserRow): Person {
  return { id, name, email, role, banned, createdAt: createdAt.getTime() };
}

async function isEmpty(db: Pick<StoreTransaction, 'select'>): Promise<boolean> {
  return (await db.select({ id: users.id }).from(users).limit(1)).length === 0;
}

function missing(id: string): never {
  throw new NotFoundError('user', id);
}

async function requireFreeEmail(tx: StoreTransaction, email: string): Promise<void> {
  const [taken] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (taken) throw new ConflictError(`Somebody has the e-mail address ${email} already.`);
}

/** Somebody else has to be left who can sign in and look after everything. */
async function requireOtherAdmin(tx: StoreTransaction, id: string): Promise<void> {
  const [user] = await tx.select().from(users).where(eq(users.id, id));
  if (!user) missing(id);
  if (user.role !== 'admin' || user.banned) return;
  const isOther = and(ne(users.id, id), eq(users.role, 'admin'), eq(users.banned, false));
  const [other] = await tx.select({ id: users.id }).from(users).where(isOther).limit(1);
  if (!other) throw new ConflictError('This is the last administrator. Make somebody else one first.');
}

/** Takes from what this person has begun, or has waiting, the rights that they have lost with their role. */
async function narrowWork(tx: StoreTransaction, ownerId: string, role: Role): Promise<void> {
  const own = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.ownerId, ownerId));
  const rights = scopesOfRole[role];
  const isOpen = inArray(turns.status, ['running', 'waiting_approval']);
  for (const { table, where } of [
    { table: turns, where: and(isOpen, inArray(turns.sessionId, own)) },
    { table: queuedMessages, where: inArray(queuedMessages.sessionId, own) },
  ]) {
    for (const { id, scopes, approvalPolicy } of await tx.select().from(table).where(where)) {
      const left = commonScopes(scopes, rights);
      const policy = allows(left, 'content:write') ? approvalPolicy : 'ask';
      await tx.update(table).set({ scopes: left, approvalPolicy: policy }).where(eq(table.id, id));
    }
  }
}

async function setPassword(tx: StoreTransaction, userId: string, hash: string): Promise<void> {
  await tx
    .update(accounts)
    .set({ password: hash, updatedAt: new Date() })
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, CREDENTIAL)));
}

async function revokeKeys(tx: StoreTransaction, userId: string): Promise<void> {
  await tx
    .update(apiKeys)
    .set({ revokedAt: Date.now() })
    .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt)));
}

async function endSignIns(tx: StoreTransaction, userId: string, except?: string): Promise<void> {
  await tx
    .delete(signIns)
    .where(and(eq(signIns.userId, userId), except === undefined ? undefined : ne(signIns.id, except)));
}

function definedOf<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
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
 * this database; what is stored is its hash.
 */
async function replaceOwnerCode(tx: StoreTransaction): Promise<string> {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const groups = Array.from({ length: LENGTH / GROUP }, (_, at) =>
    letters.slice(at * GROUP, (at + 1) * GROUP).join(''),
  );
  const code = groups.join('-');
  const now = new Date();
  await forgetOwnerCode(tx);
  await tx.insert(verifications).values({
    id: createId('ver'),
    identifier: FIRST_OWNER,
    value: hashOf(code),
    expiresAt: NEVER,
    createdAt: now,
    updatedAt: now,
  });
  return code;
}

/** Writes the code where whoever runs the server reads it, whatever the level of the log: without it nobody could come in. */
export function announceOwnerCode(origin: string, code: string): void {
  process.stdout.write(
    `Nobody has an account yet. Create the owner at ${origin}/login with this one-time code: ${code}\n`,
  );
}

/** @throws ForbiddenError where it is not the code of the newest start */
async function requireOwnerCode(tx: StoreTransaction, code: string): Promise<void> {
  const [stored] = await tx.select().from(verifications).where(eq(verifications.identifier, FIRST_OWNER));
  if (stored?.value === hashOf(code)) return;
  throw new ForbiddenError(
    'This is not the code of the first account. The server writes it to its log when it starts; only the code of the newest start works.',
  );
}

/** There is somebody now, so no code makes an owner any more. */
async function forgetOwnerCode(tx: StoreTransaction): Promise<void> {
  await tx.delete(verifications).where(eq(verifications.identifier, FIRST_OWNER));
}

/** Hash of its letters and digits: grouping and case make no difference. */
function hashOf(code: string): string {
  return createHash('sha256')
    .update(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
    .digest('hex');
}
