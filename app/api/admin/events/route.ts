import { sessionChangeSchema } from '#server/core/conversation/session-overview';
import { content } from '#server/http/schemas/route-answer';
import { eventStreamResponse, lastEventId } from '#server/http/event-stream';
import { route } from '#server/http/route';
import { eventsQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Follows which of everybody’s sessions change, as server-sent events',
    answer: {
      200: content('text/event-stream', 'Events until the client goes away.', {
        'session:changed': sessionChangeSchema,
      }),
    },
    access: 'admin',
    query: eventsQuery,
  },
  async ({ query, services, request }) => {
    const afterId = await services.events.startOfAll(lastEventId(request) ?? query.lastEventId);
    const signal = AbortSignal.any([request.signal, services.closing]);
    return eventStreamResponse(services.events.followAll(afterId, signal), afterId);
  },
);
