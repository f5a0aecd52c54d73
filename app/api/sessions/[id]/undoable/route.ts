import { undoableSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'What an undo in this session would take back',
    answer: undoableSchema,
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, ownSession }) => {
    const session = await ownSession(params.id);
    return (await services.undoable(session)) ?? { kind: null };
  },
);
