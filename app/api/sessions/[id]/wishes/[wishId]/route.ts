import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { preferenceParams } from '#server/http/schemas/sessions';

export const DELETE = route(
  {
    summary: 'Lets a wish go: the conversation does not keep it in mind any more',
    answer: { 204: null },
    access: 'chat',
    params: preferenceParams,
  },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    await services.wishes.letGo(id, params.wishId);
    return noContent();
  },
);
