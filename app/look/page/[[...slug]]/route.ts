import { lookRootsOf } from '#server/core/cms-look';
import { content as file } from '#server/http/schemas/answer';
import { lookPageParams } from '#server/http/schemas/files';
import { namedSite } from '#server/http/caller';
import { route } from '#server/http/route';

function below(root: string, path: string): string {
  return path === '/' ? root : root + path.split('/').map(encodeURIComponent).join('/');
}

function leadTo(location: string): Response {
  return new Response(null, { status: 307, headers: { location, 'cache-control': 'no-store' } });
}

export const GET = route(
  {
    summary:
      'A draft of a connected site as its CMS shows it, without scripts; else leads to the preview in our design',
    answer: { 200: file('text/html', 'The page, its sections marked by `data-section`.') },
    access: 'content:read',
    params: lookPageParams,
  },
  async ({ params, principal, services }) => {
    const { siteId, segments } = await namedSite(params.slug, principal, services);
    const { content } = services.at(siteId);
    const roots = lookRootsOf(siteId);
    const path = `/${segments.join('/')}`;
    const found = await content.findByPath(path, 'draft');
    if (found?.kind === 'redirect' && found.to.startsWith('/')) return leadTo(`${roots.pages}${found.to}`);
    const look = found?.kind === 'entry' ? await content.look(found.entry, roots) : null;
    if (look === null || look.html === null)
      return leadTo(`${below(`/preview/~${siteId}`, path)}?look=${look?.gap ?? 'no-page'}`);
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    return new Response(look.html, { headers });
  },
);
