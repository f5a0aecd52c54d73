import { compactCancelledSchema } from '#server/core/conversation/context-report';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Stops a summary that is being made',
    answer: compactCancelledSchema,
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, anySession }) => {
    const { id } = await anySession(params.id);
    return { cancelled: await services.context.cancelCompaction(id) };
  },
);
