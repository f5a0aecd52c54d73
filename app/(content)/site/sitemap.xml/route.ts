import { content } from '#server/http/schemas/answer';
import { requestOrigin } from '#server/http/caller';
import { route } from '#server/http/route';
import { sitemapXml } from '#server/http/site-page';

export const GET = route(
  {
    summary: 'Every published address that search engines may show',
    answer: { 200: content('application/xml', 'A sitemap.') },
    access: 'public',
  },
  async ({ services, request }) => {
    const xml = await sitemapXml(services.content, requestOrigin(request.headers) ?? '');
    return new Response(xml, { headers: { 'content-type': 'application/xml; charset=utf-8' } });
  },
);
