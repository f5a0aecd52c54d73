import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { renderSiteDocument } from '#components/content/render-site-page';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { createPictureVariants, type PictureVariants } from '#server/site/media/picture-variants';
import { preparePicture } from '#server/site/media/prepare-picture';
import { formsOriginFor, prepareExport } from '#server/site/public/static-export';
import type { Database } from '#server/platform/database/database';
import { createPictureVariantRepository } from '#server/site/store/picture-variant-repository';
import { createContentRepository } from '#server/site/store/content-repository';
import { colouredPicture } from '#tests/support/pictures';
import { createTestDatabase } from '#tests/support/test-database';

const by = { actor: 'user' } as const;
const fetchPicture = () => Promise.reject(new Error('Nothing is fetched here.'));
const text = (body: string) => ({ type: 'text' as const, fields: { body } });

let pictures: PictureVariants;
async function withSite(test: (content: ContentBackend, db: Database) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  pictures = createPictureVariants(createPictureVariantRepository(db), () => undefined);
  const content = new EmbeddedSite(createContentRepository(db), { preparePicture, fetchPicture });
  await publish(content, 'Home', { slug: 'home' });
  await test(content, db);
}

async function publish(content: ContentBackend, title: string, more: object = {}, type: 'page' | 'post' = 'page') {
  const { entry } = await content.create({ type, title, ...more }, by);
  await content.publish(entry.id, by);
  return entry.id;
}

interface PrepareOptions {
  readonly formsOrigin?: string | null;
  /** Title of a page that cannot be rendered. */
  readonly failsAt?: string;
}

const prepare = (content: ContentBackend, { formsOrigin = null, failsAt }: PrepareOptions = {}) =>
  prepareExport({
    content,
    pictures,
    formsOrigin,
    address: 'https://kiln.example',
    theme: {
      render: (page) => {
        if (page.page?.kind === 'entry' && page.page.entry.document.title === failsAt) throw new Error('No.');
        // As pictures may be asked for in several sizes.
        return renderSiteDocument(page).replaceAll(/(\/media\/[\w./-]+\.png)/g, '$1?size=thumb');
      },
      stylesheet: '/assets/site-1.css',
      fonts: [],
      pairs: {},
      assets: [{ path: '/assets/site-1.css', mediaType: 'text/css', data: Buffer.from('b{}') }],
      readImage: async (path) =>
        path === '/images/kiln.svg' ? { data: Buffer.from('<svg/>'), mediaType: 'image/svg+xml' } : null,
    },
    onFault: (message, error) => {
      if (failsAt === undefined) expect.unreachable(`${message}: ${String(error)}`);
    },
  });

async function written(content: ContentBackend, formsOrigin?: string | null): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const { path, data } of (await prepare(content, { formsOrigin: formsOrigin ?? null })).files())
    files.set(path, Buffer.from(data));
  return files;
}

describe('a static export', () => {
  it('reports redirects that lead nowhere, and is written', () =>
    withSite(async (content) => {
      await content.updateSettings({ redirects: '/summer-sale /offers\n/start /' }, by);
      const { notes, problems } = await prepare(content);
      expect(problems).toEqual([]);
      expect(notes.map((note) => note.text)).toEqual([
        'The redirect from /summer-sale to /offers leads visitors nowhere: there is no such page.',
      ]);
      expect((await written(content)).has('_redirects')).toBe(true);
    }));

  it('holds all that visitors see, and each address in it is a file of it', () =>
    withSite(async (content) => {
      const { asset } = await content.assets.add({ data: await colouredPicture('#4a6fa5'), filename: 'glaze.png' }, by);
      const about = await publish(content, 'About', {
        sections: [text(`![Blue](${asset.url}) ![](/images/kiln.svg)`)],
      });
      await publish(content, 'Team', { parent: about, sections: [text('[us](/about) [mail](mailto:a@b.example)')] });
      await publish(content, 'First firing', { image: asset.url }, 'post');
      await content.create({ type: 'page', title: 'Secret draft' }, by);
      await content.patch(about, [{ op: 'set', field: 'slug', value: 'about-us' }], by);
      await content.publish(about, by, { formerPaths: ['/../../up', '/2010/über'] });
      const redirects = '/flyer https://shop.example/?a&b\n/old/page.html /blog\n/2010/über /blog';
      await content.updateSettings({ redirects }, by);
      const files = await written(content);
      expect([...files.keys()].filter((path) => !path.startsWith('media/')).toSorted()).toEqual([
        '2010/über/index.html',
        '404.html',
        '_redirects',
        'about-us/index.html',
        'about-us/team/index.html',
        'about/index.html',
        'about/team/index.html',
        'assets/site-1.css',
        'blog/first-firing/index.html',
        'blog/index.html',
        'favicon.ico',
        'favicon.png',
        'feed.xml',
        'flyer/index.html',
        'images/kiln.svg',
        'index.html',
        'old/page.html',
        'robots.txt',
        'sitemap.xml',
      ]);
      const media = [...files.keys()].filter((path) => path.startsWith('media/')).toSorted();
      const sizes = ['avif', 'webp'].map((format) => `media/${asset.id}/${asset.version}/120.${format}`);
      expect(media.slice(0, 2)).toEqual(sizes);
      for (const size of sizes) expect(String(files.get('about-us/index.html'))).toContain(`srcset="/${size} 120w"`);
      expect((await sharp(files.get(sizes[0]!)).metadata()).compression).toBe('av1');
      const picture = media[2] ?? '';
      expect(picture).toMatch(new RegExp(`^${asset.url.slice(1, -4)}-[0-9a-f]{8}\\.png$`));
      const post = String(files.get('blog/first-firing/index.html'));
      expect(post).toContain(`<meta property="og:image" content="https://kiln.example/${picture}"/>`);
      expect(String(files.get('about/team/index.html'))).toContain('url=/about-us/team"');
      expect(String(files.get('flyer/index.html'))).toContain('<a href="https://shop.example/?a&amp;b">');
      expect(String(files.get('_redirects'))).toContain('/old/page.html /blog 301\n');
      expect(String(files.get('_redirects'))).not.toContain('..');
      expect(String(files.get('_redirects')).match(/^\/2010\/über .*$/gm)).toEqual(['/2010/über /blog 301']);
      expect(String(files.get('404.html'))).toContain('Page not found');
      expect([...files.values()].join('')).not.toContain('Secret draft');
    }));

  it('sends forms to our server, else to a mail program, else omits and reports them', () =>
    withSite(async (content) => {
      const form = { fields: [{ label: 'Name', kind: 'text', required: true }], submitLabel: 'Send' };
      const id = await publish(content, 'Write', { sections: [{ type: 'form', fields: form }] });
      const { sections } = (await content.get(id)).draft;
      const exported = async (origin: string | null) => {
        const { notes } = await prepare(content, { formsOrigin: origin });
        const page = String((await written(content, origin)).get('write/index.html'));
        return {
          said: notes.map((note) => note.text).join(),
          action: /<form[^>]* action="([^"?]*)/.exec(page)?.[1] ?? null,
        };
      };
      const origin = formsOriginFor('https://kiln.example', {
        AUTH_MODE: 'accounts',
        SITE_URL: 'https://kiln.example',
        PUBLIC_URL: 'https://cms.example/',
      });
      expect(await exported(origin)).toEqual({
        said: 'Forms are sent to https://cms.example, which has to stay there. On "Write" (/write).',
        action: `https://cms.example/forms/${id}/${sections[0]?.id}`,
      });
      await content.updateSettings({ contactEmail: 'hello@kiln.example' }, by);
      expect(await exported(null)).toMatchObject({
        said: expect.stringContaining('mail program'),
        action: 'mailto:hello@kiln.example',
      });
      await content.updateSettings({ contactEmail: '' }, by);
      expect(await exported(null)).toMatchObject({ said: expect.stringContaining('left out'), action: null });
    }));

  it('omits and names a page that cannot be rendered, and invalid stored addresses', () =>
    withSite(async (content, db) => {
      const valid = 'https://bad.example/x';
      const fields = { heading: 'Buy', buttonLabel: 'Buy', buttonHref: valid };
      await publish(content, 'Prices', { sections: [text(`[a](${valid})`), { type: 'call-to-action', fields }] });
      await publish(content, 'Broken');
      await publish(content, 'Links', { sections: [text('[b](/broken)')] });
      await content.setNavigation([{ label: 'Shop', href: valid }], by);
      await db.write(async (tx) => {
        await tx.run(sql`update entries set published = replace(published, ${valid}, 'https://[')`);
        await tx.run(sql`update site_documents set value = replace(value, ${valid}, 'http://a%b')`);
      });
      const { problems, notes, pages, files } = await prepare(content, { failsAt: 'Broken' });
      expect(problems).toEqual([]);
      expect(pages).toBe(4);
      expect(notes.map((note) => note.text)).toEqual([
        '"Broken" (/broken) is left out: it cannot be rendered. Links to it lead nowhere.',
        // Markdown encodes what an address cannot contain.
        '"Prices" (/prices): https://%5B is not a valid address: visitors see its text without a link.',
        '"Prices" (/prices): https://[ is not a valid address: visitors see its text without a link.',
        '"Shop" in the menu: http://a%b is not a valid address: visitors see its text without a link.',
      ]);
      const paths: string[] = [];
      for await (const { path } of files()) paths.push(path);
      expect(paths).toEqual(expect.arrayContaining(['index.html', 'prices/index.html', '404.html', 'sitemap.xml']));
      expect(paths).not.toContain('broken/index.html');
    }));

  it('fails by name where a link leads nowhere or a picture is not there', () =>
    withSite(async (content) => {
      const { asset } = await content.assets.add({ data: await colouredPicture('#4a6fa5'), filename: 'glaze.png' }, by);
      const gone = await publish(content, 'Sale', {});
      const body = `[a](/nowhere?x=1#y) [b](/sale) ![c](/images/none.svg) ![d](${asset.url}) [e](https://else.example/x)`;
      await publish(content, 'Prices', { sections: [text(body)] });
      await content.create({ type: 'page', title: 'Draft', slug: 'draft', sections: [text('[f](/also-nowhere)')] }, by);
      expect((await prepare(content)).problems).toHaveLength(2);
      await content.trash(gone, by);
      await content.setNavigation([{ label: 'Missing', href: '/missing' }], by);
      const { problems, files } = await prepare(content);
      expect(
        problems
          .filter(({ page }) => page.startsWith('"Prices"'))
          .map(({ page, reason }) => ({ page, message: reason.text })),
      ).toEqual([
        { page: '"Prices" (/prices)', message: 'the link /missing leads nowhere' },
        { page: '"Prices" (/prices)', message: 'the link /nowhere?x=1#y leads nowhere' },
        { page: '"Prices" (/prices)', message: 'the link /sale leads nowhere' },
        { page: '"Prices" (/prices)', message: 'the picture /images/none.svg is not there' },
      ]);
      expect(problems.some(({ page }) => page.startsWith('The page for addresses'))).toBe(false);
      expect(problems.map(({ page }) => page)).toContain('"The page for addresses where there is nothing" (/-)');
      await expect(files().next()).rejects.toThrow('"Prices" (/prices): the link /sale leads nowhere');
      // An editor lets the address lead on, elsewhere too.
      await content.updateSettings({ redirects: '/sale https://shop.example/\n/nowhere /\n/missing /sale-2' }, by);
      const left = (await prepare(content)).problems.filter(({ page }) => page.startsWith('"Prices"'));
      expect(left.map(({ reason }) => reason.text)).toEqual([
        'the link /missing leads nowhere',
        'the picture /images/none.svg is not there',
      ]);
    }));
});
