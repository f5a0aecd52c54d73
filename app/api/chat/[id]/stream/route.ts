import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { turnStream } from '#server/http/schemas/chat';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Replays the running turn from its start and follows it',
    answer: { 200: turnStream, 204: null },
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, ownSession }) => {
    const { id } = await ownSession(params.id);
    const stream = await services.chat.follow(id);
    return stream ? services.streamResponse(stream) : noContent();
  },
);
