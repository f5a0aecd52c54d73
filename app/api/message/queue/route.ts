import { queueSchema, toQueuedItem } from '#server/core/conversation/events';
import { enqueuedSchema } from '#server/core/conversation/turns';
import { accepted } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { clearedSchema, contentOf, enqueueBody, queueQuery, turnChoices } from '#server/http/schemas/chat';

export const POST = route(
  {
    summary: 'Queues a message behind the running turn; starts its turn when none runs',
    answer: { 202: enqueuedSchema },
    access: 'chat',
    startsTurn: true,
    body: enqueueBody,
  },
  async ({ body, services, ownSession, principal }) =>
    accepted(
      await services.chat.enqueue({
        session: await ownSession(body.sessionId),
        ...contentOf(body.message),
        ...turnChoices(body, principal),
        clientRequestId: body.clientRequestId ?? null,
      }),
    ),
);

export const GET = route(
  { summary: 'The messages that wait in a session', answer: queueSchema, access: 'chat', query: queueQuery },
  async ({ query, services, ownSession }) => {
    const { id } = await ownSession(query.sessionId);
    const { items, held } = await services.chat.queue(id);
    return { items: items.map(toQueuedItem), held };
  },
);

export const DELETE = route(
  { summary: 'Removes all messages that wait in a session', answer: clearedSchema, access: 'chat', query: queueQuery },
  async ({ query, services, ownSession }) => {
    const { id } = await ownSession(query.sessionId);
    return { removed: await services.chat.clearQueue(id) };
  },
);
