import { serverText } from '#server/core/messages/server-text';
import { messageOfText, notesFrom } from '#server/core/message-data';
import { requireBuiltIn } from '#server/http/admission';
import { staticSiteSchema } from '#server/core/site/static-site';
import { InvalidInputError } from '#server/core/errors';
import { zipDownload } from '#server/http/downloads/file-response';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';
import { staticSiteQuery } from '#server/http/schemas/import-export';

/** The published site as static files for any server; each file is made while the archive is sent. */
export const GET = route(
  {
    summary: 'The published site as a ZIP of static files; refused where a link leads nowhere or a picture is missing',
    answer: {
      200: [staticSiteSchema, content('application/zip', 'Pages, pictures, style sheet, feeds and redirects.')],
    },
    access: 'content:read',
    query: staticSiteQuery,
  },
  async ({ query, services, principal, audit }) => {
    requireBuiltIn(principal);
    const url = query.url ?? services.env.SITE_URL;
    if (url === undefined) throw new InvalidInputError(serverText('site-address-missing'));
    const address = new URL(url).origin;
    const { pages, problems, notes, files } = await services.staticSite(address);
    if (query.check === '1') {
      const { notes: texts = [], noteMessages = [] } = notesFrom(notes);
      const named = problems.map(({ page, reason }) => ({ page, message: reason.text, reason: messageOfText(reason) }));
      return { address, pages, problems: named, notes: texts, noteMessages };
    }
    const made = files();
    // Reports problems that prevent the export before the response starts.
    const first = await made.next();
    const { siteName } = await services.builtIn.content.settings();
    await audit('site-exported', { target: siteName, details: { format: 'zip' } });
    return zipDownload(siteName, first.done ? [] : [first.value], made);
  },
);
