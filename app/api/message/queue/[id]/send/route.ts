import { findOwnQueued } from '#server/http/find-for-caller';
import { route } from '#server/http/route';
import { queuedParams, startedSchema } from '#server/http/schemas/chat';

export const POST = route(
  {
    summary: 'Puts a message in front of all others; starts its turn when none runs',
    answer: startedSchema,
    access: 'chat',
    startsTurn: true,
    params: queuedParams,
  },
  async ({ params, services, ownSession, principal }) => {
    const { id } = await findOwnQueued(params.id, { services, ownSession });
    return services.chat.sendQueued(id, principal);
  },
);
