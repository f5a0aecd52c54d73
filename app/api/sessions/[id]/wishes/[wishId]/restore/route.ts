import { keptWishSchema } from '#server/core/kept-wishes';
import { route } from '#server/http/route';
import { wishParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Keeps a wish again that was let go',
    answer: keptWishSchema,
    access: 'chat',
    params: wishParams,
  },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    return services.wishes.keepAgain(id, params.wishId);
  },
);
