import { accepted } from '#server/http/responses';
import { route } from '#server/http/route';
import { chatBody, textsOf } from '#server/http/schemas/chat';

export const POST = route({ access: 'owner', body: chatBody }, async ({ body, services }) => {
  const outcome = await services.chat.send({
    session: await services.sessions.get(body.id),
    texts: textsOf(body.message),
    modelId: body.modelId ?? null,
    clientRequestId: body.clientRequestId ?? null,
  });
  if (outcome.kind === 'started') return services.streamResponse(outcome.stream);
  return accepted({ queued: true, position: outcome.position, id: outcome.id });
});
