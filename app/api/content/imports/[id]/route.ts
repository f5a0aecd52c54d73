import { theirImport } from '#server/http/find-for-caller';
import { importRunSchema } from '#server/core/imports';
import { route } from '#server/http/route';
import { importParams } from '#server/http/schemas/files';

export const GET = route(
  {
    summary: 'How far an import is, and what became of everything in its file',
    answer: importRunSchema,
    access: 'content:write',
    params: importParams,
  },
  async ({ params, services, principal }) => theirImport(params.id, { services, principal }),
);
