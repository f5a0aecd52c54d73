import { hashPassword } from 'better-auth/crypto';
import { and, asc, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import { deleteVerifications } from '#server/platform/auth/verifications';
import { forgetOwnerCode, replaceOwnerCode, requireOwnerCode } from '#server/platform/auth/owner-code';
import { addToken, ownerOfToken, type PasswordToken, replaceToken } from '#server/platform/auth/password-links';
import { isCommonPassword } from '#server/platform/auth/common-passwords';
import { ConflictError, ForbiddenError, InvalidInputError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { LanguageCode } from '#server/core/languages';
import type { KeyChoice } from '#server/core/admin/api-keys';
import type { Person } from '#server/core/admin/people';
import { allows, commonScopes, LOCAL_OWNER, type Role, scopesOfRole } from '#server/core/admin/access-rights';
import { serverText } from '#server/core/messages/server-text';
import type { Database, StoreReader, StoreTransaction } from '#server/platform/database/database';
import { previewLinks } from '#server/platform/database/schema/content';
import {
  accounts,
  apiKeys,
  oauthCodes,
  passkeys,
  signIns,
  twoFactors,
  users,
} from '#server/platform/database/schema/people';
import { keptRounds, sessions, storedResponses } from '#server/platform/database/schema/sessions';
import { queuedMessages, turns } from '#server/platform/database/schema/turns';

interface PersonName {
  readonly name: string;
  /** In lower case. */
  readonly email: string;
}

/** The first account, as entered by its owner. */
export interface NewPerson extends PersonName {
  readonly password: string;
}

/** A person whom an administrator adds. Without a password, they cannot sign in before they have chosen one with a link. */
export interface InvitedPerson extends PersonName {
  readonly password?: string | undefined;
  readonly role: Role;
  /** Ids of the sites that the person may work on; null (default): all. */
  readonly sites?: readonly string[] | null | undefined;
}

/** Changes of a person; undefined fields stay as they are. */
export interface PersonChanges {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly banned?: boolean | undefined;
  /** Null: the language that the browser requests. */
  readonly language?: LanguageCode | null | undefined;
  readonly password?: string | undefined;
  /** Ids of the sites that the person may work on; null: all. */
  readonly sites?: readonly string[] | null | undefined;
  /** Removes passkeys and one-time codes, for a person who has lost them. */
  readonly secondFactor?: 'remove' | undefined;
  /** What happens to the person's API keys with a new password. Default `revoke`. */
  readonly apiKeys?: KeyChoice | undefined;
}

/** Lists people. */
export interface PeopleList {
  /** Oldest first. */
  list(): Promise<Person[]>;
}

/** People who may sign in. If there are any, at least one of them is an administrator who can sign in. */
export interface People extends PeopleList {
  /** Null if no person has this id. */
  find(id: string): Promise<Person | null>;
  /** True while no account exists. */
  isEmpty(): Promise<boolean>;
  /** Creates a new one-time code for the first account, and replaces any earlier code. Null if an account exists. */
  offerOwner(): Promise<string | null>;
  /**
   * Creates the first account, an administrator. It owns everything that was made in local mode (`LOCAL_OWNER`).
   * @param code of `offerOwner`
   * @throws ConflictError if an account exists, ForbiddenError for another code
   */
  createOwner(person: NewPerson, code: string): Promise<Person>;
  /**
   * Adds a person.
   * @throws ConflictError if the email address is in use, and for a first person who is not an administrator;
   * InvalidInputError for a common password
   */
  create(person: InvitedPerson): Promise<Person>;
  /**
   * Creates a link with which a person chooses a password: an invitation if they have none yet.
   * @param others `end` (default): earlier links stop working. `keep`: they stay valid, for links that anyone may
   * request
   * @throws NotFoundError, ConflictError for a suspended person
   */
  makePasswordToken(
    id: string,
    others?: 'end' | 'keep',
  ): Promise<{ readonly person: Person; readonly token: PasswordToken }>;
  /**
   * Sets a password with a link, which then becomes invalid; ends all sign-ins and revokes all API keys of the person.
   * @throws ForbiddenError if the link was used, replaced or has expired, or its owner is banned; InvalidInputError for a
   * common password
   */
  usePasswordToken(token: string, password: string): Promise<Person>;
  /**
   * Changes a person. A new password, and a ban, sign the person out everywhere except in the sign-in `exceptSignIn` (an
   * id); a new password also revokes their API keys, unless `apiKeys` says otherwise. With a lesser role, their running
   * and queued work is reduced to the rights of that role.
   * @throws NotFoundError, ConflictError if no administrator would be left
   */
  update(id: string, changes: PersonChanges, exceptSignIn?: string): Promise<Person>;
  /**
   * Deletes an account: signs the person out, revokes their API keys and ends their preview links. Their conversations stay, accessible to administrators.
   * @throws NotFoundError, ConflictError if no administrator would be left
   */
  remove(id: string): Promise<Person>;
}

/** @throws InvalidInputError for a common password */
function hashNewPassword(password: string): Promise<string> {
  if (isCommonPassword(password)) throw new InvalidInputError(serverText('password-common'));
  return hashPassword(password);
}

/** better-auth's name for sign-in with email and password. */
const CREDENTIAL = 'credential';

/** Creates the accounts' storage. Every method is one transaction. */
export function createPeople(database: Database): People {
  const add = async ({ password, ...person }: InvitedPerson, ownerCode?: string) => {
    const hash = password === undefined ? null : await hashNewPassword(password);
    return database.write(async (tx) => {
      const isFirst = await isEmpty(tx);
      if (ownerCode !== undefined) {
        if (!isFirst) throw new ConflictError(serverText('owner-exists'));
        await requireOwnerCode(tx, ownerCode);
      }
      if (isFirst) await forgetOwnerCode(tx);
      if (isFirst && person.role !== 'admin') throw new ConflictError(serverText('first-is-administrator'));
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
      const hash = password === undefined ? null : await hashNewPassword(password);
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
        if (changes.banned === true) await deleteVerifications(tx, id);
        if (hash !== null || changes.banned === true) await endSignIns(tx, id, exceptSignIn);
        return readPerson(tx, id);
      });
    },
    makePasswordToken: (id, others = 'end') =>
      database.write(async (tx) => {
        const person = await readPerson(tx, id);
        if (person.banned) throw new ConflictError(serverText('account-suspended-first'));
        const make = others === 'end' ? replaceToken : addToken;
        return { person, token: await make(tx, id, person.isInvited ? 'invitation' : 'reset') };
      }),
    usePasswordToken: async (token, password) => {
      // Computes a hash only for a valid link.
      if ((await ownerOfToken(database.read, token)) === null) throw new ForbiddenError(LINK_IS_OVER);
      const hash = await hashNewPassword(password);
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
        await tx.delete(previewLinks).where(eq(previewLinks.createdBy, id));
        await tx.delete(keptRounds).where(eq(keptRounds.ownerId, id));
        await tx.delete(storedResponses).where(eq(storedResponses.ownerId, id));
        await revokeKeys(tx, id);
        await deleteVerifications(tx, id);
        const removed = await readPerson(tx, id);
        await tx.delete(users).where(eq(users.id, id));
        return removed;
      }),
  };
}

/**
 * True for a person with any way to sign in. The tables are named explicitly: in a query of one table, drizzle writes
 * columns without their table.
 */
const canSignIn = sql<number>`exists (select 1 from accounts where accounts.user_id = users.id)`;

/** People, including whether they have any way to sign in. */
function readPeople(reader: StoreReader) {
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
async function readPerson(tx: StoreReader, id: string): Promise<Person> {
  const [found] = await readPeople(tx).where(eq(users.id, id));
  return toPerson(found ?? missing(id));
}

const LINK_IS_OVER = serverText('link-used');

async function isEmpty(db: StoreReader): Promise<boolean> {
  return (await db.select({ id: users.id }).from(users).limit(1)).length === 0;
}

function missing(id: string): never {
  throw new NotFoundError('user', id);
}

async function requireFreeEmail(tx: StoreTransaction, email: string): Promise<void> {
  const [taken] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (taken) throw new ConflictError(serverText('email-taken', { email }));
}

/** Requires that another administrator who can sign in remains. */
async function requireOtherAdmin(tx: StoreTransaction, id: string): Promise<void> {
  const [user] = await tx.select().from(users).where(eq(users.id, id));
  if (!user) missing(id);
  if (user.role !== 'admin' || user.banned) return;
  const isOther = and(ne(users.id, id), eq(users.role, 'admin'), eq(users.banned, false), canSignIn);
  const [other] = await tx.select({ id: users.id }).from(users).where(isOther).limit(1);
  if (!other) throw new ConflictError(serverText('last-administrator'));
}

/** Removes from a person's running and queued work the rights that they have lost with their role. */
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

/** Sets the first or a new password; invalidates links for choosing one. */
async function setPassword(tx: StoreTransaction, userId: string, password: string): Promise<void> {
  await deleteVerifications(tx, userId);
  const now = new Date();
  const isTheirs = and(eq(accounts.userId, userId), eq(accounts.providerId, CREDENTIAL));
  const { rowsAffected } = await tx.update(accounts).set({ password, updatedAt: now }).where(isTheirs).run();
  if (rowsAffected > 0) return;
  const row = { id: createId('acc'), userId, accountId: userId, providerId: CREDENTIAL, password };
  await tx.insert(accounts).values({ ...row, createdAt: now, updatedAt: now });
}

/** Removes passkeys and one-time codes; then the password alone is sufficient. */
async function removeFactors(tx: StoreTransaction, userId: string): Promise<void> {
  await tx.delete(passkeys).where(eq(passkeys.userId, userId));
  await tx.delete(twoFactors).where(eq(twoFactors.userId, userId));
  await tx.update(users).set({ twoFactorEnabled: false }).where(eq(users.id, userId));
}

/** Revokes the keys and connected programs of a user, and the codes with which one is about to be connected. */
async function revokeKeys(tx: StoreTransaction, userId: string): Promise<void> {
  await tx.delete(oauthCodes).where(and(eq(oauthCodes.userId, userId), isNull(oauthCodes.usedAt)));
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
