import { preferencesSchema } from '#server/core/conversation/preferences';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Lasting wishes of the user that the conversation keeps in mind, oldest first',
    answer: preferencesSchema,
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, anySession }) => {
    const { id } = await anySession(params.id);
    return { items: await services.wishes.keptWishes(id) };
  },
);
