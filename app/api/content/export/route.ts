import { content } from '#server/http/schemas/route-answer';
import { textDownload } from '#server/http/downloads/file-response';
import { route } from '#server/http/route';
import { exportSiteQuery } from '#server/http/schemas/import-export';

/** The whole site as a file, read page by page while it is sent. */
export const GET = route(
  {
    summary: 'The whole site as a JSON file, which an import takes back',
    answer: { 200: content('application/json', 'Pages and posts with drafts, media, menu, settings and redirects.') },
    access: 'content:read',
    query: exportSiteQuery,
  },
  async ({ query: { media, trashed }, services, audit }) => {
    const { siteName } = await services.content.settings();
    await audit('site-exported', { target: siteName, details: { format: 'json' } });
    const file = await services.siteExport({ media: media === '1', trashed: trashed === '1' });
    return textDownload(siteName, 'json', file);
  },
);
