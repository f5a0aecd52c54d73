import { afterEach, expect, it } from 'vitest';
import { POST as sendCode } from '#app/api/auth/sign-in/code/route';
import { POST as sendPasskey } from '#app/api/auth/sign-in/passkey/route';
import { POST } from '#app/api/auth/sign-in/route';
import { BodyMemory } from '#server/core/body-memory';
import { ForbiddenError } from '#server/core/errors';
import { createAccounts } from '#server/platform/auth/accounts';
import { CLIENT_HEADER } from '#server/platform/auth/trusted-headers';
import { passkeys } from '#server/platform/database/schema/people';
import type { Handler } from '#server/http/route';
import { authenticatorApp } from '#tests/support/authenticator-app';
import { serveSignIn, stopSignIn } from '#tests/support/sign-in-services';
import { itWithDatabase } from '#tests/support/test-database';

afterEach(stopSignIn);

it('a sign-in that is refused because the account is suspended is in the audit log', async () => {
  const told: unknown[][] = [];
  serveSignIn({
    accounts: {
      origin: 'http://localhost',
      knownBrowser: async () => null,
      signIn: () => Promise.reject(new ForbiddenError('Suspended.')),
    },
    limits: {
      publicRequest: async () => undefined,
      publicBody: () => () => undefined,
      bodies: { open: () => new BodyMemory().open('203.0.113.5') },
      attempts: { take: async () => undefined },
    },
    audit: { record: async (...facts: unknown[]) => void told.push(facts) },
  });
  const request = new Request('http://localhost/api/auth/sign-in', {
    method: 'POST',
    headers: { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: 'gone@kiln.example', password: 'the right password' }),
  });
  const response = await POST(request, { params: Promise.resolve({}) });
  expect(response.status, await response.text()).toBe(403);
  expect(told).toMatchObject([
    [null, 'sign-in-failed', { actorName: 'gone@kiln.example', target: { code: 'audit-suspended' } }],
  ]);
});

itWithDatabase('strangers at the same address cannot block codes and passkeys of others', async ({ db }) => {
  const [origin, address, password] = ['http://localhost', '203.0.113.5', 'a kiln full of mugs'];
  const secrets = { current: 'only-for-tests-0123456789abcdefghijklmnop', former: [] };
  const accounts = createAccounts({ database: db, origin, secrets, onFault: (message) => expect.fail(message) });
  serveSignIn({ accounts });
  const send = async (handler: Handler, body: object, cookies: readonly string[] = []) => {
    const request = new Request(`${origin}/api/auth/sign-in`, {
      method: 'POST',
      headers: {
        host: 'localhost',
        origin,
        'sec-fetch-site': 'same-origin',
        [CLIENT_HEADER]: address,
        cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; '),
      },
      body: JSON.stringify(body),
    });
    return (await handler(request, { params: Promise.resolve({}) })).status;
  };
  const passkeyOf = (id: string) => ({ answer: { id, type: 'public-key', response: {} } });
  const edith = { name: 'Edith', email: 'edith@kiln.example', password, role: 'admin' } as const;
  const { id: userId } = await accounts.people.create(edith);
  const { cookies } = await accounts.signIn(edith.email, password);
  const signedIn = new Headers({ cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') });
  const { uri } = await accounts.factors.beginTotp(signedIn, password);
  const { code } = authenticatorApp(new URL(uri).searchParams.get('secret') ?? '');
  await accounts.factors.confirmTotp(signedIn, code());
  await db.write((tx) =>
    tx.insert(passkeys).values({
      id: 'psk_edith',
      userId,
      credentialID: 'credential_of_edith',
      publicKey: 'AAAA',
      counter: 0,
      deviceType: 'singleDevice',
      backedUp: false,
    }),
  );

  for (const [handler, body] of [
    [sendCode, { code: '000000' }],
    [sendPasskey, passkeyOf('unknown')],
  ] as const) {
    const statuses: number[] = [];
    for (let times = 0; times < 11; times += 1)
      statuses.push(await send(handler, body, ['throughline.two_factor=2fa-forged.signature']));
    expect(new Set(statuses)).toEqual(new Set([401]));
  }
  // Edith's passkey is checked, and her own wrong answers are limited.
  for (let times = 0; times < 10; times += 1)
    expect(await send(sendPasskey, passkeyOf('credential_of_edith'))).toBe(401);
  expect(await send(sendPasskey, passkeyOf('credential_of_edith'))).toBe(429);
  const challenge = async () => (await accounts.signIn(edith.email, password)).cookies;
  expect(await send(sendCode, { code: code(1) }, await challenge())).toBe(200);
});
