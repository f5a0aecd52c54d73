import { compactionSchema } from '#server/core/conversation/compactions';
import { route } from '#server/http/route';
import { compactionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Takes a compaction or a prune back: what the model sees is exactly as before',
    answer: compactionSchema,
    access: 'chat',
    params: compactionParams,
  },
  async ({ params, services, anySession }) => {
    return services.context.undo(await anySession(params.id), params.compactionId);
  },
);
