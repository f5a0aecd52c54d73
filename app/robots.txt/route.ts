import { requestOrigin } from '#server/http/caller';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/answer';

/** Search engines read the published site and nothing else. */
export const GET = route(
  {
    summary: 'What search engines may read',
    answer: { 200: content('text/plain', 'Rules for robots.') },
    access: 'public',
  },
  async ({ request }) => {
    const origin = requestOrigin(request.headers) ?? '';
    const lines = [
      'User-agent: *',
      'Allow: /site',
      'Allow: /media/',
      'Disallow: /',
      `Sitemap: ${origin}/site/sitemap.xml`,
    ];
    return new Response(`${lines.join('\n')}\n`, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  },
);
