import { cancelledSchema } from '#server/core/conversation/turns';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Stops the running turn, wherever it runs; what waits in the queue is held',
    answer: cancelledSchema,
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, anySession }) => {
    const { id } = await anySession(params.id);
    return services.chat.cancel(id);
  },
);
