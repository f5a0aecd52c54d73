import { createClient } from '@libsql/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { previewCommentListSchema } from '#server/core/site/preview/preview-comments';
import { newPreviewLinkSchema, previewLinkListSchema } from '#server/core/site/preview/preview-links';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { colouredPicture } from '#tests/support/pictures';

let server: AccountsServer;
const entrySchema = z.object({ entry: z.object({ id: z.string() }) });
const assetAnswer = z.object({ asset: z.object({ id: z.string(), url: z.string() }) });

beforeAll(async () => {
  server = await startAccountsServer({ seed: true, env: { REQUESTS_PER_MINUTE: '100000', PAGES_PER_MINUTE: '400' } });
});
afterAll(async () => server.stop());

/** A request of the editor. */
const edit = (method: string, path: string, body?: unknown) =>
  server.ask(server.people.editor, { method, path, ...(body !== undefined && { body }) });
/** A request of someone without an account. */
const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.ask(null, { method, path, headers });

async function createPage(title: string, sections: object[] = []): Promise<string> {
  const made = await edit('POST', '/api/content/pages', { title, sections });
  return entrySchema.parse(made.json()).entry.id;
}

async function upload(colour: string) {
  const body = await colouredPicture(colour, { width: 500, height: 300 });
  const made = await edit('POST', '/api/content/media?filename=mug.png&alt=A%20mug', body);
  return assetAnswer.parse(made.json()).asset;
}

const linksOf = (id: string) => `/api/content/pages/${id}/preview-links`;

async function createLink(id: string, body: object = {}) {
  const made = await edit('POST', linksOf(id), body);
  expect(made.status, made.text).toBe(201);
  const { link, url } = newPreviewLinkSchema.parse(made.json());
  expect(url.startsWith(`${server.origin}/shared/`)).toBe(true);
  return { link, path: new URL(url).pathname };
}

it('shows the draft to people without an account, with headers that keep the address secret', async () => {
  const picture = await upload('#4a6fa5');
  const id = await createPage('Secret prices', [
    { type: 'text', fields: { body: 'Mugs will cost nine.' } },
    { type: 'image', fields: { src: picture.url, alt: 'A mug' } },
  ]);
  const { link, path } = await createLink(id);
  expect(link.expiresAt - link.createdAt).toBe(7 * 86_400_000);
  expect(link.createdBy).toBe('Edith Editor');

  // Signed in or not makes no difference.
  for (const cookie of ['', server.people.author.cookie]) {
    const page = await visit(path, { cookie });
    expect(page.status).toBe(200);
    expect(page.text).toContain('Mugs will cost nine.');
    expect(page.text).toContain('<meta name="robots" content="noindex');
    expect(page.text).not.toContain('<script');
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(page.headers['x-robots-tag']).toContain('noindex');
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toMatch(/script-src|allow-scripts|nonce/);
    expect(page.headers['set-cookie']).toBeUndefined();
  }

  const { text } = await visit(path);
  const style = /<link rel="stylesheet" href="([^"]+)"/.exec(text)?.[1] ?? '';
  const css = await visit(style);
  expect([css.status, css.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
  const font = /url\(["']?([\w-]+\.woff2)/.exec(css.text)?.[1] ?? '';
  expect((await visit(new URL(font, `http://x${style}`).pathname)).headers['content-type']).toBe('font/woff2');
  const sources = [...text.matchAll(/<img [^>]*srcset="([^"]+)"/g)].flatMap(([, list = '']) => list.split(', '));
  expect(sources).toHaveLength(2);
  for (const source of sources) {
    const loaded = await visit(source.split(' ')[0] ?? '');
    expect([loaded.status, loaded.headers['content-type']]).toEqual([200, 'image/webp']);
    expect(loaded.headers['cache-control']).toBe('no-store');
  }
});

it('takes comments without an account as plain text; editors resolve and delete them', async () => {
  const sections = [{ type: 'text', fields: { heading: 'Prices', body: 'Nine.' } }];
  const [id, other] = [await createPage('Open to comments', sections), await createPage('Not open', sections)];
  const { path } = await createLink(id);
  const comment = (at: string, fields: Record<string, string>) =>
    server.ask(null, {
      method: 'POST',
      path: at,
      // As browsers send it from a page with `no-referrer`.
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
      body: Buffer.from(new URLSearchParams({ section: '', name: '', ...fields }).toString()),
    });
  const page = await visit(path);
  expect(page.text).toContain(`<form class="site-comments" method="post" action="${path}#comments-title">`);
  const section = /<option value="(sec_\w+)">1\. Prices/.exec(page.text)?.[1] ?? '';
  const text = 'Too <b>dear</b>: https://evil.example/ [x](https://evil.example)';
  const sent = await comment(path, { section, name: 'The Boss', text });
  expect([sent.status, sent.headers['location']]).toEqual([303, `${path}#comment-sent`]);
  for (const [wrong, outcome] of [
    [{ text: ' ' }, 'refused'],
    [{ text: 'x'.repeat(2_001) }, 'refused'],
    [{ text: 'a', name: 'x'.repeat(81) }, 'refused'],
    [{ text: 'a\u0000b' }, 'refused'],
  ] as const) {
    // The page comes back with what was written.
    const refused = await comment(path, wrong);
    expect(refused.status).toBe(200);
    expect(refused.text).toContain(`id="comment-${outcome}" class="site-comments-outcome site-comments-shown"`);
    if (wrong.text.length > 2) expect(refused.text).toContain(wrong.text.slice(0, 100));
  }
  expect((await comment('/shared/abcdefghijklmnopqrstuv', { text: 'Hello' })).status).toBe(404);

  const commentsOf = (entry: string) => `/api/content/pages/${entry}/comments`;
  const list = async () => previewCommentListSchema.parse((await edit('GET', commentsOf(id))).json()).items;
  const [stored, ...more] = await list();
  expect(more).toEqual([]);
  expect(stored).toMatchObject({ sectionId: section, name: 'The Boss', text, resolvedAt: null });
  // The page shows no comments, also not those of others who have the link.
  expect((await visit(path)).text).not.toContain('evil.example');
  expect((await edit('PATCH', `${commentsOf(other)}/${stored!.id}`, { resolved: true })).status).toBe(404);
  expect((await edit('PATCH', `${commentsOf(id)}/${stored!.id}`, { resolved: true })).status).toBe(200);
  expect((await list())[0]?.resolvedAt).toBeGreaterThan(0);
  expect((await edit('DELETE', `${commentsOf(id)}/${stored!.id}`)).status).toBe(204);
  expect(await list()).toEqual([]);
});

it('opens nothing but its one draft: 100 attempts', async () => {
  const [own, foreign] = [await upload('#b5651d'), await upload('#2b5bd7')];
  const id = await createPage('Open to one', [
    { type: 'image', fields: { src: `${own.url}#xywh=percent:0,0,50,50`, alt: 'Part of a mug' } },
  ]);
  const other = await createPage('Hidden elsewhere', [
    { type: 'text', fields: { body: 'FORBIDDEN TEXT' } },
    { type: 'image', fields: { src: foreign.url, alt: 'A mug' } },
  ]);
  const { path } = await createLink(id);
  const { path: revokedPath, link: revoked } = await createLink(other);
  expect((await edit('DELETE', `${linksOf(other)}/${revoked.id}`)).status).toBe(204);
  const secret = path.slice('/shared/'.length);
  const asked = { authorization: `Bearer ${secret}`, cookie: `session=${secret}`, referer: `${server.origin}${path}` };
  const targets = [
    `/${other}`,
    '/hidden-elsewhere',
    '/preview/hidden-elsewhere',
    '/site/hidden-elsewhere',
    `/api/content/pages/${other}`,
    '/api/content/pages',
    linksOf(other),
    foreign.url,
    `${foreign.url}?size=thumb`,
    own.url,
    `${own.url}?size=thumb`,
    '/library/pages',
    '/api/openapi.json',
    '/',
    '/assets/../api/content/pages',
    '/images/../../package.json',
  ];
  const attempts = [
    ...targets.map((target) => `${path}${target}`),
    ...targets.map((target) => `${path}/..${target}`),
    ...targets.map((target) => `${path}/%2e%2e${target}`),
    ...targets.map((target) => `${path}/${encodeURIComponent(target)}`),
    ...['entry', 'id', 'ref', 'path', 'page', 'at', 'site', 'look', 'section', '_rsc'].flatMap((name) => [
      `${path}?${name}=${other}`,
      `${path}?${name}=/hidden-elsewhere`,
    ]),
    `/shared/${secret.slice(0, -1)}`,
    `/shared/${secret}A`,
    `/shared/${secret.toLowerCase()}`,
    `/shared/${secret}%00`,
    `/shared/${other}`,
    '/shared/hidden-elsewhere',
    `/shared/%25`,
    `/shared/' or 1=1 --`.replaceAll(' ', '%20'),
    revokedPath,
    `${revokedPath}${foreign.url}`,
    `/preview/hidden-elsewhere?secret=${secret}`,
    `/api/content/pages/${other}?secret=${secret}`,
    `/api/content/pages/${other}?token=${secret}`,
    `/media/${foreign.id}/mug.png?secret=${secret}`,
    foreign.url,
    `/shared/assets/../${secret}${foreign.url}`,
  ];
  expect(attempts.length).toBeGreaterThanOrEqual(100);
  const succeeded: string[] = [];
  for (const attempt of attempts) {
    let [at, answer] = [attempt, await visit(attempt, asked)];
    for (let hops = 0; answer.headers.location !== undefined && hops < 3; hops += 1) {
      at = answer.headers.location;
      answer = await visit(at, asked);
    }
    const { pathname } = new URL(at, server.origin);
    const isOwnDraft = answer.text.includes('Open to one') && pathname === path;
    const isForEverybody = ['/login', '/api/openapi.json'].includes(pathname);
    if (/FORBIDDEN TEXT|Hidden elsewhere/.test(answer.text)) succeeded.push(attempt);
    else if (answer.status < 400 && !isOwnDraft && !isForEverybody)
      succeeded.push(`${attempt}: ${answer.status} ${at}`);
  }
  expect(succeeded).toEqual([]);
  for (const method of ['PUT', 'PATCH', 'DELETE']) expect((await visit(path, asked, method)).status).toBe(405);
  // The draft that it shows is still the one of its entry.
  expect((await visit(path)).text).toContain('Open to one');
});

it('answers the same page when it is unknown, revoked, expired, or its page is deleted', async () => {
  const id = await createPage('Ends soon');
  const ends = [await createLink(id), await createLink(id, { days: 1 }), await createLink(id, { days: 30 })] as const;
  const listed = async () => previewLinkListSchema.parse((await edit('GET', linksOf(id))).json()).items;
  expect((await listed()).map((link) => link.id)).toEqual(ends.map(({ link }) => link.id).toReversed());
  for (const { path } of ends) expect((await visit(path)).status).toBe(200);

  expect((await edit('DELETE', `${linksOf(id)}/${ends[0].link.id}`)).status).toBe(204);
  expect((await edit('DELETE', `${linksOf(id)}/${ends[0].link.id}`)).status).toBe(404);
  const database = createClient({ url: `file:${server.databaseFile}` });
  const sql = 'update preview_links set expires_at = ? where id = ?';
  await database.execute({ sql, args: [Date.now() - 1, ends[1].link.id] });
  database.close();
  expect((await listed()).map((link) => link.id)).toEqual([ends[2].link.id]);
  const over = [ends[0].path, ends[1].path, `/shared/${'A'.repeat(22)}`];
  expect((await visit(ends[2].path)).status).toBe(200);
  expect((await edit('DELETE', `/api/content/pages/${id}`)).status).toBe(200);
  over.push(ends[2].path);

  const answers = await Promise.all(over.map((path) => visit(path)));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.text).toContain('This preview link does not work');
  for (const { headers } of answers) {
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(headers['x-robots-tag']).toContain('noindex');
  }
});

it('is written into the audit log and into no log of requests with its secret', async () => {
  const id = await createPage('Audited');
  const { link, path } = await createLink(id, { days: 1 });
  await visit(path);
  await edit('DELETE', `${linksOf(id)}/${link.id}`);
  for (const action of ['preview-link-created', 'preview-link-revoked']) {
    const logged = { method: 'GET', path: `/api/admin/audit?action=${action}&limit=1` };
    expect((await server.ask(server.people.admin, logged)).json()).toMatchObject({
      items: [{ actorName: 'Edith Editor', target: 'Audited', details: { id, linkId: link.id } }],
    });
  }
  expect(server.logs()).toContain('/shared/[secret]');
  expect(server.logs()).not.toContain(path.slice('/shared/'.length));
});

it('is limited per address', async () => {
  const statuses = new Set<number>();
  for (let count = 0; count < 401 && !statuses.has(429); count += 1)
    statuses.add((await visit('/shared/AAAAAAAAAAAAAAAAAAAAAA')).status);
  expect([...statuses]).toEqual([404, 429]);
});
