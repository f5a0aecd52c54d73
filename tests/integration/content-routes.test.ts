import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryChangeSchema } from '#server/core/site/changes';
import type { JsonValue } from '#server/core/json';
import {
  entryListSchema,
  issueListSchema,
  scheduledPageSchema,
  redirectListSchema,
  referenceListSchema,
} from '#server/core/site/site-lists';
import { typeDetailSchema, typeListSchema } from '#server/core/site/type-descriptions';
import type { Services } from '#server/services';
import { startTestServices } from '#tests/support/test-services';
import { callRoute, serve, stopServing } from '#tests/support/routes';

let server: Services;

beforeAll(async () => {
  server = await serve(startTestServices());
});

afterAll(stopServing);

async function call(method: string, path: string, body?: JsonValue) {
  const response = await callRoute(method, `/api/content/${path}`, { body });
  return { status: response.status, body: await response.json() };
}

describe('/api/content', () => {
  it('creates, changes, publishes, trashes and restores an entry', async () => {
    const made = await call('POST', 'pages', {
      title: 'Pricing',
      sections: [{ type: 'hero', fields: { heading: 'Prices' } }, { type: 'posts-list' }],
    });
    expect(made).toMatchObject({
      status: 201,
      body: { entry: { draft: { slug: 'pricing' } }, change: { origin: { actor: 'api' } } },
    });
    const { id, draft } = made.body.entry;

    const changed = await call('PATCH', 'pages/pricing', {
      title: 'Prices',
      excerpt: 'All of them.',
      operations: [
        { op: 'insert-section', section: { type: 'faq' }, index: 1 },
        { op: 'set-section', sectionId: draft.sections[0].id, fields: { heading: 'Fair prices' } },
      ],
      ifRevision: 1,
    });
    expect(changed.body.entry).toMatchObject({ revision: 2, draft: { title: 'Prices', excerpt: 'All of them.' } });
    expect(changed.body.entry.draft.sections.map(({ type }: { type: string }) => type)).toEqual([
      'hero',
      'faq',
      'posts-list',
    ]);
    expect((await call('PATCH', 'pages/pricing', { title: 'Old', ifRevision: 1 })).status).toBe(409);

    expect((await call('POST', 'pages/pricing/publish')).body.entry.status).toBe('published');
    expect((await call('POST', 'pages/pricing/unpublish')).body.entry.status).toBe('draft');
    expect((await call('GET', `pages/${id}`)).body.revision).toBe(4);
    expect((await call('GET', 'pages?limit=1')).body).toMatchObject({ total: 1, items: [{ id, sectionCount: 3 }] });
    expect((await call('GET', 'posts')).body).toEqual({ items: [], total: 0, nextCursor: null });

    expect((await call('POST', 'pages/pricing/restore', { revision: 1 })).body.entry.draft).toEqual(draft);
    const removed = await call('DELETE', 'pages/pricing');
    expect((await call('GET', 'pages/pricing')).status).toBe(404);
    const { items } = (await call('GET', `pages/${id}/revisions`)).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'delete',
      'update',
      'unpublish',
      'publish',
      'update',
      'create',
    ]);
    expect((await call('POST', 'undo', { changeId: removed.body.change.id })).body.change.action).toBe('undo');
    expect((await call('GET', 'pages/Pricing')).status).toBe(200);
    await call('DELETE', `pages/${id}`);
    expect((await call('POST', `pages/${id}/restore`, { revision: 2 })).body.entry.draft.title).toBe('Prices');
  });

  it('a revision that was read is one that a write can ask for, as HTTP says it', async () => {
    const { id } = (await call('POST', 'pages', { title: 'Opening hours' })).body.entry;
    const address = `/api/content/pages/${id}`;
    const read = async (path: string) => (await callRoute('GET', path)).headers.get('etag');
    const write = async (ifMatch: string, path = address, method = 'PATCH', body: unknown = { excerpt: ifMatch }) => {
      const answer = await callRoute(method, path, { body, headers: { 'if-match': ifMatch } });
      return { status: answer.status, error: (await answer.json()).error };
    };
    const first = (await read(address)) ?? '';
    expect(first).toBe('"1"');
    expect((await write(first)).status).toBe(200);
    expect(await write(first)).toMatchObject({
      status: 412,
      error: { code: 'stale_revision', details: { revision: 2 } },
    });
    // The revision is the named one: what the write replaces is not what it expected.
    const expects = [{ sectionId: null, field: 'title', value: 'Closed' }];
    expect(await write('"2"', address, 'PATCH', { title: 'Hours', expects })).toMatchObject({
      status: 409,
      error: { code: 'conflict', details: { revision: 2, changed: [{ field: 'title', value: 'Opening hours' }] } },
    });
    expect((await write('W/"2"')).status).toBe(200);
    expect((await write('*')).status).toBe(200);
    for (const wrong of ['4', '"four"', '"4", "5"', '']) expect((await write(wrong)).status, wrong).toBe(400);
    expect((await write('"4"', `${address}?ifRevision=4`)).status).toBe(400);
    expect(await read(address)).toBe('"4"');
    expect((await write('"4"', '/api/content/pages', 'POST', { title: 'New' })).error.message).toBe(
      'This request cannot go by a revision: send it without If-Match.',
    );

    const settings = '/api/content/settings';
    const before = (await read(settings)) ?? '';
    const named = { siteName: 'Studio' };
    expect((await write(before, settings, 'PATCH', named)).status).toBe(200);
    expect((await write(before, settings, 'PATCH', named)).status).toBe(412);
    for (const path of ['navigation', 'standing-instructions'])
      expect(await read(`/api/content/${path}`)).toMatch(/^"\d+"$/);
  });

  it('reports path, references and problems of an entry, and redirects from its old path', async () => {
    const parent = (await call('POST', 'pages', { title: 'Studio', excerpt: 'Ours.' })).body.entry.id;
    const child = await call('POST', 'pages', {
      title: 'Kiln',
      parent,
      tags: ['fire', 'Clay'],
      seo: { title: 'The kiln', noIndex: true },
      sections: [{ type: 'text', fields: { body: 'See [us](/studio?x=1#top) and [nothing](/nowhere).' } }],
    });
    expect(child.body.entry.draft).toMatchObject({ parent, seo: { title: 'The kiln', noIndex: true } });
    const { id } = child.body.entry;
    expect((await call('GET', 'pages/kiln')).body).toMatchObject({
      path: '/studio/kiln',
      publishedPath: null,
      previewUrl: '/preview/studio/kiln',
      editUrl: null,
    });
    expect(entryListSchema.parse((await call('GET', `pages?parent=${parent}&select=tags,seo`)).body)).toMatchObject({
      total: 1,
      items: [{ id, path: '/studio/kiln', parent, selected: { tags: ['fire', 'Clay'], seo: { noIndex: true } } }],
    });
    expect(
      (await call('GET', 'pages?parent=none&text=STUD')).body.items.map((item: { id: string }) => item.id),
    ).toEqual([parent]);
    expect(referenceListSchema.parse((await call('GET', 'pages/studio/references')).body).items).toMatchObject([
      { kind: 'child', from: { id }, isPublished: false },
      { kind: 'link', from: { id }, text: '/studio?x=1#top', isPublished: false },
    ]);
    const { items } = issueListSchema.parse((await call('GET', 'pages/kiln/validate')).body);
    expect(items.map(({ message }) => message)).toEqual([
      'The page above, "Studio", is not published.',
      '/studio?x=1#top leads to something that is not published.',
      '/nowhere leads nowhere.',
    ]);
    await call('POST', `pages/${parent}/publish`);
    await call('POST', `pages/${id}/publish`);
    await call('PATCH', `pages/${parent}`, { slug: 'workshop' });
    await call('POST', `pages/${parent}/publish`);
    expect(redirectListSchema.parse((await call('GET', 'redirects')).body).items.slice(0, 2)).toMatchObject([
      { from: '/studio', targetId: parent, to: '/workshop' },
      { from: '/studio/kiln', targetId: id, to: '/workshop/kiln' },
    ]);
    expect((await call('GET', 'tags')).body.items).toEqual([
      { tag: 'Clay', count: 1 },
      { tag: 'fire', count: 1 },
    ]);
    expect((await call('PATCH', `pages/${id}`, { parent: null, seo: null })).body.entry.draft).not.toHaveProperty(
      'seo',
    );
    await call('DELETE', `pages/${id}`);
    expect((await call('GET', 'pages?state=trashed')).body.items).toMatchObject([{ id }]);
    await call('DELETE', `pages/${parent}`);
  });

  it('lists the capabilities and content types of the site', async () => {
    expect((await call('GET', 'capabilities')).body).toMatchObject({ backend: 'embedded', hierarchy: true });
    const types = typeListSchema.parse((await call('GET', 'types')).body);
    expect(types.entries.map(({ name }) => name)).toEqual(['page', 'post']);
    expect(typeDetailSchema.parse((await call('GET', 'types/faq')).body).fields).toContainEqual({
      name: 'items',
      required: true,
      kind: 'list of {question, answer}',
    });
  });

  it('reads and writes navigation and settings', async () => {
    const items = [{ label: 'Home', href: '/', children: [{ label: 'A', href: '/a' }] }];
    const { revision } = (await call('GET', 'navigation')).body;
    expect((await call('PUT', `navigation?ifRevision=${revision}`, { items })).body).toMatchObject({
      items,
      change: { targetType: 'navigation', revision: revision + 1 },
    });
    expect((await call('PUT', `navigation?ifRevision=${revision}`, { items: [] })).status).toBe(409);
    // The home page is a draft.
    expect((await call('GET', 'navigation')).body).toEqual({
      items,
      hidden: [{ href: '/', reason: 'draft' }],
      revision: revision + 1,
    });
    const unset = (await call('GET', 'settings')).body.revision;
    expect((await call('PATCH', `settings?ifRevision=${unset + 1}`, { siteName: 'Oven' })).status).toBe(409);
    const tried = await call('PATCH', `settings?ifRevision=${unset}&dryRun=1`, { siteName: 'Oven' });
    expect(tried).toMatchObject({ status: 200, body: { settings: { siteName: 'Oven' } } });
    expect((await call('GET', 'settings')).body.siteName).not.toBe('Oven');
    const changed = await call('PATCH', 'settings', { siteName: 'Kiln' });
    expect(changed.body).toMatchObject({
      settings: { siteName: 'Kiln' },
      change: { summary: expect.stringMatching(/^Changed the site name from /) },
    });
    expect((await call('GET', 'settings')).body.siteName).toBe('Kiln');
  });

  it('says of wrong content which field it is, as of any wrong request', async () => {
    await call('POST', 'pages', { title: 'Named' });
    const { status, body } = await call('PATCH', 'pages/named', { title: '' });
    const reason = { code: 'rule.empty', params: {} };
    expect([status, body.error.details.issues]).toEqual([
      400,
      [{ path: 'title', message: 'must not be empty', reason }],
    ]);
    const sections = [
      { type: 'text', fields: { body: 'Ash.' } },
      { type: 'hero', fields: { heading: 'Kiln' } },
    ];
    const issuesOf = async (method: string, path: string, sent: JsonValue) =>
      (await call(method, path, sent)).body.error.details.issues;
    const wrong = { heading: 7, colour: 'red' };
    const issues = [
      {
        path: 'sections.1.fields.heading',
        message: 'must be a text',
        reason: { code: 'problem-kind', params: { kind: 'string' } },
      },
      {
        path: 'sections.1.fields',
        message: 'unknown field "colour"',
        reason: { code: 'problem-fields', params: { fields: '"colour"' } },
      },
    ];
    expect(
      await issuesOf('POST', 'pages', {
        title: 'X',
        sections: sections.with(1, { type: 'hero', fields: wrong as never }),
      }),
    ).toEqual(issues);
    const { entry } = (await call('POST', 'pages', { title: 'Sections', sections })).body;
    const operation = { op: 'set-section', sectionId: entry.draft.sections[1].id, fields: wrong };
    expect(await issuesOf('PATCH', 'pages/sections', { operations: [operation] })).toEqual(issues);
  });

  it('rehearses undo, restore and standing instructions, also by query parameter', async () => {
    const made = (await call('POST', 'pages', { title: 'Tried' })).body;
    const { id } = made.entry;
    const later = (await call('PATCH', `pages/${id}`, { title: 'Tried again' })).body;
    const undone = await call('POST', 'undo?dryRun=1', { changeId: later.change.id });
    expect(undone).toMatchObject({ status: 200, body: { change: { action: 'undo' } } });
    const back = { changeId: made.change.id, sessionId: 'ses_tried', targetId: id, overOthers: true };
    expect((await call('POST', 'bring-back?dryRun=true', back)).body.changes).toHaveLength(1);
    expect((await call('GET', `pages/${id}`)).body).toMatchObject({ revision: 2, draft: { title: 'Tried again' } });

    const { revision } = (await call('GET', 'standing-instructions')).body;
    const rules = ['Never promise a date.'];
    expect((await call('PUT', 'standing-instructions?dryRun=1', { rules: [` ${rules[0]} `] })).body).toMatchObject({
      standingInstructions: { rules, revision: revision + 1 },
      change: { summary: 'Added the rule "Never promise a date."' },
    });
    expect((await call('PUT', `standing-instructions?ifRevision=${revision + 1}`, { rules })).status).toBe(409);
    expect((await call('GET', 'standing-instructions')).body).toMatchObject({ rules: [], revision });
  });

  it('goes back: discard, trash, versions, a session in part, and rehearsed first', async () => {
    const made = (
      await call('POST', 'pages', { title: 'Glazes', sections: [{ type: 'text', fields: { body: 'Ash.' } }] })
    ).body;
    const { id } = made.entry;
    expect((await call('POST', 'pages?dryRun=1', { title: 'Never' })).status).toBe(200);
    expect((await call('GET', 'pages/never')).status).toBe(404);
    await call('POST', `pages/${id}/publish?ifRevision=1`);
    expect((await call('POST', `pages/${id}/publish?ifRevision=1`)).status).toBe(409);
    await call('PATCH', `pages/${id}`, { title: 'Ash glazes' });
    const renamed = { fields: [{ field: 'title', kind: 'changed', before: 'Glazes', after: 'Ash glazes' }] };
    expect((await call('GET', `pages/${id}/differences`)).body).toMatchObject(renamed);
    expect((await call('GET', `pages/${id}/differences?from=1&to=3`)).body).toMatchObject(renamed);
    expect((await call('GET', `pages/${id}/differences?from=9`)).status).toBe(404);
    expect((await call('POST', `pages/${id}/discard`)).body.entry).toMatchObject({ draft: { title: 'Glazes' } });
    expect((await call('DELETE', `pages/${id}?dryRun=true`)).body.entry.deletedAt).toBeGreaterThan(0);
    expect((await call('GET', `pages/${id}`)).status).toBe(200);
    await call('DELETE', `pages/${id}`);
    expect((await call('GET', `pages/${id}/versions`)).body.items[0]).toMatchObject({
      action: 'delete',
      title: 'Glazes',
    });
    expect((await call('GET', `pages/${id}/versions/3`)).body.title).toBe('Ash glazes');
    expect((await call('GET', `posts/${id}/versions`)).status).toBe(404);
    expect((await call('POST', `pages/${id}/untrash`)).body).toMatchObject({ change: { action: 'restore' } });
    expect((await call('POST', `pages/${id}/untrash`)).status).toBe(409);

    const origin = { actor: 'assistant' as const, sessionId: 'ses_routes', turnId: 'trn_routes' };
    const mine = await server.builtIn.content.patch(id, [{ op: 'set', field: 'title', value: 'Mine' }], origin);
    await server.builtIn.content.patch(id, [{ op: 'set', field: 'author', value: 'Me' }], origin);
    await call('PATCH', `pages/${id}`, { title: 'Theirs' });
    const detail = (await call('GET', `changes/${mine.change.id}`)).body;
    expect(detail).toMatchObject({
      fields: [{ field: 'title', kind: 'changed', before: 'Glazes', after: 'Mine' }],
      blockedBy: [{ origin: { actor: 'api' } }],
    });
    const all = { sessionId: 'ses_routes', all: true };
    expect((await call('POST', 'undo', all)).status).toBe(409);
    const rehearsed = (await call('POST', 'undo', { ...all, partial: true, dryRun: true })).body;
    expect((await call('GET', `pages/${id}`)).body.draft.author).toBe('Me');
    const undone = (await call('POST', 'undo', { ...all, turnIds: ['trn_routes'], partial: true })).body;
    expect(undone).toMatchObject({ undone: [{ action: 'undo' }], conflicts: [{ change: { id: mine.change.id } }] });
    expect(rehearsed.undone).toHaveLength(1);
    expect((await call('GET', `pages/${id}`)).body.draft).toMatchObject({ title: 'Theirs' });
    const { items, nextCursor } = (await call('GET', 'changes?sessionId=ses_routes&limit=2')).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual(['undo', 'update']);
    const rest = (await call('GET', `changes?sessionId=ses_routes&before=${nextCursor}`)).body;
    expect(rest).toMatchObject({ items: [{ id: mine.change.id }], nextCursor: null });
    expect((await call('GET', `changes?sessionId=ses_routes&cursor=${nextCursor}`)).body).toEqual(rest);
    const after = (seen: string) => call('GET', `changes?sessionId=ses_routes&after=${seen}&limit=1`);
    const next = (await after(mine.change.id)).body;
    expect(next).toEqual({ items: [items[1]], nextCursor });
    expect((await after(nextCursor)).body.items).toEqual([items[0]]);
    expect((await call('GET', 'changes?cursor=chg_nonsense')).status).toBe(400);
  });

  it('plans a publication, lists it, and cancels it', async () => {
    await call('POST', 'posts', { title: 'Kiln opening' });
    await call('POST', 'posts', { title: 'Never mind' });
    const time = Date.parse('2033-01-05T08:00:00Z');
    const planned = await call('POST', 'posts/kiln-opening/schedule', { publishAt: '2033-01-05T09:00:00+01:00' });
    expect(planned.body).toMatchObject({ entry: { status: 'draft', publishAt: time }, change: { action: 'schedule' } });
    entryChangeSchema.parse(planned.body);
    const moved = { publishAt: time + 1, ifRevision: 1 };
    expect((await call('POST', 'posts/kiln-opening/schedule', moved)).status).toBe(409);
    await call('POST', 'posts/kiln-opening/schedule?dryRun=1', { publishAt: null });
    const list = entryListSchema.parse((await call('GET', 'posts?scheduled=1&sort=scheduled')).body);
    expect(list).toMatchObject({ total: 1, items: [{ slug: 'kiln-opening', publishAt: time }] });
    expect((await call('GET', 'posts?scheduled=0')).body.total).toBeGreaterThan(1);
    expect(scheduledPageSchema.parse((await call('GET', 'planned')).body)).toMatchObject({
      items: [{ slug: 'kiln-opening', path: '/blog/kiln-opening', publishAt: time, problem: null }],
    });
    const back = await call('POST', 'posts/kiln-opening/schedule', { publishAt: null });
    expect(back.body.entry.publishAt).toBeNull();
    expect((await call('GET', 'planned')).body).toEqual({ items: [], total: 0, nextCursor: null });
  });
});
