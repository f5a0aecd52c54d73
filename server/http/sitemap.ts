import type { Services } from '#server/services';

type ContentBackend = Services['content'];

/** Most addresses of one sitemap, by its protocol. */
const MAX_URLS = 50_000;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

interface Address {
  readonly path: string;
  /** Epoch milliseconds. */
  readonly changedAt: number;
}

/** Published addresses, but for those that search engines are asked to leave out. */
async function addresses(content: ContentBackend): Promise<Address[]> {
  const found: Address[] = [];
  for (const type of ['page', 'post'] as const) {
    for (let cursor: string | null | undefined; cursor !== null && found.length < MAX_URLS;) {
      const page: Awaited<ReturnType<ContentBackend['query']>> = await content.query({
        type,
        state: 'published',
        sort: 'created',
        order: 'asc',
        select: ['seo'],
        limit: 100,
        cursor,
      });
      const shown = page.items.filter(({ selected }) => selected?.seo?.noIndex !== true);
      found.push(...shown.map(({ path, updatedAt }) => ({ path, changedAt: updatedAt })));
      cursor = page.nextCursor;
    }
  }
  return found.slice(0, MAX_URLS);
}

/** The sitemap of the published site. `origin`: `https://example.org`. */
export async function sitemapXml(content: ContentBackend, origin: string): Promise<string> {
  const urls = (await addresses(content)).map(({ path, changedAt }) => {
    const address = escaped(`${origin}/site${path === '/' ? '' : path}`);
    return `  <url><loc>${address}</loc><lastmod>${new Date(changedAt).toISOString()}</lastmod></url>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>',
    '',
  ].join('\n');
}
