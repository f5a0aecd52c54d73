import { preferenceSchema } from '#server/core/conversation/preferences';
import { route } from '#server/http/route';
import { preferenceParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Keeps a wish again that was let go',
    answer: preferenceSchema,
    access: 'chat',
    params: preferenceParams,
  },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    return services.wishes.keepAgain(id, params.wishId);
  },
);
