import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assetSchema } from '#server/core/site/content';
import { assetChangeSchema } from '#server/core/site/changes';
import { assetListSchema } from '#server/core/site/site-lists';
import type { Services } from '#server/services';
import { colouredPicture } from '#tests/support/pictures';
import { startTestServices } from '#tests/support/test-services';
import { answerOf, callRoute, type RouteCall, serve, stopServing } from '#tests/support/routes';

const [ochre, blue] = [await colouredPicture('#b5651d'), await colouredPicture('#2b5bd7')];

let services: Services;

beforeAll(async () => {
  services = await serve(startTestServices());
});
afterAll(stopServing);

const MEDIA = '/api/content/media';
const ONE = `${MEDIA}/[id]`;
const add = async (body: Uint8Array = ochre, query = '?filename=Kiln.png&alt=A%20kiln') =>
  (await answerOf(assetChangeSchema, 201, 'POST', MEDIA, { body: new Uint8Array(body), query })).asset;
const file = (
  id: string,
  { filename = 'kiln.png', ...options }: Omit<RouteCall, 'params'> & { filename?: string } = {},
) => callRoute('GET', '/media/[id]/[filename]', { params: { id, filename }, ...options });
/** As browsers of strangers ask, who may not see drafts. */
const asVisitor = { headers: { host: 'throughline.example', 'sec-fetch-site': 'cross-site' } };
/** Puts the picture on a new page. */
async function place(id: string) {
  const { url } = await services.builtIn.content.assets.get(id);
  const sections = [{ type: 'image' as const, fields: { src: url, alt: 'A kiln' } }];
  return (
    await services.builtIn.content.create(
      { type: 'page', title: `Page of ${id.slice(4)}`, sections },
      { actor: 'seed' },
    )
  ).entry;
}
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('the media library over REST', () => {
  it('uploads, lists, describes, replaces, trashes and restores a picture; each can be undone', async () => {
    const added = await add();
    const params = { id: added.id };
    expect(added).toMatchObject({ filename: 'Kiln.png', alt: 'A kiln', width: 120, height: 80 });
    expect(await answerOf(assetSchema, 200, 'GET', ONE, { params })).toEqual(added);
    const list = await answerOf(assetListSchema, 200, 'GET', MEDIA, { query: '?q=kiln&limit=1' });
    expect(list.items).toEqual([added]);
    const patched = await answerOf(assetChangeSchema, 200, 'PATCH', ONE, {
      params,
      body: '{"alt":"","tags":["clay"]}',
    });
    expect(patched.asset).toMatchObject({ alt: '', tags: ['clay'], revision: 2 });
    expect(patched.change).toMatchObject({ origin: { actor: 'api' }, action: 'update' });
    const missing = await answerOf(assetListSchema, 200, 'GET', MEDIA, { query: '?missingAlt=1' });
    expect(missing.items.map(({ id }) => id)).toContain(added.id);
    const replaced = await answerOf(assetChangeSchema, 200, 'POST', `${ONE}/replace`, {
      params,
      body: new Uint8Array(blue),
    });
    expect(replaced.asset.version).not.toBe(added.version);
    const undo = await callRoute('POST', '/api/content/undo', {
      body: JSON.stringify({ changeId: replaced.change.id }),
    });
    expect(undo.status, await undo.clone().text()).toBe(200);
    expect(Buffer.compare(await bytesOf(await file(added.id)), ochre)).toBe(0);
    await answerOf(assetChangeSchema, 200, 'DELETE', ONE, { params });
    const trash = await answerOf(assetListSchema, 200, 'GET', MEDIA, { query: '?state=trashed' });
    expect(trash.items.map(({ id }) => id)).toEqual([added.id]);
    await answerOf(assetChangeSchema, 200, 'POST', `${ONE}/restore`, { params });
  });

  it('lists the places that show a picture', async () => {
    const { id, url } = await add();
    const {
      builtIn: { content },
    } = services;
    const sections = [{ type: 'image' as const, fields: { src: url, alt: 'A kiln' } }];
    const { entry } = await content.create({ type: 'page', title: 'Shown here', sections }, { actor: 'seed' });
    const response = await callRoute('GET', `${ONE}/references`, { params: { id } });
    expect(await response.json()).toMatchObject({
      items: [{ kind: 'image', from: { type: 'page', id: entry.id }, isPublished: false }],
    });
  });
});

describe('a picture of the site', () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await add());
  });

  it('is served with its own type, unable to run scripts', async () => {
    await services.builtIn.content.publish((await place(id)).id, { actor: 'seed' });
    const response = await file(id);
    expect(Object.fromEntries(response.headers)).toEqual({
      'x-request-id': expect.any(String) as unknown,
      'content-type': 'image/png',
      'content-length': String(ochre.length),
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, no-cache',
      etag: expect.stringMatching(/^"[0-9a-f]{16}"$/),
    });
    expect(Buffer.compare(await bytesOf(response), ochre)).toBe(0);
    const thumb = await file(id, { query: '?size=thumb' });
    expect(thumb.headers.get('content-type')).toBe('image/webp');
    expect(thumb.headers.get('etag')).toMatch(/-thumb"$/);
  });

  it('is not sent again to a client that has it, but is once it changes', async () => {
    const etag = (await file(id)).headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await file(id, { headers: { 'if-none-match': known } });
      expect(response.status, known).toBe(304);
      expect(response.headers.get('etag')).toBe(etag);
      expect(await response.text()).toBe('');
    }
    await services.builtIn.content.assets.replace(id, { data: blue, filename: 'b.png' }, { actor: 'user' });
    const response = await file(id, { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(200);
    expect(Buffer.compare(await bytesOf(response), blue)).toBe(0);
  });

  it('is for everybody once something published shows it, while the library is for its owner', async () => {
    const {
      builtIn: { content },
    } = services;
    const page = await place(id);
    const ofOwner = await file(id);
    expect([ofOwner.status, ofOwner.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect((await file(id, asVisitor)).status).toBe(404);
    expect((await file(id, { ...asVisitor, query: '?size=thumb' })).status).toBe(404);
    await content.publish(page.id, { actor: 'seed' });
    const response = await file(id, asVisitor);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, no-cache']);
    expect((await callRoute('GET', MEDIA, asVisitor)).status).toBe(403);
    expect((await callRoute('GET', `${ONE}/file`, { params: { id }, ...asVisitor })).status).toBe(403);
    await content.unpublish(page.id, { actor: 'seed' });
    expect((await file(id, asVisitor)).status).toBe(404);
  });

  it('is public until its page is trashed or changed, during any other changes', async () => {
    const {
      builtIn: { content },
    } = services;
    const page = await place(id);
    const isShown = async () => (await file(id, asVisitor)).status === 200;
    const steps: [change: () => Promise<unknown>, shown: boolean][] = [
      [() => content.publish(page.id, { actor: 'seed' }), true],
      [() => content.trash(page.id, { actor: 'seed' }), false],
      [() => content.restore(page.id, { actor: 'seed' }), true],
      [
        () =>
          content.patch(page.id, [{ op: 'remove-section', sectionId: page.draft.sections[0]!.id }], { actor: 'seed' }),
        true,
      ],
      [() => content.publish(page.id, { actor: 'seed' }), false],
      [() => content.restoreVersion(page.id, 1, { actor: 'seed' }), false],
      [() => content.publish(page.id, { actor: 'seed' }), true],
    ];
    for (const [change, shown] of steps) {
      await change();
      expect(await isShown(), change.toString()).toBe(shown);
    }
    const { tagline } = await content.settings();
    await content.unpublish(page.id, { actor: 'seed' });
    for (let count = 0; count < 60; count += 1)
      await content.updateSettings({ tagline: `Clay ${count}` }, { actor: 'seed' });
    expect(await isShown()).toBe(false);
    await content.updateSettings({ tagline }, { actor: 'seed' });
  });

  it('is public while the menu or the site settings name it', async () => {
    const {
      builtIn: { content },
    } = services;
    const { url } = await content.assets.get(id);
    const [navigation, { footerText }] = [await content.navigation(), await content.settings()];
    await content.setNavigation([...navigation, { label: 'The kiln', href: url }], { actor: 'seed' });
    expect((await file(id, asVisitor)).status).toBe(200);
    await content.setNavigation(navigation, { actor: 'seed' });
    expect((await file(id, asVisitor)).status).toBe(404);
    await content.updateSettings({ footerText: `![Kiln](${url})` }, { actor: 'seed' });
    expect((await file(id, asVisitor)).status).toBe(200);
    await content.updateSettings({ footerText }, { actor: 'seed' });
    expect((await file(id, asVisitor)).status).toBe(404);
  });

  it.each(['ast\\_', '%61st_', '&#97;st_', '&#x61;st_'])(
    'is for everybody where a published page names it in another spelling: %s',
    async (start) => {
      const sections = [
        { type: 'text' as const, fields: { body: `![Kiln](/media/${id.replace('ast_', start)}/kiln.png)` } },
      ];
      const { entry } = await services.builtIn.content.create(
        { type: 'page', title: `Odd ${id}`, sections },
        { actor: 'seed' },
      );
      await services.builtIn.content.publish(entry.id, { actor: 'seed' });
      expect((await file(id, asVisitor)).status).toBe(200);
    },
  );

  it('is at its file name and at those it had, which pages may still name, and at no other', async () => {
    const {
      builtIn: { content },
    } = services;
    await content.publish((await place(id)).id, { actor: 'seed' });
    await content.assets.update(id, { filename: 'Big kiln.png' }, { actor: 'user' });
    for (const filename of ['kiln.png', 'big-kiln.png']) expect((await file(id, { filename })).status).toBe(200);
    for (const filename of ['any', 'kiln.jpg', 'big-kiln', '', 'x.png'])
      expect((await file(id, { filename })).status, filename).toBe(404);
  });

  it('is found by its id alone', async () => {
    for (const wrong of ['ast_bcdfgh', 'ast_none', '../../x', 'pag_bcdfgh']) {
      expect([400, 404]).toContain((await file(wrong)).status);
    }
    expect((await file(id, { query: '?size=huge' })).status).toBe(400);
  });

  it('in the trash is served as long as something published shows it, and to its owner', async () => {
    const {
      builtIn: { content },
    } = services;
    const entry = await place(id);
    await content.publish(entry.id, { actor: 'seed' });
    await content.assets.trash(id, { actor: 'user' });
    const shown = await file(id);
    expect(shown.status).toBe(200);
    expect(shown.headers.get('cache-control')).toBe('private, no-cache');
    await content.unpublish(entry.id, { actor: 'seed' });
    expect((await file(id)).status).toBe(404);
    expect((await file(id, { query: '?size=thumb' })).status).toBe(404);
    const own = await callRoute('GET', `${ONE}/file`, { params: { id }, query: '?size=thumb' });
    expect(own.status).toBe(200);
    expect(own.headers.get('content-type')).toBe('image/webp');
    await content.assets.restore(id, { actor: 'user' });
    expect((await file(id)).status).toBe(200);
  });
});

it('a tool reads the files of its conversation and of no other', async () => {
  const [own, other] = await Promise.all([0, 1].map(() => services.sessions.create({ ownerId: 'own_local' })));
  const { id } = await services.attachments.keep(own!.id, 'kiln.png', ochre);
  const files = services.attachments.filesOf(own!.id);
  expect(await files.list()).toMatchObject([{ id, filename: 'kiln.png', width: 120, height: 80 }]);
  expect(Buffer.compare((await files.read(id))!, ochre)).toBe(0);
  expect(await services.attachments.filesOf(other!.id).read(id)).toBeNull();
  expect(await services.attachments.filesOf(other!.id).list()).toEqual([]);
});
