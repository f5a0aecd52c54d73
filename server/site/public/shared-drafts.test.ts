import { eq } from 'drizzle-orm';
import sharp from 'sharp';
import { describe, expect } from 'vitest';
import { renderSiteDocument } from '#components/content/render-site-page';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { createId } from '#server/core/ids';
import { createPeople } from '#server/platform/auth/people';
import { previewLinks } from '#server/platform/database/schema/content';
import { apiKeys } from '#server/platform/database/schema/people';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createPictureVariants } from '#server/site/media/picture-variants';
import { preparePicture } from '#server/site/media/prepare-picture';
import { PreviewLinks } from '#server/site/public/preview-links';
import { shareableDocument } from '#server/site/public/shareable-document';
import { SharedDrafts } from '#server/site/public/shared-drafts';
import { createContentRepository } from '#server/site/store/content-repository';
import { createPictureVariantRepository } from '#server/site/store/picture-variant-repository';
import { createPreviewLinkRepository } from '#server/site/store/preview-link-repository';
import { colouredPicture } from '#tests/support/pictures';
import { itWithDatabase } from '#tests/support/test-database';

const by = { actor: 'user' } as const;
const me = { userId: LOCAL_OWNER, keyId: null };
const DAY_MS = 86_400_000;
const START = 1_800_000_000_000;

interface Opened {
  readonly content: ContentBackend;
  readonly links: PreviewLinks;
  readonly drafts: SharedDrafts;
  /** The time of the links; epoch milliseconds. */
  readonly clock: { now: number };
}

const it = itWithDatabase.extend<{ site: Opened }>({
  site: async ({ db }, give) => {
    const clock = { now: START };
    const content = new EmbeddedSite(createContentRepository(db), {
      preparePicture,
      fetchPicture: () => Promise.reject(new Error('Nothing is fetched here.')),
    });
    const links = new PreviewLinks(
      createPreviewLinkRepository(db, () => clock.now),
      () => clock.now,
    );
    const drafts = new SharedDrafts({
      content,
      links,
      pictures: createPictureVariants(createPictureVariantRepository(db), () => undefined),
      theme: async () => ({
        render: renderSiteDocument,
        stylesheet: '/assets/site-1.css',
        fonts: ['/assets/inter-1.woff2'],
        pairs: {},
        assets: [
          {
            path: '/assets/site-1.css',
            mediaType: 'text/css',
            data: Buffer.from('a{src:url(/assets/inter-1.woff2),url("/assets/b.woff2")}'),
          },
        ],
        readImage: async () => null,
      }),
      siteRoot: 'https://kiln.example',
    });
    await give({ content, links, drafts, clock });
  },
});

const textOf = async (response: Promise<Response>) => (await response).text();

/** A page with this text, and the secret of a link to its draft. */
async function sharedPage({ content, links }: Opened, title: string, body = 'Some text.') {
  const sections = [{ type: 'text' as const, fields: { body } }];
  const { entry } = await content.create({ type: 'page', title, sections }, by);
  return { entry, ...(await links.create(entry.id, 7, me)) };
}

describe('a preview link', () => {
  it('stores only a hash of 128 random bits', async ({ db, site }) => {
    const { secret } = await sharedPage(site, 'Prices');
    expect(Buffer.from(secret, 'base64url')).toHaveLength(16);
    expect(JSON.stringify(await db.read.select().from(previewLinks))).not.toContain(secret);
  });

  it('stays ended when its entry comes back from the trash', async ({ site }) => {
    const { content, links, drafts } = site;
    const { entry, secret } = await sharedPage(site, 'Prices');
    await content.trash(entry.id, by);
    await content.restore(entry.id, by);
    expect((await drafts.page(secret)).status).toBe(404);
    expect(await links.list(entry.id)).toEqual([]);
  });

  it('ends with the account and the API key of its creator, and pauses without their rights', async ({ db, site }) => {
    const { content, links, drafts } = site;
    const people = createPeople(db);
    await people.create({ name: 'Ada', email: 'ada@kiln.example', role: 'admin', password: 'a kiln full of mugs' });
    const { id: userId } = await people.create({ name: 'Bo', email: 'bo@kiln.example', role: 'editor' });
    const { entry } = await content.create({ type: 'page', title: 'Prices' }, by);
    const { secret, link } = await links.create(entry.id, 7, { userId, keyId: null });
    expect(link).toMatchObject({ createdBy: 'Bo', createdAt: START, expiresAt: START + 7 * DAY_MS });
    const keyId = createId('key');
    const key = { id: keyId, userId, name: 'K', prefix: 'tl_', hash: 'h', scopes: '[]', createdAt: START };
    await db.write((tx) => tx.insert(apiKeys).values(key));
    const ofKey = await links.create(entry.id, 7, { userId, keyId });
    const statuses = async () => [(await drafts.page(secret)).status, (await drafts.page(ofKey.secret)).status];
    expect(await statuses()).toEqual([200, 200]);
    await people.update(userId, { banned: true });
    expect(await statuses()).toEqual([404, 404]);
    await people.update(userId, { banned: false });
    expect(await statuses()).toEqual([200, 200]);
    await people.update(userId, { sites: ['wps_1'] });
    expect(await statuses()).toEqual([404, 404]);
    await people.update(userId, { sites: null });
    expect(await statuses()).toEqual([200, 200]);
    await db.write((tx) => tx.update(apiKeys).set({ revokedAt: START }).where(eq(apiKeys.id, keyId)));
    expect(await statuses()).toEqual([200, 404]);
    await people.remove(userId);
    expect(await statuses()).toEqual([404, 404]);
    await expect(links.create(entry.id, 7, { userId, keyId: null })).rejects.toMatchObject({ code: 'forbidden' });
    expect(await db.read.select().from(previewLinks)).toEqual([]);
  });

  it('is refused for an entry that is deleted, missing, or of another site', async ({ db, site }) => {
    const { content, links } = site;
    const { entry: deleted } = await content.create({ type: 'page', title: 'Deleted' }, by);
    await content.trash(deleted.id, by);
    const mirrored = new EmbeddedSite(createContentRepository(db, 'wps_1'));
    const { entry: foreign } = await mirrored.create({ type: 'page', title: 'Foreign' }, by);
    for (const id of [deleted.id, 'pag_none', foreign.id])
      await expect(links.create(id, 7, me)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is refused when twenty of an entry work, until one of them ends', async ({ site }) => {
    const { links } = site;
    const { entry, link } = await sharedPage(site, 'Prices');
    for (let count = 1; count < 20; count += 1) await links.create(entry.id, 7, me);
    await expect(links.create(entry.id, 7, me)).rejects.toMatchObject({ code: 'conflict' });
    await links.revoke(entry.id, link.id);
    await links.create(entry.id, 7, me);
    expect(await links.list(entry.id)).toHaveLength(20);
  });
});

describe('the page of a preview link', () => {
  it('has no scripts, is not for search engines, and sends no form but comments', async ({ site }) => {
    const { content, links, drafts } = site;
    const sections = [
      { type: 'faq' as const, fields: { items: [{ question: 'When?', answer: 'Now.' }] } },
      {
        type: 'form' as const,
        fields: { fields: [{ label: 'Name', kind: 'text', required: true }], submitLabel: 'Go' },
      },
      { type: 'html' as const, fields: { html: '<p onclick="x()">Hi<script>x()</script></p>' } },
    ];
    const { entry } = await content.create({ type: 'page', title: 'Ask', sections }, by);
    const { secret } = await links.create(entry.id, 1, me);
    const answer = await drafts.page(secret);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const html = await answer.text();
    expect(html).toContain('<meta name="robots" content="noindex, nofollow, noarchive">');
    expect(html).toContain('Preview of a draft');
    // The form for comments alone has an address: that of the page.
    const comments = `<form class="site-comments" method="post" action="/shared/${secret}#comments-title">`;
    expect(html).toContain(comments);
    expect(html.replace(comments, '')).not.toMatch(
      /<script|onclick|action=|method="post"|type="hidden"|rel="(?:canonical|icon|alternate)"/,
    );
    expect(html).toContain('<form class="site-form" method="dialog">');
  });

  it('shows a refused comment again, with the reason and its text as text', async ({ site }) => {
    const { content, links, drafts } = site;
    const sections = [{ type: 'text' as const, fields: { heading: 'Prices', body: 'Nine.' } }];
    const { entry } = await content.create({ type: 'page', title: 'Ask', sections }, by);
    const { secret } = await links.create(entry.id, 1, me);
    const section = entry.draft.sections[0]?.id ?? '';
    const refused = { outcome: 'often' as const, section, name: '"x', text: '</textarea><script>x()</script>' };
    const html = await (await drafts.page(secret, refused)).text();
    expect(html).toContain('id="comment-often" class="site-comments-outcome site-comments-shown"');
    expect(html).toContain(`<option value="${section}" selected="">1. Prices</option>`);
    expect(html).toContain('value="&quot;x"');
    expect(html).toContain('&lt;/textarea&gt;&lt;script&gt;x()&lt;/script&gt;</textarea>');
    expect(html).not.toContain('<script');
  });

  it('loses scripts, icons and targets of forms of any renderer', () => {
    const html = [
      '<!doctype html><html><head><link rel="icon" href="/favicon.png"><script>x()</script></head><body>',
      '<form action="https://out.example/" method="post" target="_top"><input type="hidden" name="a"></form>',
      '<svg><script>x()</script></svg></body></html>',
    ].join('');
    const roots = { filesRoot: '/f', themeRoot: '/t', siteRoot: '/s' };
    expect(shareableDocument(html, roots).html).toBe(
      '<!DOCTYPE html><html><head></head><body><form method="dialog"></form><svg></svg></body></html>',
    );
  });

  it('leads to the published site, and lists no other draft', async ({ site }) => {
    const { content, links, drafts } = site;
    await content.create({ type: 'post', title: 'A hidden post' }, by);
    const { entry: shown } = await content.create({ type: 'post', title: 'A published post' }, by);
    await content.publish(shown.id, by);
    const sections = [
      { type: 'posts-list' as const, fields: { heading: 'News', count: 5 } },
      { type: 'text' as const, fields: { body: '[Prices](/prices) [Out](https://out.example/) [Here](#content)' } },
    ];
    const { entry } = await content.create({ type: 'page', title: 'News', sections }, by);
    const { secret } = await links.create(entry.id, 7, me);
    const html = await textOf(drafts.page(secret));
    expect(html).toContain('A published post');
    expect(html).not.toContain('A hidden post');
    const hrefs = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);
    expect(hrefs).toContain('https://kiln.example/prices');
    expect(hrefs.filter((href) => !/^(?:https:\/\/(?:kiln|out)\.example|#content$)/.test(href ?? ''))).toEqual([]);
  });

  it('preloads no picture, because the page loads an animated cover from another address', async ({ site }) => {
    const { content, links, drafts } = site;
    const data = await sharp(await colouredPicture('#4a6fa5'))
      .gif()
      .toBuffer();
    const { asset } = await content.assets.add({ data, filename: 'mug.gif', alt: 'A mug' }, by);
    const { entry } = await content.create({ type: 'post', title: 'Mugs' }, by);
    await content.patch(entry.id, [{ op: 'set', field: 'image', value: asset.url }], by);
    const { secret } = await links.create(entry.id, 7, me);
    const html = await textOf(drafts.page(secret));
    expect(html).toContain(`<img src="/shared/${secret}${asset.url}"`);
    expect(html.match(/<link [^>]*>/g)?.map((link) => /href="([^"]*)"/.exec(link)?.[1])).toEqual([
      '/shared/assets/inter-1.woff2',
      '/shared/assets/site-1.css',
    ]);
  });
});
