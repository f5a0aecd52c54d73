import { requestOrigin } from '#server/http/request-origin';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';

/** Search engines may read only the published site; if it has its own host, they read it there. */
export const GET = route(
  {
    summary: 'What search engines may read',
    answer: { 200: content('text/plain', 'Rules for robots.') },
    access: 'public',
  },
  async ({ request, services: { env } }) => {
    const origin = requestOrigin(request.headers) ?? '';
    const hasOwnHost = env.SITE_URL !== undefined;
    const lines = [
      'User-agent: *',
      ...(hasOwnHost ? [] : ['Allow: /site', 'Allow: /media/']),
      'Disallow: /',
      ...(hasOwnHost ? [] : [`Sitemap: ${origin}/site/sitemap.xml`]),
    ];
    return new Response(`${lines.join('\n')}\n`, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  },
);
