import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_KEYS } from '#server/platform/auth/store/api-key-repository';
import { ACCESS } from '#tests/support/access-table';
import { callRoute, stopServing } from '#tests/support/routes';
import {
  attemptOf,
  callMcp,
  consent,
  exchange,
  newClient,
  newCode,
  newTokens,
  type OAuthWorld,
  ORIGIN,
  REDIRECT,
  register,
  sendForm,
  startOAuthWorld,
} from '#tests/support/oauth-world';

/* What an attacker tries. Each returns whether it succeeded: then it got a code, a token, or an answer with one. */

let world: OAuthWorld;
let clientId: string;
let otherClientId: string;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
  world = await startOAuthWorld();
  clientId = await newClient();
  otherClientId = await newClient({ client_name: 'Other', redirect_uris: [REDIRECT] });
  // An unused client would be deleted while these tests change the time.
  await newTokens(world.people.editor, otherClientId);
});
afterAll(async () => {
  vi.useRealTimers();
  await stopServing();
});

// No attack may fail only because its person has too many connections.
beforeEach(async () => {
  for (const { id } of await world.services.keys.list(null)) await world.services.keys.revoke(id, null);
});

/** Runs something when this time has passed; milliseconds. */
async function later<T>(ms: number, run: () => Promise<T>): Promise<T> {
  vi.setSystemTime(Date.now() + ms);
  try {
    return await run();
  } finally {
    vi.setSystemTime(Date.now() - ms);
  }
}

type Attack = readonly [name: string, run: () => Promise<boolean>];

const isOk = ({ status }: { readonly status: number }) => status < 400;
const getsCode = async (query: Record<string, string> | string) => isOk(await consent(world.people.editor, query));
const getsToken = async (form: Record<string, string> | string) => isOk(await sendForm('/oauth/token', form));

/** A request of a client that registered these addresses, which names another one. */
function redirects(registered: readonly string[], requested: readonly string[]): Attack[] {
  return requested.map((redirect_uri) => [
    `redirect ${redirect_uri}, registered ${registered[0]}`,
    async () => getsCode(attemptOf(await newClient({ redirect_uris: registered }), { redirect_uri }).query),
  ]);
}

const WRONG_REDIRECTS = [
  ...redirects(
    [REDIRECT],
    [
      `${REDIRECT}/`,
      `${REDIRECT}/more`,
      `${REDIRECT}?more=1`,
      `${REDIRECT}#`,
      `${REDIRECT}#part`,
      'https://assistant.example/callbac',
      'https://assistant.example/Callback',
      'https://assistant.example/x/../callback',
      'https://assistant.example:8443/callback',
      'https://assistant.example:443/callback',
      'http://assistant.example/callback',
      'https://assistant.example.evil.example/callback',
      'https://evil.example/callback',
      'https://evil.example/?https://assistant.example/callback',
      'https://user@assistant.example/callback',
      'https://assistant.example@evil.example/callback',
      'https://assistant.example\\@evil.example/callback',
      'https://assistant.example%2eevil.example/callback',
      '//assistant.example/callback',
      'HTTPS://assistant.example/callback',
      'javascript:alert(1)//https://assistant.example/callback',
      '',
    ],
  ),
  ...redirects(
    ['http://127.0.0.1/back'],
    [
      ...'http://127.0.0.1:8080/other http://localhost/back http://[::1]/back http://127.0.0.2/back'.split(' '),
      ...'https://127.0.0.1/back http://127.0.0.1:80@evil.example/back'.split(' '),
      ...'http://127.0.0.1.evil.example/back http://127.0.0.1:8080/back#part http://2130706433/back'.split(' '),
    ],
  ),
  ...redirects(
    ['cursor://app/back'],
    ['cursor://app/back?to=1', 'cursor://app/other', 'cursor://app:80/back', 'vscode://app/back'],
  ),
];

const MANY_FIELDS = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`more${index}`, '1']));
const MANY_RESOURCES = `&resource=${encodeURIComponent(`${ORIGIN}/mcp`)}`.repeat(51);

const WRONG_REQUESTS: Attack[] = Object.entries<Record<string, string>>({
  'no client': { client_id: '' },
  'an unknown client': { client_id: 'tlc_unknown' },
  'a client described at an internal address': { client_id: 'https://127.0.0.1/client.json' },
  'a client described by the metadata of a cloud': { client_id: 'https://169.254.169.254/latest/meta-data' },
  'the implicit flow': { response_type: 'token' },
  'a hybrid flow': { response_type: 'code token' },
  'no response type': { response_type: '' },
  'the fragment as response mode': { response_mode: 'fragment' },
  'plain PKCE': { code_challenge_method: 'plain' },
  'PKCE without method': { code_challenge_method: '' },
  'PKCE without challenge': { code_challenge: '' },
  'a challenge that is too short': { code_challenge: 'abc' },
  'a challenge with other characters': { code_challenge: `${'a'.repeat(42)}=` },
  'a foreign resource': { resource: 'https://evil.example/mcp' },
  'the API as resource': { resource: `${ORIGIN}/api` },
  'a resource below ours': { resource: `${ORIGIN}/mcp/../api` },
  'a resource with a user name': { resource: 'http://evil@localhost/mcp' },
  'the scope admin alone': { scope: 'admin' },
  'the scope chat alone': { scope: 'chat' },
  'a request object': { request: 'eyJhbGciOiJub25lIn0..' },
  'a request by address': { request_uri: 'http://169.254.169.254/' },
  'a state that is too long': { state: 'x'.repeat(2_001) },
  'more than 50 parameters': MANY_FIELDS,
}).map(([name, more]) => [`authorize: ${name}`, () => getsCode(attemptOf(clientId, more).query)]);

const REPEATED: Attack[] = ['client_id', 'redirect_uri', 'code_challenge', 'scope', 'state', 'response_type'].map(
  (name) => [
    `authorize: ${name} twice`,
    () => {
      const { query } = attemptOf(clientId, { scope: 'content:read' });
      return getsCode(`${new URLSearchParams(query).toString()}&${name}=${encodeURIComponent(query[name] ?? '')}`);
    },
  ],
);

/** Its callers and origins are in authorization.test.ts. */
const CONSENTS: Attack[] = [
  [
    'publishing beyond the role',
    async () => isOk(await consent(world.people.author, attemptOf(clientId).query, { mayPublish: true })),
  ],
  [
    'publishing that the client did not ask for',
    async () => {
      const { query } = attemptOf(clientId, { scope: 'content:draft' });
      return isOk(await consent(world.people.editor, query, { mayPublish: true }));
    },
  ],
  [
    'consent with an old sign-in',
    async () => {
      const person = await world.add('Stella', 'editor');
      return later(31 * 60_000, async () => {
        expect(isOk(await consent(person, attemptOf(clientId).query, { isAllowed: false }))).toBe(true);
        return isOk(await consent(person, attemptOf(clientId).query));
      });
    },
  ],
  [
    'consent on the page of another person',
    async () => {
      const { id } = world.people.other;
      const { status } = await consent({ ...world.people.editor, id }, attemptOf(clientId).query);
      expect(status).toBe(409);
      return isOk({ status });
    },
  ],
];

/** A valid exchange of a code with these changes. */
function changed(name: string, change: (form: Record<string, string>) => Record<string, string>): Attack {
  return [`token: ${name}`, async () => getsToken(change(await newCode(world.people.editor, clientId)))];
}
const without = (form: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(form).filter(([field]) => field !== name));

const EXCHANGES: Attack[] = [
  changed('a wrong verifier', (form) => ({ ...form, code_verifier: 'a'.repeat(43) })),
  changed('no verifier', (form) => without(form, 'code_verifier')),
  changed('the challenge as verifier', (form) => ({
    ...form,
    code_verifier: createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url'),
  })),
  changed('a verifier with more', (form) => ({ ...form, code_verifier: `${form['code_verifier']}a` })),
  changed('the client id of another', (form) => ({ ...form, client_id: otherClientId })),
  changed('an unknown client', (form) => ({ ...form, client_id: 'tlc_unknown' })),
  changed('no client', (form) => without(form, 'client_id')),
  changed('another redirect', (form) => ({ ...form, redirect_uri: 'https://evil.example/' })),
  changed('a foreign resource', (form) => ({ ...form, resource: 'https://evil.example/mcp' })),
  changed('an unknown code', (form) => ({ ...form, code: 'tlx_unknown' })),
  changed('no code', (form) => without(form, 'code')),
  changed('a code as refresh token', (form) => ({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: form['code'] ?? '',
  })),
  changed('the password grant', (form) => ({ ...form, grant_type: 'password' })),
  changed('the credentials of a client', (form) => ({ ...form, grant_type: 'client_credentials' })),
  changed('no grant type', (form) => without(form, 'grant_type')),
  changed('more than 50 fields', (form) => ({ ...form, ...MANY_FIELDS })),
  [
    'token: more than 50 resources',
    async () => {
      const form = await newCode(world.people.editor, clientId);
      return getsToken(`${new URLSearchParams(form).toString()}${MANY_RESOURCES}`);
    },
  ],
  [
    'token: a code twice in one form',
    async () => {
      const form = new URLSearchParams(await newCode(world.people.editor, clientId)).toString();
      return getsToken(`${form}&code=other`);
    },
  ],
  [
    'token: a code that failed once, with the right verifier',
    async () => {
      const form = await newCode(world.people.editor, clientId);
      await sendForm('/oauth/token', { ...form, code_verifier: 'b'.repeat(43) });
      return getsToken(form);
    },
  ],
  [
    'token: more connections than a person may have, by codes that wait',
    async () => {
      const forms: Record<string, string>[] = [];
      for (let made = 0; made < MAX_KEYS + 1; made += 1) forms.push(await newCode(world.people.editor, clientId));
      for (const form of forms.slice(1)) await exchange(form);
      return getsToken(forms[0]!);
    },
  ],
  [
    'token: a code after a minute',
    async () => {
      const form = await newCode(world.people.editor, clientId);
      return later(61_000, async () => getsToken(form));
    },
  ],
  [
    'token: a used code',
    async () => {
      const form = await newCode(world.people.editor, clientId);
      await exchange(form);
      return getsToken(form);
    },
  ],
  [
    'token: the tokens of a code that was used twice',
    async () => {
      const form = await newCode(world.people.editor, clientId);
      const { access_token, refresh_token } = await exchange(form);
      await sendForm('/oauth/token', form);
      const refreshed = await getsToken({ grant_type: 'refresh_token', client_id: clientId, refresh_token });
      return refreshed || isOk(await callMcp(access_token));
    },
  ],
  [
    'token: two exchanges of one code at the same time',
    async () => {
      const form = await newCode(world.people.editor, clientId);
      const answers = await Promise.all([1, 2, 3, 4].map(() => sendForm('/oauth/token', form)));
      const tokens = answers.filter(isOk).map(({ json }) => (json as { access_token: string }).access_token);
      const working = await Promise.all(tokens.map((token) => callMcp(token)));
      return tokens.length > 1 || working.some(isOk);
    },
  ],
  [
    'token: a code of a person who was suspended',
    async () => {
      const person = await world.add('Uwe', 'editor');
      const form = await newCode(person, clientId);
      await world.services.accounts!.people.update(person.id, { banned: true });
      return getsToken(form);
    },
  ],
];

/** Time in which a used refresh token may be presented again. */
const REPEAT_MS = 10_000;

const refreshForm = (refresh_token: string, client_id = clientId) => ({
  grant_type: 'refresh_token',
  refresh_token,
  client_id,
});

const TOKENS: Attack[] = [
  [
    'refresh: by another client',
    async () => getsToken(refreshForm((await newTokens(world.people.editor, clientId)).refresh_token, otherClientId)),
  ],
  [
    'refresh: with an access token',
    async () => getsToken(refreshForm((await newTokens(world.people.editor, clientId)).access_token)),
  ],
  [
    'refresh: for a foreign resource',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      return getsToken({ ...refreshForm(refresh_token), resource: 'https://evil.example/mcp' });
    },
  ],
  [
    'refresh: a used token in the eleventh second',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      const next = await exchange(refreshForm(refresh_token));
      return later(REPEAT_MS + 1_000, async () => {
        const repeated = await getsToken(refreshForm(refresh_token));
        return repeated || (await getsToken(refreshForm(next.refresh_token))) || isOk(await callMcp(next.access_token));
      });
    },
  ],
  [
    'refresh: a token that was just used, after its successor was used',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      const next = await exchange(refreshForm(refresh_token));
      const newest = await exchange(refreshForm(next.refresh_token));
      const repeated = await getsToken(refreshForm(refresh_token));
      return repeated || (await getsToken(refreshForm(newest.refresh_token))) || isOk(await callMcp(next.access_token));
    },
  ],
  [
    'refresh: a token that was just used, by another client',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      await exchange(refreshForm(refresh_token));
      return getsToken(refreshForm(refresh_token, otherClientId));
    },
  ],
  [
    'refresh: a token that was just used, after the connection was revoked',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      await exchange(refreshForm(refresh_token));
      for (const { id } of await world.services.keys.list(world.people.editor.id))
        await world.services.keys.revoke(id, null);
      return getsToken(refreshForm(refresh_token));
    },
  ],
  [
    'refresh: the newest token after the reuse of one that was used long ago',
    async () => {
      const first = await newTokens(world.people.editor, clientId);
      let newest = first;
      for (let days = 1; days <= 120; days += 1)
        newest = await later(days * 86_400_000, () => exchange(refreshForm(newest.refresh_token)));
      return later(120 * 86_400_000, async () => {
        await sendForm('/oauth/token', refreshForm(first.refresh_token));
        return (await getsToken(refreshForm(newest.refresh_token))) || isOk(await callMcp(newest.access_token));
      });
    },
  ],
  [
    'refresh: with an invented token of the same family',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      return getsToken(refreshForm(`${refresh_token.split('.')[0]}.${'a'.repeat(43)}`));
    },
  ],
  [
    'refresh: twice at the same time',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      const [owner, thief] = await Promise.all([1, 2].map(() => exchange(refreshForm(refresh_token))));
      // Both got the same token, so that only one of them can use it next.
      const next = await exchange(refreshForm(owner!.refresh_token));
      return later(REPEAT_MS + 1_000, async () => {
        const used = await getsToken(refreshForm(thief!.refresh_token));
        return used || (await getsToken(refreshForm(next.refresh_token))) || isOk(await callMcp(thief!.access_token));
      });
    },
  ],
  [
    'refresh: after 31 days',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      return later(31 * 86_400_000, async () => getsToken(refreshForm(refresh_token)));
    },
  ],
  [
    'refresh: more scopes than agreed',
    async () => {
      const { refresh_token } = await newTokens(world.people.editor, clientId);
      const form = { ...refreshForm(refresh_token), scope: 'content:write' };
      const { scope } = await exchange(form).catch(() => ({ scope: '' }));
      return scope.includes('content:write');
    },
  ],
  [
    'access: after an hour',
    async () => {
      const { access_token } = await newTokens(world.people.editor, clientId);
      return later(3_601_000, async () => isOk(await callMcp(access_token)));
    },
  ],
  [
    'access: with a refresh token',
    async () => isOk(await callMcp((await newTokens(world.people.editor, clientId)).refresh_token)),
  ],
  [
    'access: with a code',
    async () => isOk(await callMcp((await newCode(world.people.editor, clientId))['code'] ?? '')),
  ],
  [
    'access: with the id of the grant',
    async () => {
      await newTokens(world.people.editor, clientId);
      const [grant] = await world.services.keys.list(world.people.editor.id);
      const tries = [grant!.id, `tl_${grant!.id}`, `oauth ${grant!.id}`, `tla_${grant!.id}`];
      return (await Promise.all(tries.map((token) => callMcp(token)))).some(isOk);
    },
  ],
  [
    'access: of a suspended person',
    async () => {
      const person = await world.add('Bruno', 'editor');
      const { access_token, refresh_token } = await newTokens(person, clientId);
      await world.services.accounts!.people.update(person.id, { banned: true });
      return isOk(await callMcp(access_token)) || (await getsToken(refreshForm(refresh_token)));
    },
  ],
  [
    'access: of a deleted person',
    async () => {
      const person = await world.add('Dora', 'editor');
      const { access_token, refresh_token } = await newTokens(person, clientId);
      await world.services.accounts!.people.remove(person.id);
      return isOk(await callMcp(access_token)) || (await getsToken(refreshForm(refresh_token)));
    },
  ],
  [
    'access: to publish, by a person who became an author',
    async () => {
      const person = await world.add('Nina', 'editor');
      const { access_token } = await newTokens(person, clientId, { mayPublish: true });
      expect((await world.services.oauth!.principalOf(access_token)).scopes).toContain('content:write');
      await world.services.accounts!.people.update(person.id, { role: 'author' });
      return (await world.services.oauth!.principalOf(access_token)).scopes.includes('content:write');
    },
  ],
  [
    'revoke: by another client',
    async () => {
      const { access_token, refresh_token } = await newTokens(world.people.editor, clientId);
      await sendForm('/oauth/revoke', { token: refresh_token, client_id: otherClientId });
      return !isOk(await callMcp(access_token));
    },
  ],
  [
    'access: in the query',
    async () => {
      const { access_token } = await newTokens(world.people.editor, clientId);
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      return isOk(await callRoute('POST', `/mcp?access_token=${access_token}`, { body }));
    },
  ],
  [
    'access: from a page elsewhere',
    async () => {
      const { access_token } = await newTokens(world.people.editor, clientId);
      const headers = { authorization: `Bearer ${access_token}`, origin: 'https://evil.example' };
      return isOk(await callRoute('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers }));
    },
  ],
];

const REGISTRATIONS: Attack[] = [
  ...[
    ...'javascript:alert(1) JavaScript:alert(1) data:text/html,x vbscript:x file:///etc/passwd'.split(' '),
    ...'blob:https://a.example/x about:blank view-source:https://a.example ms-msdt:/id'.split(' '),
    ...'x-apple.systempreferences:com.apple.preference microsoft.windows.camera:/back'.split(' '),
    ...'com.apple.tv:/back com.example.app:/back?to=1 cursor://app/back? search-ms:query=x'.split(' '),
    ...'intent://a#Intent;end mailto:a@b.example ftp://a.example/ ws://a.example/'.split(' '),
    ...'http://a.example/ http://localhost.evil.example/ http://127.0.0.1@evil.example/'.split(' '),
    ...'http://0.0.0.0/ https://user:word@a.example/ https://@a.example/ https://a.example/#part'.split(' '),
    ...'https:a.example https:///a.example /relative'.split(' '),
    'https://a.example/ x',
    'https://a.example/\t',
    'https://a.example\\@evil.example/',
    '',
    `https://a.example/${'x'.repeat(2_000)}`,
  ].map((uri): Attack => [`register: ${uri.slice(0, 60)}`, async () => isOk(await register({ redirect_uris: [uri] }))]),
  ...[
    null,
    [],
    'text',
    {},
    { redirect_uris: [] },
    { redirect_uris: 'https://a.example/' },
    { redirect_uris: [7] },
    { redirect_uris: Array.from({ length: 11 }, (_, index) => `https://a.example/${index}`) },
    { redirect_uris: [REDIRECT, 'javascript:alert(1)'] },
    { redirect_uris: [REDIRECT], grant_types: ['client_credentials'] },
    { redirect_uris: [REDIRECT], response_types: ['token'] },
    { redirect_uris: [REDIRECT], client_name: { toString: 'x' } },
    { redirect_uris: [REDIRECT], client_name: 'x'.repeat(1_001) },
    { redirect_uris: [REDIRECT], more: 'x'.repeat(16_000) },
    { redirect_uris: [REDIRECT], more: Array.from({ length: 600 }, () => 1) },
    '{"redirect_uris": ["https://a.example/"]',
  ].map((metadata): Attack => [
    `register: ${JSON.stringify(metadata).slice(0, 60)}`,
    async () => isOk(await register(metadata)),
  ]),
];

/** Every route of the API that needs a right. */
const ELSEWHERE = Object.entries(ACCESS).filter(
  ([name, { needs }]) => needs !== 'public' && / \/(api|v1)\//.test(name),
);

const groups = {
  WRONG_REDIRECTS,
  WRONG_REQUESTS,
  REPEATED,
  CONSENTS,
  EXCHANGES,
  TOKENS,
  REGISTRATIONS,
};

it('what is attacked works as long as nothing is changed', async () => {
  const { access_token, refresh_token } = await newTokens(world.people.editor, clientId, { mayPublish: true });
  expect(await callMcp(access_token)).toMatchObject({ status: 200 });
  expect((await exchange(refreshForm(refresh_token))).scope).toContain('content:write');
});

describe.each(Object.entries(groups))('%s: no attack succeeds', (_, attacks) => {
  it.each(attacks)('%s', async (_name, run) => {
    expect(await run()).toBe(false);
  });
});

it('a token of OAuth opens no route but /mcp', async () => {
  const { access_token } = await newTokens(world.people.admin, clientId, { mayPublish: true });
  const params = { id: 'ses_01h0000000000000000000000a', collection: 'pages', ref: 'home', path: ['nowhere'] };
  for (const [name, row] of ELSEWHERE) {
    const [method = '', path = ''] = name.split(' ');
    for (const headers of [{ authorization: `Bearer ${access_token}` }, { 'x-api-key': access_token }]) {
      const answer = await callRoute(method, path, { params, headers, ...(row.body && { body: row.body }) });
      await answer.body?.cancel();
      expect(answer.status, name).toBe(401);
    }
  }
});

it('limits registrations from one address, and removes clients without a connection', async () => {
  const flood = async () => {
    const headers = { 'content-type': 'application/json', 'x-throughline-client': '203.0.113.9' };
    const { status } = await callRoute('POST', '/oauth/register', { body: { redirect_uris: [REDIRECT] }, headers });
    return status;
  };
  const statuses: number[] = [];
  for (let sent = 0; sent < 32; sent += 1) statuses.push(await flood());
  expect(statuses.slice(0, 30).every((status) => status === 201)).toBe(true);
  expect(statuses.slice(30)).toEqual([429, 429]);

  const unused = await newClient();
  const used = await newClient();
  await newTokens(world.people.editor, used);
  await later(31 * 86_400_000, async () => {
    await newClient();
    const find = (id: string) => world.services.oauth!.readRequest(new URLSearchParams(attemptOf(id).query).toString());
    await vi.waitFor(async () => expect(await find(unused)).toMatchObject({ client: null }));
    expect(await find(used)).toMatchObject({ client: { id: used } });
  });
});
