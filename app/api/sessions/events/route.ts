import { sessionActivitySchemas } from '#server/core/conversation/session-overview';
import { eventStreamResponse } from '#server/http/event-stream';
import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';

export const GET = route(
  {
    summary: 'Follows what happens in the sessions of the caller, as server-sent events',
    answer: {
      200: content(
        'text/event-stream',
        'Begins with all sessions in which something happens, then tells each change until the client goes away.',
        sessionActivitySchemas,
      ),
    },
    access: 'chat',
  },
  async ({ principal: { userId: ownerId, sites }, services, request }) => {
    const signal = AbortSignal.any([request.signal, services.closing]);
    return eventStreamResponse(services.activityOf({ ownerId, sites }, signal), 0);
  },
);
