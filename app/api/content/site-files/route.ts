import { requireBuiltIn } from '#server/http/caller';
import { staticSiteSchema } from '#server/core/site-lists';
import { InvalidInputError } from '#server/core/errors';
import { zipResponse } from '#server/http/export';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/answer';
import { staticSiteQuery } from '#server/http/schemas/files';

/** The published site as files for any server, each made while the archive is sent. */
export const GET = route(
  {
    summary: 'The published site as a ZIP of static files; refused where a link leads nowhere or a picture is missing',
    answer: {
      200: [staticSiteSchema, content('application/zip', 'Pages, pictures, style sheet, feeds and redirects.')],
    },
    access: 'content:read',
    query: staticSiteQuery,
  },
  async ({ query, services, principal }) => {
    requireBuiltIn(principal);
    const url = query.url ?? services.env.SITE_URL;
    if (url === undefined) throw new InvalidInputError('Say where the site will be: ?url=https://kiln.example');
    const address = new URL(url).origin;
    const { pages, problems, notes, files } = await services.staticSite(address);
    if (query.check === '1') return { address, pages, problems, notes };
    const made = files();
    // What keeps it from being one is said before anything is sent.
    const first = await made.next();
    const { siteName } = await services.builtIn.content.settings();
    return zipResponse(siteName, first.done ? [] : [first.value], made);
  },
);
