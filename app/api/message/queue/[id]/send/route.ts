import { route } from '#server/http/route';
import { queuedParams } from '#server/http/schemas/queue';

/** Puts the message in front of all others; starts its turn when none runs. */
export const POST = route({ access: 'owner', params: queuedParams }, async ({ params, services }) =>
  services.chat.sendQueued(params.id),
);
