import { createClient } from '@libsql/client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { isDeep } from '#tests/support/deep';
import { malformedRequests } from '#tests/support/malformed-mcp';
import { newClient, newTokens, type OAuthWorld, startOAuthWorld } from '#tests/support/oauth-world';
import { callRoute, stopServing } from '#tests/support/routes';

/** 1,500 in `npm run test:deep`. */
const REQUESTS = isDeep ? 1_500 : 300;
const SEED = 49;

let world: OAuthWorld;
beforeAll(async () => {
  // The time of the last use of a token is stored by the minute.
  vi.useFakeTimers({ toFake: ['Date'] });
  world = await startOAuthWorld();
});
afterAll(async () => {
  vi.useRealTimers();
  await stopServing();
});

/** All that is stored, except what every refused request may leave: counters and the audit log. */
async function stored(): Promise<Record<string, unknown>> {
  const database = createClient({ url: world.services.env.DATABASE_URL });
  const { rows } = await database.execute("SELECT name FROM sqlite_master WHERE type = 'table'");
  const all = rows.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  const names = all.filter((name) => !/limit|audit|lease|_fts|search/.test(name));
  const tables = await Promise.all(
    names.map(async (name) => [name, (await database.execute(`SELECT * FROM "${name}"`)).rows] as const),
  );
  database.close();
  return JSON.parse(JSON.stringify(Object.fromEntries(tables))) as Record<string, unknown>;
}

it(`answers ${REQUESTS} malformed requests to /mcp and /oauth without a fault or a stored change`, async () => {
  const { editor } = world.people;
  const { access_token } = await newTokens(editor, await newClient(), { mayPublish: true });
  const faults: string[] = [];
  const requests = malformedRequests(REQUESTS, SEED);
  const send = async ({ method, path, body, headers = {} }: (typeof requests)[number], index: number) => {
    const own = path === '/api/oauth/consent' ? editor.headers : { authorization: `Bearer ${access_token}` };
    const sender = { 'x-throughline-client': `10.0.${index >> 8}.${index & 255}` };
    const accept = { accept: 'application/json, text/event-stream' };
    const answer = await callRoute(method, path, { body, headers: { ...accept, ...sender, ...own, ...headers } });
    const text = await answer.text();
    if (answer.status >= 500 || /\bat .*\.ts:\d/.test(text))
      faults.push(`${index} ${path} ${answer.status}: ${text.slice(0, 200)} for ${String(body).slice(0, 200)}`);
  };
  // The first uses of a token and a person are noted.
  for (const [index, request] of requests.slice(0, 20).entries()) await send(request, index);
  const before = await stored();
  for (const [index, request] of requests.entries()) await send(request, index);
  expect(faults).toEqual([]);
  expect(await stored()).toEqual(before);
});
