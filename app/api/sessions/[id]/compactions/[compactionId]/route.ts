import { compactionDetailSchema } from '#server/core/conversation/context-report';
import { route } from '#server/http/route';
import { compactionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'What one compaction made and kept',
    answer: compactionDetailSchema,
    access: 'chat',
    params: compactionParams,
  },
  async ({ params, services, anySession }) => {
    const { id } = await anySession(params.id);
    return services.context.compaction(id, params.compactionId);
  },
);
