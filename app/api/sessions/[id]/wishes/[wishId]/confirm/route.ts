import { preferenceSchema } from '#server/core/conversation/preferences';
import { route } from '#server/http/route';
import { preferenceParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Confirms a wish that a model proposed: its words alone count from now on, not its whole message',
    answer: preferenceSchema,
    access: 'chat',
    params: preferenceParams,
  },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    return services.wishes.confirm(id, params.wishId, true);
  },
);

export const DELETE = route(
  {
    summary: 'Makes a confirmed wish a proposal again',
    answer: preferenceSchema,
    access: 'chat',
    params: preferenceParams,
  },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    return services.wishes.confirm(id, params.wishId, false);
  },
);
