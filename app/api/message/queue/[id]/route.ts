import { queuedItemSchema, toQueuedItem } from '#server/core/conversation/events';
import { findOwnQueued } from '#server/http/find-for-caller';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { contentOf, editQueuedBody, queuedParams } from '#server/http/schemas/chat';

export const PATCH = route(
  {
    summary: 'Changes a message that waits',
    answer: queuedItemSchema,
    access: 'chat',
    params: queuedParams,
    body: editQueuedBody,
  },
  async ({ params, body, services, ownSession, principal }) => {
    const { id } = await findOwnQueued(params.id, { services, ownSession });
    const { texts, files } = contentOf(body.message);
    return toQueuedItem(await services.chat.editQueued(id, texts, principal, files));
  },
);

export const DELETE = route(
  { summary: 'Removes a message that waits', answer: { 204: null }, access: 'chat', params: queuedParams },
  async ({ params, services, ownSession }) => {
    const { id } = await findOwnQueued(params.id, { services, ownSession });
    await services.chat.removeQueued(id);
    return noContent();
  },
);
