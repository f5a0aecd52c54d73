import type { EntryPage } from '#server/core/site/site-lists';
import type { ContentBackend } from '#server/site/content-backend';
import { BoundedMap } from '#server/core/bounded-map';
import { NOT_FOUND_SLUG, pageAddress } from '#server/core/addresses';

/** Largest number of addresses in one sitemap, by the sitemap protocol. */
const MAX_URLS = 50_000;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

interface Address {
  readonly path: string;
  /** Epoch milliseconds. */
  readonly changedAt: number;
}

/** Published addresses, except those that search engines are asked to leave out. */
async function addresses(content: ContentBackend): Promise<Address[]> {
  const found: Address[] = [];
  for (const type of ['page', 'post'] as const) {
    for (let cursor: string | null | undefined; cursor !== null && found.length < MAX_URLS;) {
      const page: EntryPage = await content.query({
        type,
        state: 'published',
        sort: 'created',
        order: 'asc',
        select: ['seo'],
        limit: 100,
        cursor,
      });
      const shown = page.items.filter(
        ({ path, kind, selected }) =>
          kind === undefined && selected?.seo?.noIndex !== true && path !== `/${NOT_FOUND_SLUG}`,
      );
      found.push(...shown.map(({ path, updatedAt }) => ({ path, changedAt: updatedAt })));
      cursor = page.nextCursor;
    }
  }
  return found.slice(0, MAX_URLS);
}

/** The sitemap of the published site. @param address of its start page, such as `https://example.org` */
export async function sitemapXml(content: ContentBackend, address: string): Promise<string> {
  const urls = (await addresses(content)).map(({ path, changedAt }) => {
    const page = escaped(pageAddress(address, path));
    return `  <url><loc>${page}</loc><lastmod>${new Date(changedAt).toISOString()}</lastmod></url>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>',
    '',
  ].join('\n');
}

/**
 * Longest age in the cache, because the local journal lacks recent changes made in WordPress; milliseconds. A choice,
 * not measured.
 */
const SITEMAP_MS = 60_000;
/** Number of host names for which a sitemap is cached. A choice, not measured. */
const MAX_CACHED_SITEMAPS = 4;

/**
 * Creates a function that returns the sitemap, cached until the site changes, for a minute at most.
 * @param now epoch milliseconds
 */
export function cachedSitemap(now: () => number = Date.now) {
  const known = new BoundedMap<{ readonly change: string; readonly at: number; readonly xml: Promise<string> }>(
    MAX_CACHED_SITEMAPS,
  );
  /** @param beforeRender called before the sitemap is rendered; throwing prevents the rendering */
  return async (content: ContentBackend, origin: string, beforeRender: () => Promise<void>): Promise<string> => {
    const [newest] = await content.changes({ limit: 1 });
    const change = newest?.id ?? '';
    const kept = known.get(origin);
    if (kept?.change === change && now() - kept.at < SITEMAP_MS) return kept.xml;
    await beforeRender();
    const xml = sitemapXml(content, origin);
    known.set(origin, { change, at: now(), xml });
    xml.catch(() => known.delete(origin));
    return xml;
  };
}
