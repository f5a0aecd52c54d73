import { expect } from 'vitest';
import { createAccounts } from '#server/auth/accounts';
import { OIDC_CLIENT, startOidcServer } from '#tests/peers/support/oidc-server';
import { cookieOf } from '#tests/support/accounts-server';
import { itWithDatabase } from '#tests/support/test-database';

const ORIGIN = 'http://cms.localhost:3000';
const PEOPLE = [
  { sub: 'newcomer', email: 'new@kiln.example', email_verified: true, name: 'Nina New', role: 'admin' },
  { sub: 'olive', email: 'olive@kiln.example', email_verified: true, name: 'O.' },
];

itWithDatabase(
  'a real provider makes an account with our role, and a sign-in afresh in place of the old one',
  async ({ db }) => {
    await using provider = await startOidcServer(ORIGIN, PEOPLE);
    const faults: unknown[] = [];
    const accounts = createAccounts({
      database: db,
      origin: ORIGIN,
      secrets: { current: 'only-for-tests-0123456789abcdefghijklmnop', former: [] },
      oidc: {
        issuer: provider.issuer,
        clientId: OIDC_CLIENT.client_id,
        clientSecret: OIDC_CLIENT.client_secret,
        name: 'The club',
        newRole: 'author',
      },
      onFault: (message, error) => faults.push(message, error),
    });
    const { people, oidc } = accounts;
    await people.createOwner(
      { name: 'Olive', email: 'olive@kiln.example', password: 'a kiln full of mugs' },
      (await people.offerOwner()) ?? '',
    );
    const enter = async (sub: string, former = '', isAfresh = false) => {
      const begun = await oidc!.begin(new Headers({ cookie: former }), '/account', isAfresh);
      const back = new URL(await provider.signIn(begun.url, sub));
      const cookie = [former, cookieOf({ headers: { 'set-cookie': [...begun.cookies] } })].filter(Boolean).join('; ');
      const done = await oidc!.finish(new Headers({ cookie }), Object.fromEntries(back.searchParams));
      return { ...done, cookie: cookieOf({ headers: { 'set-cookie': [...done.cookies] } }) };
    };
    const who = (cookie: string) => accounts.signedIn(new Headers({ cookie }));

    const newcomer = await enter('newcomer');
    expect([newcomer.location, faults]).toEqual([`${ORIGIN}/account`, []]);
    const [, made] = await people.list();
    expect(made).toMatchObject({ email: 'new@kiln.example', role: 'author', banned: false });

    const first = await enter('olive');
    expect((await who(first.cookie))?.name).toBe('Olive');
    const again = await enter('olive', first.cookie, true);
    expect([again.location, faults]).toEqual([`${ORIGIN}/account`, []]);
    expect(await who(first.cookie)).toBeNull();
    expect((await who(again.cookie))?.name).toBe('Olive');
  },
);
