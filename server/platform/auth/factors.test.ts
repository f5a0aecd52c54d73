import { describe, expect } from 'vitest';
import { type Accounts, createAccounts } from '#server/platform/auth/accounts';
import { InvalidInputError, RateLimitedError, UnauthenticatedError } from '#server/core/errors';
import { reencryptFactors } from '#server/platform/auth/secret-rotation';
import { signIns, twoFactors } from '#server/platform/database/schema/people';
import { authenticatorApp } from '#tests/support/authenticator-app';
import { itWithDatabase } from '#tests/support/test-database';

/* One-time codes against a real database. Passkeys need a device: tests/e2e/factors.spec.ts has one. */

const PASSWORD = 'a kiln full of mugs';
const EDITH = { name: 'Edith', email: 'edith@kiln.example', password: PASSWORD, role: 'admin' } as const;

const SECRET = 'only-for-tests-0123456789abcdefghijklmnop';

const browser = (cookies: readonly string[]) =>
  new Headers({ cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') });

const it = itWithDatabase.extend<{ accounts: Accounts }>({
  accounts: async ({ db: database }, give) => {
    const onFault = (message: string, cause?: unknown) => {
      throw new Error(message, { cause });
    };
    const accounts = createAccounts({
      database,
      origin: 'https://cms.example',
      secrets: { current: SECRET, former: [] },
      onFault,
    });
    await accounts.people.create(EDITH);
    await give(accounts);
  },
});

/** Edith in a browser, with an app that shows codes. */
async function withApp(accounts: Accounts) {
  const { cookies } = await accounts.signIn(EDITH.email, PASSWORD);
  const { uri, recoveryCodes } = await accounts.factors.beginTotp(browser(cookies), PASSWORD);
  const { code } = authenticatorApp(new URL(uri).searchParams.get('secret') ?? '');
  const confirmed = await accounts.factors.confirmTotp(browser(cookies), code());
  // The one that confirmed the app is used up.
  return { headers: browser(confirmed), recoveryCodes, code: () => code(1) };
}

/** What a browser has after a right password. */
async function challenged(accounts: Accounts, headers?: Headers) {
  const { person, cookies } = await accounts.signIn(EDITH.email, PASSWORD, headers);
  expect(person).toBeNull();
  return browser(cookies);
}

const firstId = ([first]: readonly { readonly id: string }[]) => first?.id ?? '';

describe('one-time codes', () => {
  it('are asked for once a first one was right, and not before', async ({ accounts }) => {
    const { cookies } = await accounts.signIn(EDITH.email, PASSWORD);
    const headers = browser(cookies);
    await expect(accounts.factors.beginTotp(headers, 'not the right one')).rejects.toThrow(InvalidInputError);
    await accounts.factors.beginTotp(headers, PASSWORD);
    await expect(accounts.factors.confirmTotp(headers, '000000')).rejects.toThrow(InvalidInputError);
    expect((await accounts.signIn(EDITH.email, PASSWORD)).person).toMatchObject({ email: EDITH.email });
    expect(await accounts.factors.of(headers)).toEqual({
      provider: null,
      hasPassword: true,
      hasTotp: false,
      passkeys: [],
    });
    await withApp(accounts);
    await challenged(accounts);
  });

  it('admit where the password alone does not; the database has no readable secret', async ({
    db: database,
    accounts,
  }) => {
    const { code, headers, recoveryCodes } = await withApp(accounts);
    const waiting = await challenged(accounts);
    expect(await accounts.signedIn(waiting)).toBeNull();
    await expect(accounts.factors.signInWithCode(waiting, '12 34 56', false)).rejects.toThrow(UnauthenticatedError);
    const right = code();
    const entered = await accounts.factors.signInWithCode(waiting, `${right.slice(0, 3)} ${right.slice(3)}`, false);
    expect(entered.person.email).toBe(EDITH.email);
    expect(await accounts.signedIn(browser(entered.cookies))).toMatchObject({ name: 'Edith' });
    expect(await accounts.signedIn(headers)).not.toBeNull();
    // The cookie of a password opens one door, once.
    await expect(accounts.factors.signInWithCode(waiting, code(), false)).rejects.toThrow(UnauthenticatedError);
    const stored = JSON.stringify(await database.read.select().from(twoFactors));
    for (const each of recoveryCodes) expect(stored).not.toContain(each);
  });

  it('admit once each, also when used concurrently, and say where a sign-in has to restart', async ({ accounts }) => {
    const { cookies } = await accounts.signIn(EDITH.email, PASSWORD);
    const { uri } = await accounts.factors.beginTotp(browser(cookies), PASSWORD);
    const { code } = authenticatorApp(new URL(uri).searchParams.get('secret') ?? '');
    const confirming = code();
    await accounts.factors.confirmTotp(browser(cookies), confirming);
    const enter = async (with_: string) => accounts.factors.signInWithCode(await challenged(accounts), with_, false);
    await expect(enter(confirming)).rejects.toThrow('This code was used before');
    const next = code(1);
    const both = await Promise.allSettled([enter(next), enter(next)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(enter(next)).rejects.toThrow(UnauthenticatedError);
    await expect(accounts.factors.signInWithCode(new Headers(), next, false)).rejects.toThrow('has to begin again');
  });

  it('replace the sign-in of the browser they are given in, and leave it until then', async ({ accounts }) => {
    const { headers, code } = await withApp(accounts);
    const waiting = await challenged(accounts, headers);
    expect(await accounts.signedIn(headers)).not.toBeNull();
    const both = new Headers({ cookie: `${headers.get('cookie')}; ${waiting.get('cookie')}` });
    const { cookies } = await accounts.factors.signInWithCode(both, code(), false);
    expect(await accounts.signedIn(headers)).toBeNull();
    expect(await accounts.signIns(browser(cookies))).toMatchObject([{ isCurrent: true }]);
  });

  it('make a sign-in fresh again, each once', async ({ db, accounts }) => {
    const { headers, code } = await withApp(accounts);
    // As after a sign-in with a provider that does not say when it asked who it is.
    await db.write((tx) =>
      tx
        .update(signIns)
        .set({ authenticatedAt: new Date(0) })
        .run(),
    );
    expect(await accounts.signedIn(headers)).toMatchObject({ signedInAt: 0, enteredAt: expect.any(Number) });
    await expect(accounts.factors.confirmWithCode(headers, '000000')).rejects.toThrow(InvalidInputError);
    expect((await accounts.signedIn(headers))?.signedInAt).toBe(0);
    const before = Date.now();
    const right = code();
    await accounts.factors.confirmWithCode(headers, right);
    expect((await accounts.signedIn(headers))?.signedInAt).toBeGreaterThanOrEqual(before);
    await expect(accounts.factors.confirmWithCode(headers, right)).rejects.toThrow('used before');
  });

  it('have recovery codes, each for once', async ({ accounts }) => {
    const [first = '', second = ''] = (await withApp(accounts)).recoveryCodes;
    await accounts.factors.signInWithCode(await challenged(accounts), first, true);
    await expect(accounts.factors.signInWithCode(await challenged(accounts), first, true)).rejects.toThrow(
      UnauthenticatedError,
    );
    await accounts.factors.signInWithCode(await challenged(accounts), second, true);
  });

  it('are not guessed: after ten wrong ones the account takes none for a while', async ({ accounts }) => {
    const { code } = await withApp(accounts);
    for (let round = 0; round < 2; round += 1) {
      const waiting = await challenged(accounts);
      for (let guess = 0; guess < 5; guess += 1)
        await expect(accounts.factors.signInWithCode(waiting, '000000', false)).rejects.toThrow(UnauthenticatedError);
    }
    await expect(accounts.factors.signInWithCode(await challenged(accounts), code(), false)).rejects.toThrow(
      RateLimitedError,
    );
  });

  it('are useless for suspended users and after a change of the password', async ({ accounts }) => {
    const { code } = await withApp(accounts);
    const { people } = accounts;
    const id = firstId(await people.list());
    await people.create({ ...EDITH, email: 'olive@kiln.example' });
    const late = await challenged(accounts);
    await people.update(id, { password: 'a second kiln of mugs' });
    await expect(accounts.factors.signInWithCode(late, code(), false)).rejects.toThrow(UnauthenticatedError);
    await people.update(id, { password: PASSWORD });
    const waiting = await challenged(accounts);
    await people.update(id, { banned: true });
    await expect(accounts.factors.signInWithCode(waiting, code(), false)).rejects.toThrow(UnauthenticatedError);
  });

  it('are turned off with the password, and by an administrator for who has lost the app', async ({ accounts }) => {
    const { headers } = await withApp(accounts);
    await expect(accounts.factors.endTotp(headers, 'not the right one')).rejects.toThrow(InvalidInputError);
    const cookies = await accounts.factors.endTotp(headers, PASSWORD);
    expect(await accounts.factors.of(browser(cookies))).toMatchObject({ hasTotp: false });
    await withApp(accounts);
    const id = firstId(await accounts.people.list());
    await accounts.people.update(id, { secondFactor: 'remove' });
    expect((await accounts.signIn(EDITH.email, PASSWORD)).person).not.toBeNull();
  });

  it('go on working with another AUTH_SECRET, once they were sealed with it', async ({ db: database, accounts }) => {
    const { code } = await withApp(accounts);
    const current = `${SECRET}-the-next`;
    expect(await reencryptFactors(database, { current, former: ['another one'] })).toHaveLength(1);
    expect(await reencryptFactors(database, { current, former: [SECRET] })).toEqual([]);
    const onFault = (message: string) => expect.fail(message);
    const secrets = { current, former: [] };
    const later = createAccounts({ database, origin: 'https://cms.example', secrets, onFault });
    const { person } = await later.factors.signInWithCode(await challenged(later), code(), false);
    expect(person.email).toBe(EDITH.email);
    expect(await reencryptFactors(database, secrets)).toEqual([]);
  });
});
