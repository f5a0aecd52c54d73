import { route } from '#server/http/route';
import { importParams, undoneImportSchema } from '#server/http/schemas/imports';

export const POST = route(
  {
    summary: 'Takes an import back, but for what was changed since; its pages and posts go into the trash',
    answer: undoneImportSchema,
    access: 'content:write',
    params: importParams,
  },
  async ({ params, origin, audit, services: { imports } }) => {
    const outcome = await imports.undo(params.id, origin);
    await audit('changes-undone', {
      target: `${outcome.undone.length} changes`,
      details: { sessionId: params.id },
    });
    return outcome;
  },
);
