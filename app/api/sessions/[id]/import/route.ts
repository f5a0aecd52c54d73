import { created } from '#server/http/responses';
import { route } from '#server/http/route';
import { CONVERSATION_BODY_LIMIT, importBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  { access: 'owner', params: sessionParams, body: importBody, bodyLimit: CONVERSATION_BODY_LIMIT },
  async ({ params, body, services }) => {
    const stored = await services.context.import(await services.sessions.get(params.id), body.messages);
    const parts = stored.flatMap((message) => message.parts);
    const tokens = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
    return created({ messages: stored.length, parts: parts.length, tokens });
  },
);
