import { describe, expect } from 'vitest';
import { type Accounts, createAccounts } from '#server/platform/auth/accounts';
import type { AuthSecrets } from '#server/platform/auth/secret-rotation';
import { ConflictError, ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import type { Database } from '#server/platform/database/database';
import { createApiKeyRepository } from '#server/platform/auth/store/api-key-repository';
import { signIns, verifications } from '#server/platform/database/schema/people';
import { createTestDatabase, itWithDatabase } from '#tests/support/test-database';

const PASSWORD = 'a kiln full of mugs';
const OWNER = { name: 'Olive', email: 'olive@kiln.example', password: PASSWORD };
const EDITOR = { name: 'Edith', email: 'edith@kiln.example', password: PASSWORD, role: 'editor' } as const;

const SECRET = 'only-for-tests-0123456789abcdefghijklmnop';

function openAccounts(
  database: Database,
  origin = 'https://cms.example',
  secrets: AuthSecrets = { current: SECRET, former: [] },
): Accounts {
  return createAccounts({
    database,
    origin,
    secrets,
    onFault: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
}

/** As a reader of the server's log does it. */
async function makeOwner({ people }: Pick<Accounts, 'people'>) {
  return people.createOwner(OWNER, (await people.offerOwner()) ?? 'there is one already');
}

const it = itWithDatabase.extend<{ accounts: Accounts }>({
  /** With an owner. */
  accounts: async ({ db }, give) => {
    const accounts = openAccounts(db);
    await makeOwner(accounts);
    await give(accounts);
  },
});

/** The headers of a browser that has kept these cookies. */
const browser = (cookies: readonly string[]) =>
  new Headers({ cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') });

async function signInAs(accounts: Accounts, { email }: { readonly email: string }, password = PASSWORD) {
  return browser((await accounts.signIn(email, password)).cookies);
}

describe('the first account', () => {
  it('cannot be created as an editor', async ({ db: database }) => {
    const { people } = openAccounts(database);
    await expect(people.create(EDITOR)).rejects.toThrow(ConflictError);
    expect(await people.isEmpty()).toBe(true);
  });

  it('is made with the code of the newest start, on any instance, and with no other', async ({ db: database }) => {
    const [{ people: one }, { people: other }] = [openAccounts(database), openAccounts(database)];
    await expect(one.createOwner(OWNER, '')).rejects.toThrow(ForbiddenError);
    const former = (await one.offerOwner())!;
    const code = (await other.offerOwner())!;
    expect(code).toMatch(/^([2-9a-z]{4}-){4}[2-9a-z]{4}$/);
    for (const wrong of [former, '', code.slice(0, -1)])
      await expect(one.createOwner(OWNER, wrong)).rejects.toThrow(/newest start/);
    expect(await one.isEmpty()).toBe(true);
    const stored = await database.read.select().from(verifications);
    expect(JSON.stringify(stored)).not.toContain(code);
    expect(await one.createOwner(OWNER, ` ${code.toUpperCase().replaceAll('-', ' ')} `)).toMatchObject({
      role: 'admin',
    });
    expect(await database.read.select().from(verifications)).toEqual([]);
    expect(await other.offerOwner()).toBeNull();
  });

  it('made by the command ends the code', async ({ db: database }) => {
    const { people } = openAccounts(database);
    const code = (await people.offerOwner())!;
    await people.create({ ...OWNER, role: 'admin' });
    await expect(people.createOwner({ ...OWNER, email: 'eve@kiln.example' }, code)).rejects.toThrow(ConflictError);
    expect(await database.read.select().from(verifications)).toEqual([]);
  });
});

describe('signing in', () => {
  it('ends the previous session of the same browser', async ({ accounts }) => {
    const before = await signInAs(accounts, OWNER);
    const { cookies } = await accounts.signIn(OWNER.email, PASSWORD, before);
    expect(await accounts.signedIn(before)).toBeNull();
    expect(await accounts.signedIn(browser(cookies))).toMatchObject({ userId: LOCAL_OWNER });
  });

  it('marks the browser with a cookie for sign-ins only, which no script reads', ({ accounts }) => {
    const [cookie = ''] = accounts.rememberBrowser(new Headers(), OWNER.email);
    expect(cookie).toMatch(/^__Secure-throughline\.device_/);
    for (const flag of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/api/auth']) expect(cookie).toContain(`; ${flag}`);
    expect(cookie).not.toContain('Domain');
  });

  it('sets a cookie for https that no script reads and no other site sends', async ({ db: database, accounts }) => {
    const { cookies } = await accounts.signIn(OWNER.email, PASSWORD);
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^__Secure-throughline\.session_token=/);
    for (const flag of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000'])
      expect(cookies[0]).toContain(`; ${flag}`);
    expect(cookies[0]).not.toContain('Domain');
    const plain = await openAccounts(database, 'http://localhost:3000').signIn(OWNER.email, PASSWORD);
    expect(plain.cookies[0]).not.toContain('Secure');
  });

  it('with a password that is changed during the request fails', async ({ db: database }) => {
    const { people } = openAccounts(database);
    const { id } = await makeOwner({ people });
    const verified = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    const late = openAccounts({
      ...database,
      async write(work) {
        verified.resolve();
        await changed.promise;
        return database.write(work);
      },
    });
    const signingIn = late.signIn(OWNER.email, PASSWORD);
    const refused = expect(signingIn).rejects.toThrow(UnauthenticatedError);
    await verified.promise;
    await people.update(id, { password: 'another kiln full of mugs' });
    changed.resolve();
    await refused;
    expect(await database.read.select().from(signIns)).toEqual([]);
    await openAccounts(database).signIn(OWNER.email, 'another kiln full of mugs');
  });

  it('ends by itself', async ({ db: database, accounts }) => {
    const headers = await signInAs(accounts, OWNER);
    await database.write((tx) => tx.update(signIns).set({ expiresAt: new Date(Date.now() - 1) }));
    expect(await accounts.signedIn(headers)).toBeNull();
  });

  it('lasts longer when it is used', async ({ db: database, accounts }) => {
    const headers = await signInAs(accounts, OWNER);
    expect(await accounts.prolong(headers)).toEqual([]);
    const soon = new Date(Date.now() + 60_000);
    await database.write((tx) => tx.update(signIns).set({ expiresAt: soon }));
    expect((await accounts.prolong(headers))[0]).toContain('Max-Age=2592000');
    const [signIn] = await database.read.select().from(signIns);
    expect(signIn?.expiresAt.getTime()).toBeGreaterThan(soon.getTime());
  });
});

describe('another AUTH_SECRET', () => {
  const next = `${SECRET}-the-next`;

  it('keeps sessions while the former is configured, and renews their cookies', async ({ db: database, accounts }) => {
    const headers = await signInAs(accounts, OWNER);
    const rotated = openAccounts(database, 'https://cms.example', { current: next, former: [SECRET] });
    expect(await rotated.signedIn(headers)).toMatchObject({ userId: LOCAL_OWNER });
    const renewed = await rotated.prolong(headers);
    expect(renewed[0]).toMatch(/^__Secure-throughline\.session_token=.+; Max-Age=2592000; .*HttpOnly.*Secure$/);
    const alone = openAccounts(database, 'https://cms.example', { current: next, former: [] });
    expect(await alone.signedIn(headers)).toBeNull();
    expect(await alone.signedIn(browser(renewed))).toMatchObject({ userId: LOCAL_OWNER });
    expect(await rotated.prolong(browser(renewed))).toEqual([]);
    await rotated.signOut(headers);
    expect(await alone.signedIn(browser(renewed))).toBeNull();
  });

  it('refuses cookies that were signed with an unknown secret', async ({ db: database, accounts }) => {
    const headers = await signInAs(accounts, OWNER);
    const other = openAccounts(database, 'https://cms.example', { current: next, former: ['not the one of before'] });
    expect(await other.signedIn(headers)).toBeNull();
    const [name = '', value = ''] = (headers.get('cookie') ?? '').split(/=(.*)/s);
    const rotated = openAccounts(database, 'https://cms.example', { current: next, former: [SECRET] });
    for (const forged of [value.replace('.', '.A'), `x${value}`, '%E0%A4%A', '.', ''])
      expect(await rotated.signedIn(new Headers({ cookie: `${name}=${forged}` }))).toBeNull();
  });
});

describe('a link to choose a password with', () => {
  const NEXT = 'a shelf of green bottles';

  it('works once, and is the newest one; what is stored cannot be used', async ({
    db: database,
    accounts: { people },
  }) => {
    const first = await people.makePasswordToken(LOCAL_OWNER);
    const second = await people.makePasswordToken(LOCAL_OWNER);
    await expect(people.usePasswordToken(first.token.token, NEXT)).rejects.toThrow(ForbiddenError);
    expect(JSON.stringify(await database.read.select().from(verifications))).not.toContain(second.token.token);
    const uses = [NEXT, 'another shelf of bottles'].map((next) => people.usePasswordToken(second.token.token, next));
    const outcomes = await Promise.allSettled(uses);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('ends sign-ins and keys; and ends by a new password, a ban, time or deletion', async ({
    db: database,
    accounts,
  }) => {
    const { people } = accounts;
    const headers = await signInAs(accounts, OWNER);
    const keys = createApiKeyRepository(database);
    await keys.create({
      userId: LOCAL_OWNER,
      name: 'Robot',
      scopes: ['chat'],
      expiresAt: null,
      prefix: 'tl_',
      hash: 'x',
    });
    await people.usePasswordToken((await people.makePasswordToken(LOCAL_OWNER)).token.token, NEXT);
    expect(await accounts.signedIn(headers)).toBeNull();
    expect(await keys.list(LOCAL_OWNER)).toEqual([]);

    const { id } = await people.create(EDITOR);
    const newToken = async () => (await people.makePasswordToken(id)).token.token;
    const isOver = (token: string) => expect(people.usePasswordToken(token, NEXT)).rejects.toThrow(ForbiddenError);
    const former = await newToken();
    await people.update(id, { password: NEXT });
    await isOver(former);
    const banned = await newToken();
    await people.update(id, { banned: true });
    await isOver(banned);
    await expect(people.makePasswordToken(id)).rejects.toThrow(ConflictError);
    await people.update(id, { banned: false });
    const late = await newToken();
    await database.write((tx) => tx.update(verifications).set({ expiresAt: new Date(Date.now() - 1) }));
    await isOver(late);
    const orphan = await newToken();
    await people.remove(id);
    await isOver(orphan);
  });
});

describe('people', () => {
  it.each([
    ['deleted', (people: Accounts['people']) => people.remove(LOCAL_OWNER)],
    ['suspended', (people: Accounts['people']) => people.update(LOCAL_OWNER, { banned: true })],
    ['made an editor', (people: Accounts['people']) => people.update(LOCAL_OWNER, { role: 'editor' })],
  ] as const)('always have an administrator: the last one is not %s', async (_, attempt) => {
    await using database = await createTestDatabase();
    const { people } = openAccounts(database);
    await makeOwner({ people });
    const { id } = await people.create({ ...EDITOR, role: 'admin' });
    await people.update(id, { banned: true });
    await expect(attempt(people)).rejects.toThrow(ConflictError);
    expect(await people.find(LOCAL_OWNER)).toMatchObject({ role: 'admin', banned: false });
    await people.update(id, { banned: false });
    await attempt(people);
  });

  it('always have an administrator who can sign in: one who is only invited does not count', async ({
    accounts: { people },
  }) => {
    const { password: _, ...invited } = EDITOR;
    const { id } = await people.create({ ...invited, role: 'admin' });
    await expect(people.update(LOCAL_OWNER, { role: 'editor' })).rejects.toThrow(/No other administrator can sign in/);
    const { token } = (await people.makePasswordToken(id)).token;
    await people.usePasswordToken(token, PASSWORD);
    expect(await people.update(LOCAL_OWNER, { role: 'editor' })).toMatchObject({ role: 'editor' });
  });

  it('of two administrators who remove each other concurrently, one stays', async ({ accounts: { people } }) => {
    const { id } = await people.create({ ...EDITOR, role: 'admin' });
    const outcomes = await Promise.allSettled([people.remove(id), people.update(LOCAL_OWNER, { role: 'editor' })]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it.each(['their own', 'an administrator’s'])('get a new password by %s hand, which ends their keys', async (hand) => {
    await using database = await createTestDatabase();
    const accounts = openAccounts(database);
    const { people } = accounts;
    const { id } = await makeOwner(accounts);
    const keys = createApiKeyRepository(database);
    const key = { userId: id, name: 'Robot', scopes: ['chat'] as const, expiresAt: null, prefix: 'tl_' };
    const headers = await signInAs(accounts, OWNER);
    let current = PASSWORD;
    const change = async (next: string, choice?: 'keep' | 'revoke') => {
      if (hand === 'their own') await accounts.changePassword(headers, { current, next, apiKeys: choice });
      else await people.update(id, { password: next, apiKeys: choice });
      current = next;
    };
    await keys.create({ ...key, hash: 'kept' });
    await change('a second kiln of mugs', 'keep');
    expect(await keys.list(id)).toHaveLength(1);
    await change('a third kiln of mugs');
    expect(await keys.list(id)).toEqual([]);
    await keys.create({ ...key, hash: 'untouched' });
    await people.update(id, { name: 'Olivia' });
    expect(await keys.list(id)).toHaveLength(1);
  });
});
