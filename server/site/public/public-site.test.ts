import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { beforeEach, describe, expect, vi } from 'vitest';
import { renderSiteDocument } from '#components/content/render-site-page';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { MAX_FORM_BYTES, OPENED_FIELD } from '#server/core/site/site-forms';
import { RateLimitedError } from '#server/core/errors';
import { SubmissionDelivery } from '#server/site/forms/submission-delivery';
import { createLeases } from '#server/platform/database/leases';
import { createForms } from '#server/site/forms/forms';
import { createPictureVariants } from '#server/site/media/picture-variants';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createPublicSite } from '#server/site/public/public-site';
import type { Database } from '#server/platform/database/database';
import { createPictureVariantRepository } from '#server/site/store/picture-variant-repository';
import { createSubmissionRepository } from '#server/site/store/submission-repository';
import { createContentRepository } from '#server/site/store/content-repository';
import { colouredPicture } from '#tests/support/pictures';
import { itWithDatabase } from '#tests/support/test-database';
import type { SentResponse } from '#server/site/public/cached-response';

const by = { actor: 'user' } as const;
const render = vi.fn(renderSiteDocument);
const fetchPicture = () => Promise.reject(new Error('Nothing is fetched here.'));
let pages = 0;
beforeEach(() => {
  render.mockClear();
  pages = 0;
});

interface Visit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Opened {
  readonly content: ContentBackend;
  readonly visit: (...given: Parameters<Opened['visitRaw']>) => Promise<Visit>;
  readonly visitRaw: (
    target: string,
    headers?: Record<string, string>,
    method?: string,
    body?: string,
  ) => Promise<SentResponse>;
}

const it = itWithDatabase.extend<{ site: Opened }>({
  site: async ({ db }, give) => {
    const store = createContentRepository(db);
    let writes = 0;
    const counted: typeof store = { ...store, write: (work) => store.write(work).finally(() => (writes += 1)) };
    const content = new EmbeddedSite(counted, { preparePicture, fetchPicture });
    const submissions = createSubmissionRepository(db);
    const delivery = new SubmissionDelivery({
      submissions,
      content,
      mailer: null,
      readAt: null,
      leases: createLeases(db),
      onFault: () => undefined,
    });
    await delivery.close();
    const forms = createForms({ content, submissions, limits: { submission: async () => undefined }, delivery });
    const answer = createPublicSite({
      content,
      writes: () => writes,
      address: 'https://kiln.example',
      theme: {
        render,
        stylesheet: '/assets/site-1.css',
        fonts: [],
        pairs: {},
        assets: [{ path: '/assets/site-1.css', mediaType: 'text/css', data: Buffer.from('b{}'.repeat(1_000)) }],
        readImage: async (path) =>
          path === '/images/kiln.svg' ? { data: Buffer.from('<svg/>'), mediaType: 'image/svg+xml' } : null,
      },
      forms,
      pictures: createPictureVariants(createPictureVariantRepository(db), () => undefined),
      limits: {
        page: async (client) => {
          if (client === 'greedy') throw new RateLimitedError('Too many.', 7_000);
          pages += 1;
        },
        publicRequest: async () => undefined,
      },
      onFault: (message, error) => expect.unreachable(`${message}: ${String(error)}`),
    });
    const visitRaw: Opened['visitRaw'] = (target, headers = {}, method = 'GET', body = '') =>
      answer({
        method,
        target,
        client: headers['client'] ?? 'visitor',
        header: (name) => headers[name],
        body: async () => (body.length > MAX_FORM_BYTES ? null : Buffer.from(body)),
      });
    const visit: Opened['visit'] = async (...given) => {
      const { status, headers, body } = await visitRaw(...given);
      return { status, headers, text: Buffer.from(body ?? []).toString('utf8') };
    };
    await give({ content, visit, visitRaw });
  },
});

/** Addresses that older versions stored, by the valid ones that the tests enter for them. */
const STORED = { 'https://one.example/x': 'https://[', 'https://two.example/x': 'http://a%b' };

/** Replaces all stored addresses with ones that no input schema accepts. */
async function storeInvalidAddresses(db: Database): Promise<void> {
  for (const [valid, invalid] of Object.entries(STORED)) {
    await db.write(async (tx) => {
      await tx.run(sql`update entries set draft = replace(draft, ${valid}, ${invalid}),
        published = replace(published, ${valid}, ${invalid})`);
      await tx.run(sql`update site_documents set value = replace(value, ${valid}, ${invalid})`);
    });
  }
}

async function publish(content: ContentBackend, title: string, more: object = {}, type: 'page' | 'post' = 'page') {
  const { entry } = await content.create({ type, title, ...more }, by);
  await content.publish(entry.id, by);
  return entry.id;
}

describe('pages', () => {
  it('are rendered once for each published state, for all visitors', async ({ site: { content, visit } }) => {
    const id = await publish(content, 'Home', { slug: 'home' });
    const first = await Promise.all([visit('/'), visit('/'), visit('/?utm=1')]);
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(render).toHaveBeenCalledTimes(1);

    await content.patch(id, [{ op: 'set', field: 'title', value: 'New words' }], by);
    await content.create({ type: 'page', title: 'Another draft' }, by);
    expect((await visit('/')).text).toContain('>Home</h1>');
    expect(render).toHaveBeenCalledTimes(1);

    await content.publish(id, by);
    expect((await visit('/')).text).toContain('>New words</h1>');
    expect(render).toHaveBeenCalledTimes(2);
    await content.updateSettings({ footerText: 'Est. 1950' }, by);
    expect((await visit('/')).text).toContain('Est. 1950');
    await content.unpublish(id, by);
    expect((await visit('/')).text).not.toContain('New words');
  });

  it('hold no script, and what an editor wrote ends none of the data for search engines', async ({ site }) => {
    await publish(site.content, 'Home', { slug: 'home' });
    const items = [{ question: 'Is it</script><script>alert(1)</script>?', answer: 'No.' }];
    await publish(site.content, '</script><script>alert(2)</script>', {
      slug: 'faq',
      sections: [{ type: 'faq', fields: { items } }],
    });
    const { text } = await site.visit('/faq');
    const scripts = [...text.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
    expect(scripts.map(([, attributes]) => attributes)).toEqual(Array(2).fill(' type="application/ld+json"'));
    const data = scripts.map(([, , json = '']) => JSON.parse(json) as Record<string, unknown>);
    expect(data.map((each) => each['@type'])).toEqual(['BreadcrumbList', 'FAQPage']);
    expect(JSON.stringify(data)).toContain('Is it</script>');
  });

  it('contain canonical address, type and breadcrumbs for search engines', async ({ site }) => {
    await publish(site.content, 'Home', { slug: 'home' });
    const above = await publish(site.content, 'About us', { slug: 'about' });
    await publish(site.content, 'Team', { slug: 'team', parent: above, seo: { image: '/images/kiln.svg' } });
    const { text } = await site.visit('/about/team');
    expect(text).toContain('<link rel="canonical" href="https://kiln.example/about/team"/>');
    expect(text).toContain('<meta property="og:image" content="https://kiln.example/images/kiln.svg"/>');
    expect(text).toContain('"name":"About us","item":"https://kiln.example/about"');
    await publish(site.content, 'First firing', { excerpt: 'Hot.', author: 'Ada' }, 'post');
    const post = await site.visit('/blog/first-firing');
    expect(post.text).toMatch(/"@type":"Article","headline":"First firing".*"datePublished":"20/);
    expect(post.text).toContain('<meta property="og:type" content="article"/>');
    const feed = await site.visit('/feed.xml');
    expect(feed.headers['content-type']).toBe('application/rss+xml; charset=utf-8');
    expect(feed.text).toContain('<link>https://kiln.example/blog/first-firing</link>');
    const sitemap = await site.visit('/sitemap.xml');
    expect(sitemap.text).toContain('<loc>https://kiln.example/about/team</loc>');
    expect((await site.visit('/robots.txt')).text).toContain('Sitemap: https://kiln.example/sitemap.xml');
  });
});

describe('an answer', () => {
  it('is compressed as the browser can read it, and not sent twice', async ({ site: { content, visit, visitRaw } }) => {
    await publish(content, 'Home', { slug: 'home' });
    const whole = await visit('/');
    const brotli = await visitRaw('/', { 'accept-encoding': 'gzip, br' });
    const gzip = await visitRaw('/', { 'accept-encoding': 'gzip, br;q=0' });
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(brotliDecompressSync(brotli.body!).toString()).toBe(whole.text);
    expect(gunzipSync(gzip.body!).toString()).toBe(whole.text);
    const { etag = '' } = whole.headers;
    expect(await visitRaw('/', { 'if-none-match': `"x", ${etag}` })).toMatchObject({ status: 304, body: null });
    const head = await visitRaw('/', {}, 'HEAD');
    expect(head).toMatchObject({
      status: 200,
      body: null,
      headers: { 'content-length': String(Buffer.byteLength(whole.text)) },
    });

    const id = (await content.get('home')).id;
    await content.patch(id, [{ op: 'set', field: 'title', value: 'Start' }], by);
    await content.publish(id, by);
    expect((await visit('/', { 'if-none-match': etag })).status).toBe(200);
  });

  it('is cached permanently if its address names its bytes', async ({ site: { visit } }) => {
    const { headers, status } = await visit('/assets/site-1.css');
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  });
});

describe('an address', () => {
  it('of an earlier version redirects with its query, and so does another spelling', async ({ site }) => {
    await publish(site.content, 'Home', { slug: 'home' });
    const id = await publish(site.content, 'Prices');
    await site.content.patch(id, [{ op: 'set', field: 'slug', value: 'pricing' }], by);
    await site.content.publish(id, by);
    for (const [target, to] of [
      ['/prices?ref=x', '/pricing?ref=x'],
      ['/Pricing', '/pricing'],
      ['/pricing/', '/pricing'],
      ['//pricing', '/pricing'],
      ['/home', '/'],
    ] as const) {
      const { status, headers } = await site.visit(target);
      expect([target, status, headers['location']]).toEqual([target, 301, to]);
    }
  });

  it('of an unpublished entry is gone, or redirects to a chosen address', async ({ site: { content, visit } }) => {
    await publish(content, 'Home', { slug: 'home' });
    const id = await publish(content, 'Summer sale');
    await visit('/summer-sale');
    await content.trash(id, by);
    const gone = await visit('/summer-sale');
    expect([gone.status, gone.text.includes('This page is gone')]).toEqual([410, true]);
    await content.updateSettings({ redirects: '/summer-sale https://shop.example/\n/flyer /' }, by);
    const on = await visit('/summer-sale?ref=1');
    expect([on.status, on.headers['location']]).toEqual([301, 'https://shop.example/?ref=1']);
    expect((await visit('/flyer')).headers['location']).toBe('/');
  });

  it.for(Object.entries(STORED))(
    'that holds an invalid stored address is shown without it: %s, %s',
    async ([valid, invalid], { db, site: { content, visit } }) => {
      const image = { src: valid, alt: 'A bowl' };
      const sections = [
        { type: 'hero', fields: { heading: 'H', image: valid, ctaLabel: 'Visit us', ctaHref: valid } },
        { type: 'text', fields: { body: `[Shop](${valid}) ![A cup](${valid})` } },
        { type: 'html', fields: { html: `<p><a href="${valid}">Map</a><img src="${valid}" alt="A jug"></p>` } },
        { type: 'call-to-action', fields: { heading: 'Buy', buttonLabel: 'Buy now', buttonHref: valid } },
        { type: 'image', fields: image },
        { type: 'gallery', fields: { images: [image] } },
      ];
      await publish(content, 'Home', { slug: 'home', sections, image: valid, seo: { image: valid } });
      await publish(content, 'First firing', { image: valid, seo: { image: valid } }, 'post');
      await content.setNavigation([{ label: 'Elsewhere', href: valid }], by);
      await content.updateSettings({ icon: valid, redirects: `/flyer ${valid}` }, by);
      await storeInvalidAddresses(db);
      const home = await visit('/');
      expect(home.status).toBe(200);
      for (const label of ['Visit us', 'Shop', 'Map', 'A cup', 'A jug', 'Buy now', 'Elsewhere'])
        expect(home.text).toContain(label);
      for (const path of ['/', '/blog', '/blog/first-firing', '/sitemap.xml', '/feed.xml', '/favicon.png']) {
        const { status, text } = await visit(path);
        expect(status, path).toBe(200);
        expect(text, path).not.toContain(invalid);
      }
      expect((await visit('/flyer')).status).toBe(404);
    },
  );

  it("an unknown path shows the editors' not-found page", async ({ site: { content, visit } }) => {
    await publish(content, 'Home', { slug: 'home' });
    expect((await visit('/nowhere')).text).toContain('Page not found');
    const sections = [{ type: 'text' as const, fields: { body: 'The kiln is cold here.' } }];
    const id = await publish(content, 'Nothing fired yet', { slug: '404', sections });
    for (const target of ['/nowhere', '/404']) {
      const { status, text } = await visit(target);
      expect([status, text.includes('The kiln is cold here.')], target).toEqual([404, true]);
      expect(text).toContain('<meta name="robots" content="noindex"/>');
    }
    expect((await visit('/sitemap.xml')).text).not.toContain('/404');
    await content.unpublish(id, by);
    expect((await visit('/nowhere')).text).toContain('Page not found');
    // The page for what is missing is missing.
    expect((await visit('/404')).status).toBe(410);
  });

  it('an unknown path renders one page for all such paths', async ({ site: { content, visit } }) => {
    await publish(content, 'Home', { slug: 'home' });
    const found = await Promise.all(['/nowhere', '/a/b', '/%70', '/api/health', '/__proto__'].map((at) => visit(at)));
    expect(found.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(found[0]!.text).toContain('noindex');
    expect(render).toHaveBeenCalledTimes(1);
    expect(pages).toBe(5);
    for (const target of ['/%ff', '/a%00b', '/a%5cb', 'http://[']) expect((await visit(target)).status).toBe(400);
    expect((await visit('/', {}, 'POST')).status).toBe(404);
  });

  it('is refused to a client above its limit while it has to be rendered', async ({ site: { content, visit } }) => {
    await publish(content, 'Home', { slug: 'home' });
    expect(await visit('/', { client: 'greedy' })).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    await visit('/');
    expect((await visit('/', { client: 'greedy' })).status).toBe(200);
  });

  it('of a picture is one as long as something published shows it', async ({ site: { content, visitRaw, visit } }) => {
    const data = await colouredPicture('#4a6fa5');
    const { asset } = await content.assets.add({ data, filename: 'glaze.png' }, by);
    expect((await visit(asset.url)).status).toBe(404);
    const image = { type: 'image', fields: { src: asset.url, alt: 'Glaze' } } as const;
    await publish(content, 'Glazes', { sections: [image] });
    const shown = await visitRaw(asset.url);
    expect(shown).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
    expect(Buffer.from(shown.body!).equals(data)).toBe(true);
    expect((await visit(asset.url, { 'if-none-match': shown.headers['etag']! })).status).toBe(304);
    expect((await visit(`${asset.url}?version=${asset.version}`)).status).toBe(404);
    expect((await visit('/images/kiln.svg')).headers['content-type']).toBe('image/svg+xml');
    const icon = await visitRaw('/favicon.ico');
    expect(icon.headers['content-type']).toBe('image/png');
    await content.updateSettings({ icon: asset.url }, by);
    expect(Buffer.from((await visitRaw('/favicon.png')).body!).equals(Buffer.from(icon.body!))).toBe(false);
  });

  it('of the icon follows the published design, in the sizes that the page links', async ({
    site: { content, visit, visitRaw },
  }) => {
    const data = await colouredPicture('#4a6fa5', { width: 64, height: 16 });
    const { asset } = await content.assets.add({ data, filename: 'logo.png' }, by);
    await publish(content, 'Home', { slug: 'home' });
    const linked = async () =>
      [...(await visit('/')).text.matchAll(/rel="(?:apple-touch-)?icon" href="([^"]+)"/g)].map(([, href]) => href!);
    expect(await linked()).toEqual(['/favicon.png', '/favicon.png']);
    await content.updateDesign({ icon: asset.url, palette: { paper: '#ffffff' } }, by);
    const ring = Buffer.from((await visitRaw('/favicon-512.png')).body!);
    await content.updateDesign({}, by, { isPublished: true });
    const sides = [32, 512, 180];
    for (const [index, address] of (await linked()).entries()) {
      const { body, headers } = await visitRaw(address);
      expect(headers['content-type']).toBe('image/png');
      expect(await sharp(body!).metadata()).toMatchObject({ width: sides[index], height: sides[index] });
      const { data: pixels, info } = await sharp(body!).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      // Above and below the wide picture: phones fill transparent areas with black.
      expect([...pixels.subarray(0, info.channels)]).toEqual(index === 2 ? [255, 255, 255, 255] : [0, 0, 0, 0]);
    }
    expect(Buffer.from((await visitRaw('/favicon-512.png')).body!).equals(ring)).toBe(false);
  });

  it('of a picture variant is open to those who may see the picture, a crop if a page shows it', async ({
    site: { content, visitRaw, visit },
  }) => {
    const data = await colouredPicture('#4a6fa5', { width: 900, height: 600 });
    const { asset } = await content.assets.add({ data, filename: 'glaze.png' }, by);
    const at = `/media/${asset.id}/${asset.version}`;
    expect((await visit(`${at}/400.webp`)).status).toBe(404);
    const src = `${asset.url}#xywh=percent:10,0,80,100`;
    await publish(content, 'Glazes', { sections: [{ type: 'image', fields: { src, alt: 'Glaze' } }] });
    expect((await visit('/glazes')).text).toContain(`${at}/400-10-0-80-100.webp 400w`);
    for (const name of ['400.webp', '400-10-0-80-100.webp'])
      expect(await visitRaw(`${at}/${name}`), name).toMatchObject({
        status: 200,
        headers: { 'content-type': 'image/webp', 'cache-control': 'public, max-age=31536000, immutable' },
      });
    for (const name of ['400-11-0-80-100.webp', '401.webp', '400.png', '0400.webp'])
      expect((await visit(`${at}/${name}`)).status, name).toBe(404);
    expect((await visit(`/media/${asset.id}/${'0'.repeat(16)}/400.webp`)).status).toBe(404);
    // It takes seconds to make: until then the other format is served, without caching.
    expect(await visitRaw(`${at}/400.avif`)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/webp', 'cache-control': 'private, no-store' },
    });
  });
});

describe('a form', () => {
  const form = {
    fields: [{ label: 'Name', kind: 'text', required: true }],
    submitLabel: 'Send',
    thanks: 'Until then.',
  };

  it('knows when its page was sent, although that is cached, and leads to thanks or back', async ({
    site: { content, visit, visitRaw },
  }) => {
    const id = await publish(content, 'Write', { sections: [{ type: 'form', fields: form }] });
    const before = Date.now();
    const page = await visit('/write');
    const opened = Number(/name="_opened" value="(\d+)"/.exec(page.text)?.[1]);
    expect(opened).toBeGreaterThanOrEqual(before);
    expect(opened).toBeLessThan(Date.now() + 1_000);
    const zipped = await visitRaw('/write', { 'accept-encoding': 'br, gzip' });
    expect(gunzipSync(zipped.body!).toString()).toContain('name="_opened" value="1');
    expect((await visit('/write', { 'if-none-match': page.headers['etag']! })).status).toBe(304);
    expect(render).toHaveBeenCalledTimes(1);

    const action = /action="(\/forms\/[^"]*)"/.exec(page.text)?.[1] ?? '';
    expect(action).toBe(`/forms/${id}/${(await content.get(id)).draft.sections[0]?.id}`);
    const send = (given: Record<string, string>) =>
      visit(action, {}, 'POST', new URLSearchParams({ [OPENED_FIELD]: String(before - 60_000), ...given }).toString());
    const refused = await send({ '-Name': '' });
    expect([refused.status, refused.text]).toEqual([303, 'The page at Location tells what has become of it.']);
    const back = await visit(refused.headers['location']!.replace(/#.*/, ''));
    expect([back.status, back.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(back.text).toContain('Please fill this in.');
    const taken = await send({ '-Name': 'Mara' });
    expect((await visit(taken.headers['location']!.replace(/#.*/, ''))).text).toContain('Until then.');
    // The cached page is served for any other query parameter.
    const calls = render.mock.calls.length;
    expect((await visit('/write?form=x&utm=1')).text).toContain('name="_opened"');
    expect(render).toHaveBeenCalledTimes(calls);
  });

  it('is sent by the id that its author gave it', async ({ site: { content, visit } }) => {
    const id = await publish(content, 'Write', {});
    await content.patch(id, [{ op: 'insert-section', section: { id: 'sec_contact', type: 'form', fields: form } }], by);
    await content.publish(id, by);
    const { text } = await visit('/write');
    const action = /action="(\/forms\/[^"]*)"/.exec(text)?.[1] ?? '';
    const sent = new URLSearchParams({ [OPENED_FIELD]: String(Date.now() - 60_000), '-Name': 'Mara' });
    expect((await visit(action, {}, 'POST', sent.toString())).status).toBe(303);
  });
});
