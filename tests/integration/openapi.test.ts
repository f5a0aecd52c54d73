import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '#server/core/json';
import { answersOf } from '#server/http/schemas/route-answer';
import type { ApiExample, ApiRoute } from '#server/http/openapi/openapi-document';
import { bytesBody } from '#server/http/read-body';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { answersFile, apiDocument, apiRoutes } from '#tests/support/api-document';
import { exampleWxr, ExampleWorld } from '#tests/support/example-world';
import { type FakeOpenRouter, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { shortened } from '#tests/support/shortened';
import { colouredPicture } from '#tests/support/pictures';

/** What cannot be run here, and why; everything else is. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'POST /api/content/start': 'needs an empty site (tests/integration/starter-kits.test.ts has one)',
  'POST /api/auth/owner': 'there is an owner already (tests/integration/accounts.test.ts makes one)',
  'POST /api/auth/sign-in/oidc': 'needs a provider (tests/peers/oidc.test.ts has one)',
  'POST /api/auth/sign-in/code': 'needs an app with codes (tests/e2e/accounts.spec.ts has one)',
  'POST /api/oauth/consent': 'needs a registered program (tests/integration/oauth.test.ts has one)',
  'POST /api/auth/sign-in/passkey': 'needs a device (tests/e2e/accounts.spec.ts has one)',
  'POST /api/auth/factors/passkeys': 'needs a device',
  'DELETE /api/auth/factors/passkeys/{id}': 'needs a device',
  'POST /api/auth/confirm': 'needs an app with codes',
  'DELETE /api/auth/factors/totp': 'needs an app with codes',
  'POST /api/auth/factors/totp/confirm': 'needs an app with codes',
  'POST /api/auth/forgotten': 'needs a mail server (tests/integration/invitations.test.ts has one)',
  'POST /api/auth/new-password': 'needs a link',
  'DELETE /api/auth/sign-ins/{id}': 'needs another browser',
  'DELETE /api/sessions/{id}/wishes/{wishId}': 'needs a wish that a model kept (kept-wishes.test.ts has one)',
  'POST /api/sessions/{id}/wishes/{wishId}/confirm': 'needs a wish that a model proposed',
  'DELETE /api/sessions/{id}/wishes/{wishId}/confirm': 'needs a wish that was confirmed',
  'POST /api/sessions/{id}/wishes/{wishId}/restore': 'needs a removed preference',
  'GET /api/backups/{id}': 'needs a copy (tests/integration/audited-changes.test.ts has one)',
  'POST /api/content/bring-back': 'needs a change that others came after (thread.test.ts has them)',
  'DELETE /api/content/{collection}/{ref}/preview-links/{link}':
    'needs a link (tests/integration/preview-links.test.ts has one)',
  'PATCH /api/content/{collection}/{ref}/comments/{comment}':
    'needs a comment (tests/integration/preview-links.test.ts has one)',
  'DELETE /api/content/{collection}/{ref}/comments/{comment}': 'needs a comment',
  'POST /api/content/media/from-address': 'needs a public address',
  'PUT /api/settings/providers/{id}': 'needs a provider (tests/integration/providers.test.ts has all of them)',
  'DELETE /api/settings/providers/{id}': 'needs a connected provider',
  'POST /api/settings/mcp-servers/{id}/sign-in':
    'needs a tool server (tests/integration/tool-server-sign-in.test.ts has one)',
  'POST /api/settings/mcp-servers/{id}/sign-in/answer': 'needs a tool server',
  'POST /api/settings/sites': 'needs a WordPress site (tests/integration/sites.test.ts has one)',
  'PATCH /api/settings/sites/{id}': 'needs a WordPress site',
  'DELETE /api/settings/sites/{id}': 'needs a WordPress site',
  'POST /api/settings/sites/{id}/pull': 'needs a WordPress site',
  'POST /api/settings/sites/test': 'needs a WordPress site',
};
/** `RECORD=1` writes what comes back into the file of examples. */
const isRecording = process.env['RECORD'] === '1';

let provider: FakeOpenRouter;
let server: AccountsServer;
let world: ExampleWorld;
const answers: Record<string, Record<string, JsonValue>> = {};

beforeAll(async () => {
  // A turn that another example needs to be running never gets its answer.
  provider = await startFakeOpenRouter({ respond: () => ({ hang: true }) });
  const env = {
    OPENROUTER_API_KEY: 'test',
    OPENROUTER_BASE_URL: provider.baseUrl,
    DEFAULT_MODEL: 'throughline/offline',
    OFFLINE_CHUNK_DELAY_MS: '0',
    REQUESTS_PER_MINUTE: '100000',
    TURNS_PER_MINUTE: '100000',
    RUNNING_TURNS: '1000',
  };
  server = await startAccountsServer({ seed: true, env });
  world = new ExampleWorld(server);
});
afterAll(async () => {
  if (isRecording) {
    const former = JSON.parse(readFileSync(answersFile, 'utf8')) as typeof answers;
    const byHand = Object.fromEntries(Object.entries(former).filter(([name]) => name in NOT_RUN));
    writeFileSync(answersFile, `${JSON.stringify({ ...byHand, ...answers }, null, 2)}\n`);
  }
  await server.stop();
  await provider.close();
});

async function bodyOf({ path, spec }: ApiRoute, body: JsonValue | undefined): Promise<unknown> {
  if (spec.body !== bytesBody) return body;
  if (path.includes('imports')) return exampleWxr;
  return path.includes('attachments') ? Buffer.from('Ask about the kiln.') : await colouredPicture('#4a6fa5');
}

function addressOf(path: string, { params = {}, query = {} }: ApiExample): string {
  const address = Object.entries(params).reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
  const search = new URLSearchParams(query).toString();
  return search === '' ? address : `${address}?${search}`;
}

/** The head of what a stream sends; streams of events do not end by themselves. */
async function openStream(method: string, path: string, body: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { origin: server.origin, cookie: server.people.owner.cookie },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: '' };
}

async function send(method: string, path: string, body: unknown) {
  // Who runs all the others stays signed in.
  const person = path.startsWith('/api/auth/sign-') && method === 'POST' ? server.people.other : server.people.owner;
  const { status, headers, text } = await server.ask(person, { method, path, body });
  return { status, type: headers['content-type'] ?? '', text };
}

const runnable = apiRoutes.filter(({ method, path }) => !(`${method} ${path}` in NOT_RUN));

describe('the example of', () => {
  it.each(runnable.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
    '$name',
    async ({ name, route }) => {
      const { method, path, spec, example = {} } = route;
      const filled = await world.fill(example);
      const address = addressOf(path, filled);
      const body = await bodyOf(route, filled.body);
      const isEndless = path.endsWith('/events');
      const answer = await (isEndless ? openStream : send)(method, address, body);
      const expected = answersOf(spec.answer);
      const told = `${method} ${address}: ${answer.status} ${answer.text.slice(0, 500)}`;
      expect([...expected.keys()], told).toContain(answer.status);

      const kinds = expected.get(answer.status) ?? [];
      const schema = kinds.find((kind) => kind instanceof z.ZodType);
      if (schema && answer.type.includes('json')) {
        const value = JSON.parse(answer.text) as JsonValue;
        expect(schema.safeParse(value).error, told).toBeUndefined();
        answers[name] = { [answer.status]: shortened(value) };
      } else if (kinds.includes(null)) {
        expect(answer.text, told).toBe('');
      } else {
        const types = kinds.flatMap((kind) => (kind && 'contentType' in kind ? [kind.contentType] : []));
        const isOneOf = types.some((type) => answer.type.startsWith(type.replace('*/*', '').replace('/*', '/')));
        expect(isOneOf, `${told} ${answer.type}`).toBe(true);
      }
    },
  );
});

it('runs all but a few, and says why', () => {
  const names = apiRoutes.map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(NOT_RUN).filter((name) => !names.includes(name))).toEqual([]);
  expect(runnable.length).toBeGreaterThan(100);
});

describe('GET /api/openapi.json', () => {
  const path = '/api/openapi.json';

  it('gives the document of these routes to everybody, and not twice', async () => {
    const answer = await server.ask(null, { method: 'GET', path });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify(apiDocument)));
    const { etag = '' } = answer.headers;
    const again = await server.ask(null, { method: 'GET', path, headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('/docs/api', () => {
  it('shows every operation to everybody', async () => {
    const pages = await Promise.all(
      apiDocument.tags.map(({ name }) => server.ask(null, { method: 'GET', path: `/docs/api/${name.toLowerCase()}` })),
    );
    const html = pages.map(({ text }) => text).join('\n');
    const ids = Object.values(apiDocument.paths).flatMap((methods) =>
      Object.values(methods).map((each) => each.operationId),
    );
    expect(ids.filter((id) => !html.includes(`<section id="${id}"`))).toEqual([]);
  });
});
