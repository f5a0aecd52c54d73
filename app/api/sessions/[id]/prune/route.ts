import { prunedSchema } from '#server/core/conversation/events';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Clears old tool outputs from what the model sees; nothing is lost',
    answer: prunedSchema,
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, anySession }) => services.context.prune(await anySession(params.id)),
);
