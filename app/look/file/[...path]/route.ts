import { themeRootsOf } from '#server/core/site/theme';
import { content as file } from '#server/http/schemas/route-answer';
import { themeFileParams } from '#server/http/schemas/theme';
import { namedSite } from '#server/http/request-site';
import { route } from '#server/http/route';

/** How long theme files may be cached; seconds. They change seldom, and their addresses change with them. */
const MAX_AGE_S = 600;

export const GET = route(
  {
    summary: 'A style sheet, picture or font of a connected site, for pages as its CMS shows them',
    answer: { 200: file('*/*', 'The file. Addresses in a style sheet are ours.') },
    access: 'content:read',
    params: themeFileParams,
  },
  async ({ params, principal, request, services }) => {
    const { siteId, segments } = await namedSite(params.path, principal, services);
    const path = `/${segments.map(encodeURIComponent).join('/')}${new URL(request.url).search}`;
    const { mediaType, data } = await services.at(siteId).content.themeFile(path, themeRootsOf(siteId));
    return new Response(data.slice(), {
      headers: {
        'content-type': mediaType,
        'cache-control': `private, max-age=${MAX_AGE_S}`,
        vary: 'cookie, authorization',
      },
    });
  },
);
