import { findOwnImport } from '#server/http/find-for-caller';
import { importRunSchema } from '#server/core/site/imports';
import { route } from '#server/http/route';
import { importParams } from '#server/http/schemas/import-export';

export const POST = route(
  {
    summary: 'Ends an import before its next page, post or picture; what was taken stays',
    answer: importRunSchema,
    access: 'content:write',
    params: importParams,
  },
  async ({ params, services, principal }) =>
    services.imports.cancel((await findOwnImport(params.id, { services, principal })).id),
);
