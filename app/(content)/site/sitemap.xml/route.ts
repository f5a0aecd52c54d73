import { clientOf } from '#server/auth/client';
import { publishedAddress } from '#server/http/caller';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/answer';
import { keepSitemap } from '#server/public-site/site-page';

const sitemapOf = keepSitemap();

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
