import { findOwnImport } from '#server/http/find-for-caller';
import { route } from '#server/http/route';
import { importParams } from '#server/http/schemas/import-export';
import { undoOutcomeSchema } from '#server/core/site/changes';

export const POST = route(
  {
    summary: 'Takes an import back, but for what was changed since; its pages and posts go into the trash',
    answer: undoOutcomeSchema,
    access: 'content:write',
    params: importParams,
  },
  async ({ params, origin, services, principal }) => {
    const { id } = await findOwnImport(params.id, { services, principal });
    return services.imports.undo(id, origin);
  },
);
