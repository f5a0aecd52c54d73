import { MAX_IMPORT_BYTES } from '#server/core/limits';
import { importListSchema, importRunSchema } from '#server/core/site/imports';
import { includesSite } from '#server/core/admin/site-access';
import { bytesBody } from '#server/http/read-body';
import { accepted } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { listImportsQuery, startImportQuery } from '#server/http/schemas/import-export';

export const GET = route(
  {
    summary: 'The imports, newest first',
    answer: importListSchema,
    access: 'content:write',
    query: listImportsQuery,
  },
  async ({ query, services: { imports }, principal: { sites } }) => ({
    items: (await imports.list(query.site)).filter(({ target }) => includesSite(sites, target.id)),
  }),
);

export const POST = route(
  {
    summary: 'Takes over a whole site from a file: an export of WordPress (WXR) or of ours (JSON)',
    answer: { 200: importRunSchema, 202: importRunSchema },
    access: 'content:write',
    query: startImportQuery,
    body: bytesBody,
    mediaTypes: ['application/xml', 'application/json'],
    bodyLimit: MAX_IMPORT_BYTES,
  },
  async ({
    query: { filename, site, approve, pictures, settings, dryRun },
    body,
    principal,
    audit,
    services: { imports, keys, requireSite },
  }) => {
    requireSite();
    const file = {
      data: body,
      filename,
      userId: principal.userId,
      siteId: site,
      theirs: principal.sites,
      approve,
      options: { pictures: pictures === '1', settings: settings === '1' },
    };
    if (dryRun === '1') return imports.rehearse(file);
    const { keyId } = principal;
    const run = await imports.start({ ...file, ...(keyId !== null && { watch: () => keys.watch(keyId) }) });
    await audit('content-published', { target: filename, details: { importId: run.id } });
    return accepted(run);
  },
);
