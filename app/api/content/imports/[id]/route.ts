import { findOwnImport } from '#server/http/find-for-caller';
import { importRunSchema } from '#server/core/site/imports';
import { route } from '#server/http/route';
import { importParams } from '#server/http/schemas/import-export';

export const GET = route(
  {
    summary: 'How far an import is, and what became of everything in its file',
    answer: importRunSchema,
    access: 'content:write',
    params: importParams,
  },
  async ({ params, services, principal }) => findOwnImport(params.id, { services, principal }),
);
