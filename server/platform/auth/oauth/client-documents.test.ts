import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { Principal } from '#server/core/admin/access-rights';
import { AuthorizationServer } from '#server/platform/auth/oauth/authorization-server';
import { isDocumentAddress } from '#server/core/oauth/document-address';
import { ClientDocuments } from '#server/platform/auth/oauth/client-documents';
import { OAuthRepository } from '#server/platform/auth/oauth/oauth-repository';
import { users } from '#server/platform/database/schema/people';
import { createTestDatabase } from '#tests/support/test-database';

const ADDRESS = 'https://assistant.example/client.json';
const DOCUMENT = {
  client_id: ADDRESS,
  client_name: 'Assistant',
  redirect_uris: ['https://assistant.example/callback'],
  token_endpoint_auth_method: 'none',
};

it.each([
  [ADDRESS, true],
  ['https://assistant.example:8443/a/b', true],
  ['http://assistant.example/client.json', false],
  ['https://assistant.example', false],
  ['https://assistant.example/', false],
  ['https://assistant.example/a/../client.json', false],
  ['https://assistant.example/a/%2E%2e/client.json', false],
  ['https://assistant.example/client.json#a', false],
  ['https://assistant.example/client.json?a', false],
  ['https://user:word@assistant.example/client.json', false],
  ['https://ASSISTANT.example/client.json', false],
  ['https://assistant.example:443/client.json', false],
  [`https://assistant.example/${'a'.repeat(500)}`, false],
  ['tlc_1', false],
])('recognizes %s as the address of a document: %s', (id, expected) => {
  expect(isDocumentAddress(id)).toBe(expected);
});

/** Documents whose address is answered by `answer`, with the number of requests. */
function documentsWith(answer: () => Response) {
  const state = { requests: 0, now: 0 };
  const fetch = () => {
    state.requests += 1;
    return Promise.resolve(answer());
  };
  return { state, documents: new ClientDocuments({ now: () => state.now, fetch }) };
}

it('reads a client from its document, and keeps it for ten minutes', async () => {
  const { documents, state } = documentsWith(() => Response.json(DOCUMENT));
  const client = await documents.find(ADDRESS);
  expect(client).toEqual({ id: ADDRESS, name: 'Assistant', redirectUris: DOCUMENT.redirect_uris, createdAt: 0 });
  state.now = 599_999;
  await documents.find(ADDRESS);
  expect(state.requests).toBe(1);
  state.now = 600_000;
  await documents.find(ADDRESS);
  expect(state.requests).toBe(2);
});

it('leaves out redirect addresses that are not accepted here', async () => {
  const redirect_uris = ['unknown://callback', ...DOCUMENT.redirect_uris];
  const { documents } = documentsWith(() => Response.json({ ...DOCUMENT, redirect_uris }));
  expect((await documents.find(ADDRESS)).redirectUris).toEqual(DOCUMENT.redirect_uris);
});

it('asks a failing address once a minute, also for requests at the same time', async () => {
  const { documents, state } = documentsWith(() => new Response(null, { status: 500 }));
  const results = await Promise.allSettled([documents.find(ADDRESS), documents.find(ADDRESS)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  state.now = 59_999;
  await expect(documents.find(ADDRESS)).rejects.toThrow();
  expect(state.requests).toBe(1);
  state.now = 60_000;
  await expect(documents.find(ADDRESS)).rejects.toThrow();
  expect(state.requests).toBe(2);
});

it.each([
  ['another client', () => Response.json({ ...DOCUMENT, client_id: 'https://known.example/client.json' })],
  ['no client', () => Response.json({ ...DOCUMENT, client_id: undefined })],
  ['a client with a secret', () => Response.json({ ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' })],
  [
    'a redirect address that runs a script',
    () => Response.json({ ...DOCUMENT, redirect_uris: ['javascript:alert(1)'] }),
  ],
  ['no redirect address', () => Response.json({ ...DOCUMENT, redirect_uris: [] })],
  ['null', () => Response.json(null)],
  ['no JSON', () => new Response('<html>')],
  ['status 404', () => Response.json(DOCUMENT, { status: 404 })],
])('refuses a document with %s', async (_what, answer) => {
  await expect(documentsWith(answer).documents.find(ADDRESS)).rejects.toHaveProperty('error');
});

it('opens no connection to an internal address', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const documents = new ClientDocuments({ now: () => 0 });
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:7f00:1]', '0.0.0.0'])
    await expect(documents.find(`https://${host}:${port}/client.json`)).rejects.toHaveProperty(
      'error',
      'invalid_client',
    );
  for (const host of ['169.254.169.254', '10.0.0.1', '192.168.1.1', '[fd00::1]'])
    await expect(documents.find(`https://${host}/client.json`)).rejects.toHaveProperty('error', 'invalid_client');
  server.close();
  expect(connections).toBe(0);
});

it('connects a program by its document, and refreshes without the document', async () => {
  await using db = await createTestDatabase();
  const { documents, state } = documentsWith(() => Response.json(DOCUMENT));
  const now = () => state.now;
  const store = new OAuthRepository(db, now);
  const person: Principal = {
    kind: 'user',
    userId: 'usr_1',
    name: 'Ada',
    scopes: ['content:write'],
    keyId: null,
    sites: null,
  };
  const server = new AuthorizationServer({
    origin: 'https://cms.example',
    secret: 'a secret of this test, long enough',
    store,
    documents,
    keys: { findGrant: () => Promise.reject(new Error('unused')) },
    now,
    onFault: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  await db.write(async (tx) => {
    const at = new Date(0);
    await tx.insert(users).values({ id: 'usr_1', name: 'Ada', email: 'ada@b.example', role: 'editor', createdAt: at, updatedAt: at }); // oxfmt-ignore
  });
  const verifier = 'v'.repeat(43);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: ADDRESS,
    redirect_uri: 'https://assistant.example/callback',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const decision = { query, isAllowed: true, mayPublish: false };
  const { redirectTo } = await server.decide(person, decision);
  const exchange = (form: Record<string, string>) =>
    server.token(new URLSearchParams({ client_id: ADDRESS, ...form }), () => Promise.resolve());
  const code = new URL(redirectTo).searchParams.get('code') ?? '';
  const tokens = await exchange({ grant_type: 'authorization_code', code, code_verifier: verifier });
  expect(tokens.scope).toBe('content:read content:draft');
  await exchange({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  expect(state.requests).toBe(1);
});
