import { queuedItem } from '#server/http/queued-item';
import { noContent } from '#server/http/responses';
import { route } from '#server/http/route';
import { textsOf } from '#server/http/schemas/chat';
import { editQueuedBody, queuedParams } from '#server/http/schemas/queue';

export const PATCH = route(
  { access: 'owner', params: queuedParams, body: editQueuedBody },
  async ({ params, body, services }) => queuedItem(await services.chat.editQueued(params.id, textsOf(body.message))),
);

export const DELETE = route({ access: 'owner', params: queuedParams }, async ({ params, services }) => {
  await services.chat.removeQueued(params.id);
  return noContent();
});
