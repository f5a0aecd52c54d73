import { themeRootsOf } from '#server/core/site/theme';
import { content as file } from '#server/http/schemas/route-answer';
import { themePageParams } from '#server/http/schemas/theme';
import { namedSite } from '#server/http/request-site';
import { route } from '#server/http/route';

/** The address of a path below a root. */
function addressBelow(root: string, path: string): string {
  return path === '/' ? root : root + path.split('/').map(encodeURIComponent).join('/');
}

/** Redirects for this request only. */
function redirectTo(location: string): Response {
  return new Response(null, { status: 307, headers: { location, 'cache-control': 'no-store' } });
}

export const GET = route(
  {
    summary:
      'A draft of a connected site as its CMS shows it, without scripts; else leads to the preview in our design',
    answer: { 200: file('text/html', 'The page, its sections marked by `data-section`.') },
    access: 'content:read',
    params: themePageParams,
  },
  async ({ params, principal, services }) => {
    const { siteId, segments } = await namedSite(params.slug, principal, services);
    const { content } = services.at(siteId);
    const roots = themeRootsOf(siteId);
    const path = `/${segments.join('/')}`;
    const found = await content.findByPath(path, 'draft');
    if (found?.kind === 'redirect' && found.to.startsWith('/')) return redirectTo(`${roots.pages}${found.to}`);
    const look = found?.kind === 'entry' ? await content.themePreview(found.entry, roots) : null;
    if (look === null || look.html === null)
      return redirectTo(`${addressBelow(`/preview/~${siteId}`, path)}?look=${look?.gap ?? 'no-page'}`);
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    return new Response(look.html, { headers });
  },
);
