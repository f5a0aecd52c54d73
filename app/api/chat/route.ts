import { queuedSchema } from '#server/core/conversation/turns';
import { answerHook } from '#server/http/hook-request';
import { accepted } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { anyChatBody, contentOf, HOOK_BODY_BYTES, turnChoices, turnStream } from '#server/http/schemas/chat';
import { CONVERSATION_BODY_VALUES } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary:
      'Sends a message and streams the answer; while a turn runs, the message is queued. Also takes the default body of useChat',
    answer: { 200: turnStream, 202: queuedSchema },
    access: 'chat',
    startsTurn: true,
    body: anyChatBody,
    bodyLimit: HOOK_BODY_BYTES,
    bodyValues: CONVERSATION_BODY_VALUES,
  },
  async ({ body, services, ownSession, principal, audit, request }) => {
    const session = await ownSession(body.id);
    if ('messages' in body) {
      const { signal: disconnected } = request;
      const stream = await answerHook({ body, services, principal, audit, session, disconnected });
      const requestId = body.messages.findLast(({ role }) => role === 'user')?.id;
      if (body.onDisconnect === 'cancel' && requestId !== undefined)
        disconnected.addEventListener('abort', () => services.chat.abandon(session.id, requestId), { once: true });
      return services.streamResponse(stream);
    }
    const outcome = await services.chat.send({
      session,
      ...contentOf(body.message),
      ...turnChoices(body, principal),
      clientRequestId: body.clientRequestId ?? null,
      replaces: body.replaces,
    });
    if (outcome.kind === 'started') return services.streamResponse(outcome.stream);
    return accepted({ queued: true, position: outcome.position, id: outcome.id });
  },
);
