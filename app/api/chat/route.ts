import { queuedSchema } from '#server/core/turns';
import { accepted } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { chatBody, contentOf, turnStream } from '#server/http/schemas/chat';

export const POST = route(
  {
    summary: 'Sends a message and streams the answer; while a turn runs, the message is queued',
    answer: { 200: turnStream, 202: queuedSchema },
    access: 'chat',
    startsTurn: true,
    body: chatBody,
  },
  async ({ body, services, ownSession, principal }) => {
    const outcome = await services.chat.send({
      session: await ownSession(body.id),
      ...contentOf(body.message),
      here: body.here ?? {},
      modelId: body.modelId ?? null,
      approvalPolicy: body.approvals,
      scopes: principal.scopes,
      keyId: principal.keyId,
      clientRequestId: body.clientRequestId ?? null,
      replaces: body.replaces,
    });
    if (outcome.kind === 'started') return services.streamResponse(outcome.stream);
    return accepted({ queued: true, position: outcome.position, id: outcome.id });
  },
);
