import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { batchResultSchema } from '#server/core/site/bulk/batches';
import { replacementSchema } from '#server/core/site/bulk/replacements';
import { type AccountsServer, type SignedIn, startAccountsServer } from '#tests/support/accounts-server';

let server: AccountsServer;
const entryAnswer = z.object({ entry: z.object({ id: z.string() }) });
const storedEntry = z.object({
  status: z.string(),
  draft: z.object({
    tags: z.array(z.string()).optional(),
    author: z.string().optional(),
    parent: z.string().optional(),
  }),
});

beforeAll(async () => {
  server = await startAccountsServer({ seed: true });
});
afterAll(async () => server.stop());

const post = (person: SignedIn, path: string, body: object) => server.ask(person, { method: 'POST', path, body });

async function createPage(title: string): Promise<string> {
  const made = await post(server.people.editor, '/api/content/pages', { title });
  return entryAnswer.parse(made.json()).entry.id;
}

async function batch(person: SignedIn, body: object) {
  const answer = await post(person, '/api/content/batch', body);
  expect(answer.status, answer.text).toBe(200);
  return batchResultSchema.parse(answer.json()).items;
}

async function read(id: string) {
  const answer = await server.ask(server.people.editor, { method: 'GET', path: `/api/content/pages/${id}` });
  return answer.status === 200 ? storedEntry.parse(answer.json()) : null;
}

it('publishes several pages, reports each refusal by itself, and takes all of it back as one', async () => {
  const { editor } = server.people;
  const ids = [await createPage('Batch one'), await createPage('Batch two')];
  const published = await batch(editor, { action: 'publish', ids: [ids[0], 'pag_nowhere', ids[1]] });
  expect(published).toMatchObject([
    { id: ids[0], title: 'Batch one', outcome: 'done', change: { action: 'publish' }, error: null },
    { id: 'pag_nowhere', title: null, outcome: 'refused', change: null, error: { code: 'not_found' } },
    { id: ids[1], outcome: 'done' },
  ]);
  const again = await batch(editor, { action: 'publish', ids });
  expect(again.map(({ outcome, change }) => [outcome, change])).toEqual([
    ['unchanged', null],
    ['unchanged', null],
  ]);

  const tagged = await batch(editor, { action: 'tag', ids, add: ['Winter'], remove: [] });
  expect(await read(ids[1]!)).toMatchObject({ status: 'changed', draft: { tags: ['Winter'] } });
  const authored = await batch(editor, { action: 'author', ids, author: 'Mara' });
  const moved = await batch(editor, { action: 'move', ids, parent: ids[0] });
  expect(moved.map(({ outcome }) => outcome)).toEqual(['refused', 'done']);
  expect(await read(ids[1]!)).toMatchObject({ draft: { author: 'Mara', parent: ids[0] } });
  const top = await batch(editor, { action: 'move', ids, parent: null });
  expect(top.map(({ outcome }) => outcome)).toEqual(['unchanged', 'done']);
  const trashed = await batch(editor, { action: 'trash', ids });
  expect(await read(ids[0]!)).toBeNull();

  for (const items of [trashed, top, moved, authored, tagged, published]) {
    const changeIds = items.flatMap(({ change }) => change?.id ?? []);
    expect((await post(editor, '/api/content/undo', { changeIds })).status).toBe(200);
  }
  for (const id of ids) expect(await read(id)).toEqual({ status: 'draft', draft: {} });
});

it('refuses an author what visitors would see, and lets the author tag', async () => {
  const { author } = server.people;
  const ids = [await createPage('Of an editor')];
  for (const action of ['publish', 'trash'])
    expect(await batch(author, { action, ids })).toMatchObject([
      { outcome: 'refused', error: { code: 'forbidden', reason: { code: 'drafts-only' } } },
    ]);
  expect(await batch(author, { action: 'tag', ids, add: ['winter'] })).toMatchObject([{ outcome: 'done' }]);
  expect(await read(ids[0]!)).toMatchObject({ status: 'draft', draft: { tags: ['winter'] } });
  expect((await server.ask(null, { method: 'POST', path: '/api/content/batch', body: {} })).status).toBe(401);
});

it('lists every place of a text, replaces it in the chosen entries, and undoes it as one', async () => {
  const { author } = server.people;
  const ids = [await createPage('Kiln days'), await createPage('Kiln nights'), await createPage('Kilns')];
  const body = { find: 'Kiln', replace: 'Oven', wholeWords: true };
  const ask = async (query: string, request: object, status = 200) => {
    const answer = await post(author, `/api/content/replace${query}`, request);
    expect(answer.status, answer.text).toBe(status);
    return status === 200 ? replacementSchema.parse(answer.json()) : null;
  };
  const preview = await ask('?dryRun=1', { ...body, entries: ids.map((id) => ({ id })) });
  expect(preview).toMatchObject({
    total: 2,
    changes: [],
    entries: [
      {
        id: ids[0],
        places: [{ where: 'title', count: 1, occurrences: [{ before: 'Kiln days', after: 'Oven days' }] }],
        refusal: null,
      },
      { id: ids[1], places: [{ where: 'title' }] },
    ],
  });
  await ask('', body, 400);

  const path = `/api/content/pages/${ids[1]}`;
  await server.ask(author, { method: 'PATCH', path, body: { title: 'Kiln evenings' } });
  const entries = (preview?.entries ?? []).map(({ id, revision }) => ({ id, revision }));
  const replaced = await ask('', { ...body, entries });
  expect(replaced).toMatchObject({
    entries: [{ refusal: null }, { id: ids[1], refusal: { reason: { code: 'changed-since-preview' } } }],
    changes: [{ targetId: ids[0], title: 'Oven days' }],
  });
  const undone = await post(author, '/api/content/undo', { changeId: replaced?.changes[0]?.id });
  expect(undone.status).toBe(200);
  expect(await ask('?dryRun=1', { ...body, entries: [{ id: ids[0] }] })).toMatchObject({ total: 1 });
});

it('cancels the schedule of an unpublished page taken offline, and refuses a missing entry', async () => {
  const { editor } = server.people;
  const id = await createPage('Coming soon');
  const path = `/api/content/pages/${id}`;
  const planned = await post(editor, `${path}/schedule`, { publishAt: Date.now() + 3_600_000 });
  expect(planned.status, planned.text).toBe(200);
  expect(await batch(editor, { action: 'unpublish', ids: [id] })).toMatchObject([
    { outcome: 'done', change: { action: 'schedule' } },
  ]);
  expect(await batch(editor, { action: 'unpublish', ids: [id] })).toMatchObject([{ outcome: 'unchanged' }]);

  const body = { find: 'soon', replace: 'now', entries: [{ id: 'pag_nowhere' }, { id }] };
  const replaced = replacementSchema.parse((await post(editor, '/api/content/replace', body)).json());
  expect(replaced).toMatchObject({ entries: [{ id: 'pag_nowhere', refusal: {} }, { refusal: null }], total: 1 });
  expect(replaced.changes.map(({ targetId }) => targetId)).toEqual([id]);
});
