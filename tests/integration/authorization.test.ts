import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allows, type Role, type Scope, scopes, scopesOfRole } from '#server/core/admin/access-rights';
import { versionListSchema } from '#server/core/site/site-lists';
import { ACCESS, aboutThings, type AccessRow, PAGES, things } from '#tests/support/access-table';
import { type AccountsServer, signIn, startAccountsServer } from '#tests/support/accounts-server';
import { documentedStatuses } from '#tests/support/api-document';
import { findAllRoutes, findPages } from '#tests/support/api-routes';
import { type DatabaseReader, readDatabase } from '#tests/support/database-fingerprint';
import { openThings, SECRET_TITLE, type ThingMaker, type Things } from '#tests/support/editors-things';
import { REFUSALS } from '#tests/support/refusals';
import { sendRequest } from '#tests/support/rest-client';

/** A caller of the API. */
interface Caller {
  readonly headers: Readonly<Record<string, string>>;
  /** Null: an unknown caller. */
  readonly kind: 'person' | 'key' | null;
  readonly scopes: readonly Scope[];
  /** The things that are asked for are theirs. */
  readonly isOwner: boolean;
  /** They signed in a while ago. */
  readonly isStale?: true;
}

const callerNames = [
  'nobody',
  'an editor',
  'the editor whose it is',
  'an administrator',
  'an administrator who signed in a while ago',
  'an author',
  'a key of an author who was an editor',
  ...scopes.map((scope) => `a key for ${scope}` as const),
  'a revoked key',
  'an expired key',
] as const;
type CallerName = (typeof callerNames)[number];

const rows = Object.entries(ACCESS).map(([name, row]) => ({ name, row, method: name.split(' ')[0] ?? '' }));
const guarded = rows.filter(({ row }) => row.needs !== 'public');
const changing = rows.filter(({ method }) => method !== 'GET');
/** Things that an error message may call missing. */
const NAMES_OF_THINGS = new Set(['session', 'waiting message', 'attachment', 'API key', 'call request', 'response']);

let server: AccountsServer;
let database: DatabaseReader;
let maker: ThingMaker;
let callers: Record<CallerName, Caller>;

const keySchema = z.object({ key: z.string(), apiKey: z.object({ id: z.string() }) });

/**
 * Changes of an administrator that every sign-in may make: one reads a connected site again; the other ends a sign-in to a
 * tool server that the same person began with a fresh sign-in, in the same browser and at most ten minutes ago.
 */
const NEEDS_NO_FRESH_SIGN_IN: readonly string[] = [
  'POST /api/settings/sites/[id]/pull',
  'POST /api/settings/mcp-servers/[id]/sign-in/answer',
];

it('asks for a fresh sign-in before every change that only an administrator may make', () => {
  const open = Object.entries(ACCESS).filter(
    ([name, { needs, isFresh }]) =>
      (needs === 'admin' || needs === 'administrator') && !name.startsWith('GET ') && isFresh !== true,
  );
  // The days that messages of visitors are kept are no privilege.
  expect(open.map(([name]) => name).toSorted()).toEqual(
    [...NEEDS_NO_FRESH_SIGN_IN, 'PATCH /api/submissions/overview'].toSorted(),
  );
});

beforeAll(async () => {
  const plenty = { REQUESTS_PER_MINUTE: '100000', TURNS_PER_MINUTE: '100000', RUNNING_TURNS: '1000' };
  server = await startAccountsServer({ seed: true, env: { ...plenty, OFFLINE_CHUNK_DELAY_MS: '0' } });
  database = await readDatabase(server.databaseFile);
  maker = await openThings(server.databaseFile);
  const { origin } = server;
  const { editor, other, admin, author } = server.people;
  const newKey = async (person: { readonly cookie: string }, granted: readonly Scope[]) => {
    const body = { name: `For ${granted.join(', ')}`, scopes: granted };
    const answer = await server.ask(person, { method: 'POST', path: '/api/keys', body });
    return keySchema.parse(answer.json());
  };
  const withKey = async (scope: Scope, isEditors = scope !== 'admin'): Promise<Caller> => {
    const { key } = await newKey(isEditors ? editor : admin, [scope]);
    return { headers: { authorization: `Bearer ${key}` }, kind: 'key', scopes: [scope], isOwner: isEditors };
  };
  const dead = async (kill: (id: string) => Promise<unknown>): Promise<Caller> => {
    const { key, apiKey } = await newKey(admin, scopes);
    await kill(apiKey.id);
    return { headers: { authorization: `Bearer ${key}` }, kind: null, scopes: [], isOwner: false };
  };
  const person = (cookie: string, held: readonly Scope[], isOwner = false): Caller => ({
    headers: { cookie, origin },
    kind: 'person',
    scopes: held,
    isOwner,
  });
  const staleCookie = async () => {
    const cookie = await signIn(server.url, origin, admin.email);
    await maker.signedInEarlier(admin.id);
    return cookie;
  };
  /** Made with the right to the whole site, before its owner lost that. */
  const formerKey = async (): Promise<Caller> => {
    const role = (is: Role) =>
      server.ask(admin, { method: 'PATCH', path: `/api/users/${author.id}`, body: { role: is } });
    await role('editor');
    const { key } = await newKey(author, ['chat', 'content:write']);
    await role('author');
    return {
      headers: { authorization: `Bearer ${key}` },
      kind: 'key',
      scopes: ['chat', 'content:draft'],
      isOwner: false,
    };
  };
  callers = {
    nobody: { headers: { origin }, kind: null, scopes: [], isOwner: false },
    'an editor': person(other.cookie, scopesOfRole.editor),
    'the editor whose it is': person(editor.cookie, scopesOfRole.editor, true),
    'an administrator': person(admin.cookie, scopesOfRole.admin),
    'an administrator who signed in a while ago': { ...person(await staleCookie(), scopesOfRole.admin), isStale: true },
    'an author': person(author.cookie, scopesOfRole.author),
    'a key of an author who was an editor': await formerKey(),
    'a key for chat': await withKey('chat'),
    'a key for content:read': await withKey('content:read'),
    'a key for content:draft': await withKey('content:draft'),
    'a key for content:write': await withKey('content:write'),
    'a key for admin': await withKey('admin'),
    'a revoked key': await dead((id) => server.ask(admin, { method: 'DELETE', path: `/api/keys/${id}` })),
    'an expired key': await dead((id) => maker.expire(id)),
  };
});
afterAll(async () => {
  database[Symbol.dispose]();
  maker[Symbol.dispose]();
  await server.stop();
});

/** Of these callers, those that may do less than each other one of their kind. */
function weakestOf(names: readonly CallerName[]): readonly CallerName[] {
  const rightsOf = ({ scopes: held }: Caller) => new Set(scopes.filter((scope) => allows(held, scope)));
  return names.filter((name) => {
    const { kind, isOwner } = callers[name];
    return !names.some((other) => {
      const [weaker, rights] = [rightsOf(callers[other]), rightsOf(callers[name])];
      const isAlike = callers[other].kind === kind && callers[other].isOwner === isOwner;
      return isAlike && weaker.size < rights.size && [...weaker].every((right) => rights.has(right));
    });
  });
}

/** What the table says; null: it is let in. */
function refusalOf(
  { needs, reach, isFresh }: AccessRow,
  { kind, scopes: held, isOwner, isStale }: Caller,
): 401 | 403 | 404 | null {
  if (needs === 'public') return null;
  if (kind === null) return 401;
  if (kind === 'key' && (needs === 'person' || needs === 'editor' || needs === 'administrator')) return 403;
  const scope = needs === 'administrator' ? 'admin' : needs === 'editor' ? 'content:write' : needs;
  if (scope !== 'person' && scope !== 'signed-in' && !allows(held, scope)) return 403;
  if (isFresh && isStale) return 403;
  const isTheirs = reach === undefined || isOwner || (reach === 'any' && allows(held, 'admin'));
  return isTheirs ? null : 404;
}

interface Answer {
  readonly status: number;
  /** What the error message calls missing. */
  readonly missing: string;
}

/** A request that is right in everything, with the things that it is about. */
async function send(name: string, headers: Readonly<Record<string, string>>, about: Things): Promise<Answer> {
  const [method = ''] = name.split(' ');
  const row = ACCESS[name]!;
  const refusal = REFUSALS[name];
  const path = row.path ?? refusal?.path;
  if (path === undefined) throw new Error(`${name} has no request in the table of access nor in that of refusals.`);
  const body = refusal?.wrongBytes === undefined ? (row.body ?? refusal?.body) : 'Words';
  const answer = await sendRequest(server.url, {
    method,
    path: filled(path, about),
    headers,
    ...(body !== undefined && { body: filled(typeof body === 'string' ? body : JSON.stringify(body), about) }),
    leavesStreams: true,
  });
  const documented = documentedStatuses(method, path);
  if (documented) expect(documented, `${name}: ${answer.status}`).toContain(answer.status);
  return { status: answer.status, missing: answer.status === 404 ? missingOf(answer.text) : '' };
}

function filled(text: string, about: Things): string {
  return things.reduce((said, thing) => said.replaceAll(`{${thing}}`, about[thing]), aboutThings(text));
}

function missingOf(text: string): string {
  const shape = z.object({
    error: z.object({ message: z.string(), details: z.object({ what: z.string() }).optional() }),
  });
  const error = shape.safeParse(text.startsWith('{') ? JSON.parse(text) : null).data?.error;
  // The formats of other APIs have no details.
  return error?.details?.what ?? /^There is no (\w+) "/.exec(error?.message ?? '')?.[1] ?? '';
}

/** Everything that is stored, but when a key was last used and how long a sign-in lasts. */
async function stored(): Promise<Record<string, string>> {
  const { api_keys: _keys, sign_ins: _signIns, ...rest } = await database.fingerprint();
  return rest;
}

/** Things that nothing may happen to while these tests run, and what is stored. */
function untouched(ownerOf: () => string) {
  let [about, before]: [Things | null, Record<string, string>] = [null, {}];
  return {
    async things(): Promise<Things> {
      if (about) return about;
      about = await maker.make(ownerOf());
      before = await stored();
      return about;
    },
    async check(): Promise<void> {
      const now = await stored();
      const former = before;
      // What one test has done is not put down to the next.
      before = now;
      expect(now).toEqual(former);
      expect(await maker.isRevoked(about?.key ?? '')).toBe(false);
    },
  };
}

it('every route and every page has a row here', () => {
  expect(Object.keys(ACCESS).toSorted()).toEqual(findAllRoutes().toSorted());
  expect(Object.keys(PAGES).toSorted()).toEqual(findPages().toSorted());
});

describe('is refused, and changes nothing:', () => {
  const kept = untouched(() => server.people.editor.id);

  it.each(guarded)('$name', async ({ name, row }) => {
    const about = await kept.things();
    const refused = callerNames.filter((caller) => refusalOf(row, callers[caller]) !== null);
    const expected = refused.map((caller) => ({ caller, status: refusalOf(row, callers[caller]) }));
    const answers = await Promise.all(
      refused.map(async (caller) => ({ caller, ...(await send(name, callers[caller].headers, about)) })),
    );
    expect(answers.map(({ caller, status }) => ({ caller, status }))).toEqual(expected);
    // A request for another user's thing gets the same answer as for a missing one.
    const hidden = answers.filter(({ status }) => status === 404);
    expect(hidden.map(({ missing }) => NAMES_OF_THINGS.has(missing))).toEqual(hidden.map(() => true));
    await kept.check();
  });
});

describe('permits the weakest of those that the table lets in:', () => {
  it.each(rows)('$name', async ({ name, row }) => {
    const isPublic = row.needs === 'public';
    const admitted = weakestOf(callerNames.filter((caller) => refusalOf(row, callers[caller]) === null));
    for (const caller of isPublic ? (['nobody'] as const) : admitted) {
      const { status, missing } = await send(name, callers[caller].headers, await maker.make(server.people.editor.id));
      const told = `${caller}: ${status} ${missing}`;
      expect(status, told).toBeLessThan(500);
      if (isPublic) continue;
      expect([401, 403], told).not.toContain(status);
      expect(NAMES_OF_THINGS.has(missing), told).toBe(false);
    }
  });
});

it('reading changes nothing but the audit log', async () => {
  const kept = untouched(() => server.people.editor.id);
  const about = await kept.things();
  const read = async (wanted: (row: AccessRow) => boolean) => {
    for (const { name } of rows.filter(({ method, row }) => method === 'GET' && wanted(row)))
      for (const caller of ['the editor whose it is', 'an administrator'] as const)
        await send(name, callers[caller].headers, about);
  };
  // An administrator who reads the conversation of another person leaves an audit entry at the first read.
  const { audit_entries: _none, ...untold } = await stored();
  await read(({ isAudited }) => !isAudited);
  const { audit_entries: before, ...former } = await stored();
  expect(former).toEqual(untold);
  await read(({ isAudited = false }) => isAudited);
  const { audit_entries: told, ...now } = await stored();
  expect(now).toEqual(former);
  expect(told).not.toBe(before);
});

describe('users with draft rights change nothing that visitors would notice, by any request:', () => {
  const [own, others] = [() => server.people.author.id, () => server.people.editor.id];
  const drafters = [
    { caller: 'an author', ownerOf: own },
    { caller: 'a key of an author who was an editor', ownerOf: own },
    { caller: 'a key for content:draft', ownerOf: others },
  ] as const;
  const asked = changing.filter(({ row }) => row.needs !== 'public');
  const rowsOf = ({ caller, ownerOf }: (typeof drafters)[number]) =>
    asked.map(({ name }) => ({ name, caller, ownerOf }));

  it.each(drafters.flatMap(rowsOf))('$name by $caller', async ({ name, caller, ownerOf }) => {
    const before = await database.noticed();
    await send(name, callers[caller].headers, await maker.make(ownerOf()));
    const { assets, ...now } = await database.noticed();
    expect(now).toEqual({ entries: before.entries, documents: before.documents, redirects: before.redirects });
    // One that is new is shown nowhere yet.
    expect(assets).toEqual(expect.arrayContaining([...before.assets]));
  });
});

describe('a page elsewhere can make a browser change nothing:', () => {
  const elsewhere: Readonly<Record<string, Record<string, string>>> = {
    // One of each kind; same-origin.test.ts has the others.
    'another origin': { origin: 'https://evil.example' },
    'another site': { 'sec-fetch-site': 'cross-site' },
    'no word of where it comes from': {},
  };

  const kept = untouched(() => server.people.admin.id);

  it.each(changing)('$name', async ({ name, row }) => {
    const about = await kept.things();
    const { cookie = '' } = callers['an administrator'].headers;
    const froms = Object.entries(elsewhere);
    const answers = await Promise.all(
      froms.map(async ([from, headers]) => {
        const { status } = await send(name, { cookie, ...headers }, about);
        return { from, status };
      }),
    );
    expect(answers).toEqual(froms.map(([from]) => ({ from, status: row.isForAll ? (row.statusForAll ?? 404) : 403 })));
    await kept.check();
  });
});

describe('ownership', () => {
  const named = z.object({
    items: z.array(z.looseObject({ origin: z.looseObject({ userName: z.string().optional() }) })),
  });
  const owned = z.object({ items: z.array(z.object({ ownerName: z.string().nullable() })) });
  const ask = async (caller: CallerName, path: string) =>
    (await sendRequest(server.url, { method: 'GET', path, headers: callers[caller].headers })).json();

  it('is in the journal: who changed the site, by a key or a browser', async () => {
    for (const caller of ['an editor', 'a key for content:write'] as const) {
      const { headers } = callers[caller];
      const body = { title: `Made by ${caller}` };
      await sendRequest(server.url, { method: 'POST', path: '/api/content/pages', body, headers });
    }
    const { items } = named.parse(await ask('an administrator', '/api/content/changes?limit=2'));
    expect(items.map(({ origin }) => origin.userName)).toEqual(['Edith Editor', 'Otto Other']);
    const versions = versionListSchema.parse(await ask('an editor', '/api/content/pages/made-by-an-editor/versions'));
    expect(versions.items.map(({ userName }) => userName)).toEqual(['Otto Other']);
  });

  it('is shown to administrators, who see all conversations; others list their own', async () => {
    const { session } = await maker.make(server.people.editor.id);
    const { items } = owned.parse(await ask('an administrator', '/api/admin/sessions?limit=1'));
    expect(items).toEqual([{ ownerName: 'Edith Editor' }]);
    const listed = async (caller: CallerName) => JSON.stringify(await ask(caller, '/api/sessions?limit=200'));
    expect(await listed('the editor whose it is')).toContain(session);
    for (const caller of ['an editor', 'an administrator'] as const)
      expect(await listed(caller)).not.toContain(session);
  });
});

describe('pages', () => {
  const people = ['nobody', 'an author', 'an editor', 'an administrator'] as const;
  const views: Readonly<Record<string, Record<string, string>>> = { page: { accept: 'text/html' }, data: { rsc: '1' } };

  it.each(Object.entries(PAGES))('%s', async (page, { needs, path = page }) => {
    const about = await maker.make(server.people.editor.id);
    for (const caller of needs === 'public' ? people.slice(0, 1) : people) {
      const { kind, scopes: held, headers } = callers[caller];
      const isIn = needs === 'public' || (kind !== null && allows(held, needs));
      const { cookie } = headers;
      for (const [view, accept] of Object.entries(views)) {
        if (isIn && view === 'data') continue;
        const answer = await sendRequest(server.url, {
          method: 'GET',
          path: filled(path, about),
          headers: { ...accept, ...(cookie !== undefined && { cookie }) },
        });
        const told = `${caller}, ${view}: ${answer.status}`;
        if (isIn) expect(answer.status, told).toBeLessThan(400);
        else expect(answer.text, told).not.toContain(SECRET_TITLE);
        if (isIn || view === 'data') continue;
        if (kind === null) expect(answer.headers.location, told).toMatch(/^(?:http:\/\/[^/]+)?\/login\b/);
        else expect(answer.status, told).toBe(403);
      }
    }
  });
});
