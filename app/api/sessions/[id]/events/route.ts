import { sessionEventSchemas } from '#server/core/conversation/events';
import { content } from '#server/http/schemas/route-answer';
import { eventStreamResponse, lastEventId } from '#server/http/event-stream';
import { route } from '#server/http/route';
import { sessionEventsQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Follows what happens in a session, as server-sent events',
    answer: {
      200: content(
        'text/event-stream',
        'Events until the client goes away; each has an id, by which a later request goes on.',
        sessionEventSchemas,
      ),
    },
    access: 'chat',
    params: sessionParams,
    query: sessionEventsQuery,
  },
  async ({ params, query, services, request, anySession }) => {
    const { id } = await anySession(params.id);
    const afterId = await services.events.startOf(id, lastEventId(request) ?? query.lastEventId);
    const signal = AbortSignal.any([request.signal, services.closing]);
    const events = services.events.follow(id, afterId, signal, query.snapshot === '1');
    return eventStreamResponse(events, afterId);
  },
);
