import { eventStreamResponse, lastEventId } from '#server/http/event-stream';
import { route } from '#server/http/route';
import { eventsQuery } from '#server/http/schemas/events';
import { sessionParams } from '#server/http/schemas/sessions';

/** What happens in a session, until the client goes away or the server closes. */
export const GET = route(
  { access: 'owner', params: sessionParams, query: eventsQuery },
  async ({ params, query, services, request }) => {
    const { id } = await services.sessions.get(params.id);
    const afterId = lastEventId(request) ?? query.lastEventId ?? (await services.events.newestId(id));
    const signal = AbortSignal.any([request.signal, services.closing]);
    return eventStreamResponse(services.events.follow(id, afterId, signal), afterId);
  },
);
