import { lookRootsOf } from '#server/core/cms-look';
import { content as file } from '#server/http/schemas/answer';
import { lookFileParams } from '#server/http/schemas/files';
import { namedSite } from '#server/http/caller';
import { route } from '#server/http/route';

/** A theme's files change seldom, and their addresses with them; seconds. */
const KEPT_FOR = 600;

export const GET = route(
  {
    summary: 'A style sheet, picture or font of a connected site, for pages as its CMS shows them',
    answer: { 200: file('*/*', 'The file. Addresses in a style sheet are ours.') },
    access: 'content:read',
    params: lookFileParams,
  },
  async ({ params, principal, request, services }) => {
    const { siteId, segments } = await namedSite(params.path, principal, services);
    const path = `/${segments.map(encodeURIComponent).join('/')}${new URL(request.url).search}`;
    const { mediaType, data } = await services.at(siteId).content.lookFile(path, lookRootsOf(siteId));
    return new Response(data.slice(), {
      headers: {
        'content-type': mediaType,
        'cache-control': `private, max-age=${KEPT_FOR}`,
        vary: 'cookie, authorization',
      },
    });
  },
);
