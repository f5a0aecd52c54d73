import { clientOf } from '#server/platform/auth/trusted-headers';
import { publishedAddress } from '#server/http/request-origin';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';
import { cachedSitemap } from '#server/site/public/sitemap';

/** Makes the sitemap; keeps the last one. */
const sitemapOf = cachedSitemap();

export const GET = route(
  {
    summary: 'Every published address that search engines may show',
    answer: { 200: content('application/xml', 'A sitemap.') },
    access: 'public',
  },
  async ({ services: { content: site, env, limits }, request: { headers } }) => {
    const countPage = async () => {
      if (env.AUTH_MODE === 'accounts') await limits.page(clientOf(headers).address);
    };
    const xml = await sitemapOf(site, publishedAddress({ env }, headers) ?? 'http://localhost/site', countPage);
    return new Response(xml, { headers: { 'content-type': 'application/xml; charset=utf-8' } });
  },
);
