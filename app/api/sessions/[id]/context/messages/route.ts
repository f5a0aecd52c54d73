import { viewSchema } from '#server/core/conversation/context-report';
import { withModelFileUrls } from '#server/http/attachments';
import { route } from '#server/http/route';
import { contextQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'The messages that the next step would send',
    answer: viewSchema,
    access: 'chat',
    params: sessionParams,
    query: contextQuery,
  },
  async ({ params, query, services, anySession }) => {
    const session = await anySession(params.id);
    const { messages } = await services.context.inspect(session, query.modelId);
    return { messages: messages.map(withModelFileUrls) };
  },
);
