import { afterEach, expect, vi } from 'vitest';
import { createAccounts } from '#server/platform/auth/accounts';
import { OIDC_CLIENT, type OidcBrowser, startOidcServer } from '#tests/peers/support/oidc-server';
import { cookieOf } from '#tests/support/accounts-server';
import type { Database } from '#server/platform/database/database';
import { itWithDatabase } from '#tests/support/test-database';

const ORIGIN = 'http://cms.localhost:3000';
const PEOPLE = [
  { sub: 'newcomer', email: 'new@kiln.example', email_verified: true, name: 'Nina New', role: 'admin' },
  { sub: 'olive', email: 'olive@kiln.example', email_verified: true, name: 'O.' },
];

afterEach(() => vi.useRealTimers());

const HOUR_MS = 60 * 60_000;

itWithDatabase('counts a sign-in from when the provider asked who it is, whatever we asked for', async ({ db }) => {
  await using provider = await startOidcServer(ORIGIN, PEOPLE);
  const { accounts, faults } = await startSignIn(db, { issuer: provider.issuer });
  /** @param cut parameters to remove from the provider's address */
  const enter = async (browser: OidcBrowser, { isAfresh = false, cut = [] as readonly string[] } = {}) => {
    const begun = await accounts.oidc!.begin(new Headers(), '/account', isAfresh);
    const url = new URL(begun.url);
    for (const name of cut) url.searchParams.delete(name);
    const back = new URL(await provider.signIn(url.href, 'olive', browser));
    const cookie = cookieOf({ headers: { 'set-cookie': [...begun.cookies] } });
    const done = await accounts.oidc!.finish(new Headers({ cookie }), Object.fromEntries(back.searchParams));
    return accounts.signedIn(new Headers({ cookie: cookieOf({ headers: { 'set-cookie': [...done.cookies] } }) }));
  };
  const now = Date.now();
  const browser: OidcBrowser = new Map();
  vi.useFakeTimers({ toFake: ['Date'], now: now - HOUR_MS });
  const earlier = await enter(browser);
  expect(Math.abs((earlier?.signedInAt ?? 0) - (now - HOUR_MS))).toBeLessThan(60_000);
  vi.useRealTimers();

  // The ordinary button, and a request for a fresh sign-in without its parameters: the provider requests no password.
  const again = await enter(browser);
  const cut = await enter(browser, { isAfresh: true, cut: ['prompt', 'max_age'] });
  expect(again?.signedInAt).toBe(earlier?.signedInAt);
  expect(again?.enteredAt).toBeUndefined();
  // Without max_age this provider does not say when it asked.
  expect(cut?.signedInAt).toBe(0);
  expect(cut?.enteredAt).toBeGreaterThanOrEqual(now);
  const fresh = await enter(browser, { isAfresh: true });
  expect(fresh?.signedInAt).toBeGreaterThanOrEqual(now - 2_000);
  expect(faults).toEqual([]);
});

/** Accounts with a provider, and sign-ins of a browser. */
async function startSignIn(db: Database, oidc: { readonly issuer: string; readonly clientSecret?: string }) {
  const faults: unknown[] = [];
  const accounts = createAccounts({
    database: db,
    origin: ORIGIN,
    secrets: { current: 'only-for-tests-0123456789abcdefghijklmnop', former: [] },
    oidc: {
      clientId: OIDC_CLIENT.client_id,
      clientSecret: OIDC_CLIENT.client_secret,
      name: 'The club',
      newRole: 'author',
      ...oidc,
    },
    onFault: (_message, error) => faults.push(error),
  });
  await accounts.people.createOwner(
    { name: 'Olive', email: 'olive@kiln.example', password: 'a kiln full of mugs' },
    (await accounts.people.offerOwner()) ?? '',
  );
  const begin = async () => {
    const { url, cookies } = await accounts.oidc!.begin(new Headers(), '/account', false);
    return { url, cookie: cookieOf({ headers: { 'set-cookie': [...cookies] } }) };
  };
  const finish = async (cookie: string, back: string, changes: Record<string, string> = {}) => {
    const query = { ...Object.fromEntries(new URL(back).searchParams), ...changes };
    const { principal, refusal, location } = await accounts.oidc!.finish(new Headers({ cookie }), query);
    return { name: principal?.name, refusal, location };
  };
  return { accounts, begin, finish, faults };
}

const refusedFor = (cause: string, email: string | null = null) => ({
  name: undefined,
  refusal: { cause, email },
  location: `/login?next=%2Faccount&error=${cause}`,
});

itWithDatabase('tells a changed code and a provider that is down apart', async ({ db }) => {
  await using provider = await startOidcServer(ORIGIN, PEOPLE);
  const { begin, finish, faults } = await startSignIn(db, { issuer: provider.issuer });
  const changed = await begin();
  expect(await finish(changed.cookie, await provider.signIn(changed.url, 'olive'), { code: 'another' })).toEqual(
    refusedFor('code_refused'),
  );
  const late = await begin();
  const back = await provider.signIn(late.url, 'olive');
  await provider[Symbol.asyncDispose]();
  expect(await finish(late.cookie, back)).toEqual(refusedFor('provider_unreachable'));
  for (const fault of faults) expect(fault).toBeInstanceOf(Error);
  expect(faults.map(String).join()).toMatch(/refuses the code.*connection was refused/);
});

itWithDatabase('names a wrong client secret', async ({ db }) => {
  await using provider = await startOidcServer(ORIGIN, PEOPLE);
  const { begin, finish, faults } = await startSignIn(db, { issuer: provider.issuer, clientSecret: 'another secret' });
  const { url, cookie } = await begin();
  expect(await finish(cookie, await provider.signIn(url, 'olive'))).toEqual(refusedFor('client_refused'));
  expect(faults.map(String)).toEqual([expect.stringContaining('OIDC_CLIENT_SECRET (invalid_client)')]);
});

itWithDatabase('finishes the sign-in of each of two tabs, whichever comes back first', async ({ db }) => {
  await using provider = await startOidcServer(ORIGIN, PEOPLE);
  const { begin, finish } = await startSignIn(db, { issuer: provider.issuer });
  const [first, second] = [await begin(), await begin()];
  const cookie = `${first.cookie}; ${second.cookie}`;
  expect((await finish(cookie, await provider.signIn(first.url, 'olive'))).name).toBe('Olive');
  expect((await finish(cookie, await provider.signIn(second.url, 'olive'))).name).toBe('Olive');
  // The answer of one tab is still refused in another browser.
  const third = await begin();
  expect((await finish(second.cookie, await provider.signIn(third.url, 'olive'))).name).toBeUndefined();
});

itWithDatabase('refuses an issuer whose document names another one', async ({ db }) => {
  await using provider = await startOidcServer(ORIGIN, PEOPLE);
  // The same provider by another name of this machine: its document names 127.0.0.1.
  const { begin, faults } = await startSignIn(db, { issuer: provider.issuer.replace('127.0.0.1', 'localhost') });
  await expect(begin()).rejects.toMatchObject({ code: 'site_unavailable' });
  expect(faults.map(String)).toEqual([expect.stringContaining(`names ${provider.issuer}`)]);
});

itWithDatabase(
  'refuses unverified email addresses, also of linked people; new people become authors',
  async ({ db }) => {
    const people = PEOPLE.map((person) => ({ ...person }));
    await using provider = await startOidcServer(ORIGIN, people);
    const { accounts, begin, finish } = await startSignIn(db, { issuer: provider.issuer });
    const enter = async (sub: string) => {
      const { url, cookie } = await begin();
      return finish(cookie, await provider.signIn(url, sub));
    };
    expect((await enter('olive')).name).toBe('Olive');
    for (const person of people) person.email_verified = false;
    expect(await enter('olive')).toEqual(refusedFor('email_not_verified', 'olive@kiln.example'));
    expect(await enter('newcomer')).toEqual(refusedFor('email_not_verified', 'new@kiln.example'));
    for (const person of people) person.email_verified = true;
    await enter('newcomer');
    expect((await accounts.people.list())[1]).toMatchObject({ email: 'new@kiln.example', role: 'author' });
  },
);
