import { theirImport } from '#server/http/find-for-caller';
import { route } from '#server/http/route';
import { importParams } from '#server/http/schemas/files';
import { undoOutcomeSchema } from '#server/core/changes';

export const POST = route(
  {
    summary: 'Takes an import back, but for what was changed since; its pages and posts go into the trash',
    answer: undoOutcomeSchema,
    access: 'content:write',
    params: importParams,
  },
  async ({ params, origin, audit, services, principal }) => {
    const { id } = await theirImport(params.id, { services, principal });
    const outcome = await services.imports.undo(id, origin);
    await audit('changes-undone', {
      target: `${outcome.undone.length} changes`,
      details: { sessionId: params.id },
    });
    return outcome;
  },
);
