import { TooLargeError } from '#server/core/errors';
import { accepted } from '#server/http/responses';
import { route } from '#server/http/route';
import { MAX_MESSAGE_CHARS, chatBody } from '#server/http/schemas/chat';

export const POST = route({ access: 'owner', body: chatBody }, async ({ body, services }) => {
  const session = await services.sessions.get(body.id);
  const texts = body.message.parts.map((part) => part.text);
  if (texts.join('').length > MAX_MESSAGE_CHARS)
    throw new TooLargeError('The message', MAX_MESSAGE_CHARS, 'characters');
  const outcome = await services.chat.send({
    session,
    texts,
    modelId: body.modelId ?? null,
    clientRequestId: body.clientRequestId ?? null,
  });
  if (outcome.kind === 'started') return services.streamResponse(outcome.stream);
  return accepted({ queued: true, position: outcome.position, id: outcome.id });
});
