import { route } from '#server/http/route';
import { importParams } from '#server/http/schemas/files';
import { undoOutcomeSchema } from '#server/core/content';

export const POST = route(
  {
    summary: 'Takes an import back, but for what was changed since; its pages and posts go into the trash',
    answer: undoOutcomeSchema,
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
