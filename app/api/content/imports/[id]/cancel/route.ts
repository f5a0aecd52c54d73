import { theirImport } from '#server/http/find-for-caller';
import { importRunSchema } from '#server/core/imports';
import { route } from '#server/http/route';
import { importParams } from '#server/http/schemas/files';

export const POST = route(
  {
    summary: 'Ends an import before its next page, post or picture; what was taken stays',
    answer: importRunSchema,
    access: 'content:write',
    params: importParams,
  },
  async ({ params, services, principal }) =>
    services.imports.cancel((await theirImport(params.id, { services, principal })).id),
);
