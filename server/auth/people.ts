import { hashPassword } from 'better-auth/crypto';
import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import { forgetVerifications } from '#server/auth/verifications';
import { forgetOwnerCode, replaceOwnerCode, requireOwnerCode } from '#server/auth/owner-code';
import { ownerOfToken, type PasswordToken, replaceToken } from '#server/auth/password-links';
import { ConflictError, ForbiddenError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { LanguageCode } from '#server/core/languages';
import type { KeyChoice, Person } from '#server/core/people';
import { allows, commonScopes, LOCAL_OWNER, type Role, scopesOfRole } from '#server/core/access-rights';
import type { Database, StoreTransaction } from '#server/store/database';
import { accounts, apiKeys, passkeys, signIns, twoFactors, users } from '#server/store/schema/people';
import { keptRounds, sessions } from '#server/store/schema/sessions';
import { queuedMessages, turns } from '#server/store/schema/turns';

export interface NewPerson {
  readonly name: string;
  /** In small letters. */
  readonly email: string;
  readonly password: string;
}

/** Without a password they are invited: they cannot sign in before they have chosen one with a link. */
export type InvitedPerson = Omit<NewPerson, 'password'> & {
  readonly password?: string | undefined;
  readonly role: Role;
  readonly sites?: readonly string[] | null | undefined;
};

export interface PersonChanges {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly banned?: boolean | undefined;
  /** Null: as the browser asks. */
  readonly language?: LanguageCode | null | undefined;
  readonly password?: string | undefined;
  /** Ids of the sites that they may work on; null: all. */
  readonly sites?: readonly string[] | null | undefined;
  /** Takes away passkeys and one-time codes, for who has lost them. */
  readonly secondFactor?: 'remove' | undefined;
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
  create(person: InvitedPerson): Promise<Person>;
  /**
   * Makes the link with which somebody chooses a password, in the place of any before: an invitation where they have none.
   * @throws NotFoundError, ConflictError for somebody who is suspended
   */
  makePasswordToken(id: string): Promise<{ readonly person: Person; readonly token: PasswordToken }>;
  /**
   * Chooses a password with a link, which ends with that, as do all sign-ins and API keys.
   * @throws ForbiddenError when the link was used, replaced or has expired, or its owner is suspended
   */
  usePasswordToken(token: string, password: string): Promise<Person>;
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
  const add = async ({ password, ...person }: InvitedPerson, ownerCode?: string) => {
    const hash = password === undefined ? null : await hashPassword(password);
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
      await tx.insert(users).values(row);
      if (hash !== null) await setPassword(tx, row.id, hash);
      return readPerson(tx, row.id);
    });
  };
  return {
    list: async () => (await readPeople(database.read).orderBy(asc(users.createdAt), asc(users.id))).map(toPerson),
    find: async (id) => {
      const [found] = await readPeople(database.read).where(eq(users.id, id));
      return found ? toPerson(found) : null;
    },
    isEmpty: () => isEmpty(database.read),
    offerOwner: () => database.write(async (tx) => ((await isEmpty(tx)) ? replaceOwnerCode(tx) : null)),
    createOwner: (person, code) => add({ ...person, role: 'admin' }, code),
    create: (person) => add(person),
    update: async (id, { password, secondFactor, apiKeys: keyChoice = 'revoke', ...changes }, exceptSignIn) => {
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
        if (secondFactor === 'remove') await removeFactors(tx, id);
        if (hash !== null) await setPassword(tx, id, hash);
        if (hash !== null && keyChoice === 'revoke') await revokeKeys(tx, id);
        if (changes.banned === true) await forgetVerifications(tx, id);
        if (hash !== null || changes.banned === true) await endSignIns(tx, id, exceptSignIn);
        return readPerson(tx, id);
      });
    },
    makePasswordToken: (id) =>
      database.write(async (tx) => {
        const person = await readPerson(tx, id);
        if (person.banned) throw new ConflictError('This account is suspended. Reinstate it first.');
        return { person, token: await replaceToken(tx, id, person.isInvited ? 'invitation' : 'reset') };
      }),
    usePasswordToken: async (token, password) => {
      // Only a right link costs a hash.
      if ((await ownerOfToken(database.read, token)) === null) throw new ForbiddenError(LINK_IS_OVER);
      const hash = await hashPassword(password);
      return database.write(async (tx) => {
        const id = await ownerOfToken(tx, token);
        const person = id === null ? null : await readPerson(tx, id);
        if (!person || person.banned) throw new ForbiddenError(LINK_IS_OVER);
        await setPassword(tx, person.id, hash);
        await revokeKeys(tx, person.id);
        await endSignIns(tx, person.id);
        return { ...person, isInvited: false };
      });
    },
    remove: (id) =>
      database.write(async (tx) => {
        await requireOtherAdmin(tx, id);
        await endSignIns(tx, id);
        await tx.delete(accounts).where(eq(accounts.userId, id));
        await removeFactors(tx, id);
        await tx.delete(keptRounds).where(eq(keptRounds.ownerId, id));
        await revokeKeys(tx, id);
        await forgetVerifications(tx, id);
        const removed = await readPerson(tx, id);
        await tx.delete(users).where(eq(users.id, id));
        return removed;
      }),
  };
}

/** True for somebody with any way to sign in. By name: in a query of one table, columns are written without theirs. */
const canSignIn = sql<number>`exists (select 1 from accounts where accounts.user_id = users.id)`;

/** People, with whether they have any way to sign in. */
function readPeople(reader: Pick<StoreTransaction, 'select'>) {
  const { id, name, email, role, banned, language, sites, createdAt } = users;
  return reader
    .select({ id, name, email, role, banned, language, sites, createdAt, hasAccount: canSignIn })
    .from(users);
}

type UserRow = Awaited<ReturnType<typeof readPeople>>[number];

function toPerson({ createdAt, hasAccount, ...person }: UserRow): Person {
  return { ...person, isInvited: !hasAccount, createdAt: createdAt.getTime() };
}

/** @throws NotFoundError */
async function readPerson(tx: Pick<StoreTransaction, 'select'>, id: string): Promise<Person> {
  const [found] = await readPeople(tx).where(eq(users.id, id));
  return toPerson(found ?? missing(id));
}

const LINK_IS_OVER = 'This link was used already, was replaced by a newer one, or has expired. Ask for another one.';

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
  const isOther = and(ne(users.id, id), eq(users.role, 'admin'), eq(users.banned, false), canSignIn);
  const [other] = await tx.select({ id: users.id }).from(users).where(isOther).limit(1);
  if (!other)
    throw new ConflictError(
      'No other administrator can sign in yet. Make somebody else one, or wait until the invited one has a password.',
    );
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

/** The first one, or another one; links to choose one with end. */
async function setPassword(tx: StoreTransaction, userId: string, password: string): Promise<void> {
  await forgetVerifications(tx, userId);
  const now = new Date();
  const isTheirs = and(eq(accounts.userId, userId), eq(accounts.providerId, CREDENTIAL));
  const { rowsAffected } = await tx.update(accounts).set({ password, updatedAt: now }).where(isTheirs).run();
  if (rowsAffected > 0) return;
  const row = { id: createId('acc'), userId, accountId: userId, providerId: CREDENTIAL, password };
  await tx.insert(accounts).values({ ...row, createdAt: now, updatedAt: now });
}

/** Passkeys and one-time codes; the password alone lets them in then. */
async function removeFactors(tx: StoreTransaction, userId: string): Promise<void> {
  await tx.delete(passkeys).where(eq(passkeys.userId, userId));
  await tx.delete(twoFactors).where(eq(twoFactors.userId, userId));
  await tx.update(users).set({ twoFactorEnabled: false }).where(eq(users.id, userId));
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
