import { queuedItem } from '#server/http/queued-item';
import { accepted } from '#server/http/responses';
import { route } from '#server/http/route';
import { textsOf } from '#server/http/schemas/chat';
import { enqueueBody, queueQuery } from '#server/http/schemas/queue';

/** Queues the message behind the running turn; starts its turn when none runs. */
export const POST = route({ access: 'owner', body: enqueueBody }, async ({ body, services }) =>
  accepted(
    await services.chat.enqueue({
      session: await services.sessions.get(body.sessionId),
      texts: textsOf(body.message),
      modelId: body.modelId ?? null,
      clientRequestId: body.clientRequestId ?? null,
    }),
  ),
);

export const GET = route({ access: 'owner', query: queueQuery }, async ({ query, services }) => {
  const { id } = await services.sessions.get(query.sessionId);
  const { items, held } = await services.chat.queue(id);
  return { items: items.map(queuedItem), held };
});

export const DELETE = route({ access: 'owner', query: queueQuery }, async ({ query, services }) => {
  const { id } = await services.sessions.get(query.sessionId);
  return { removed: await services.chat.clearQueue(id) };
});
