import { importedSchema } from '#server/core/sessions';
import { created } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { CONVERSATION_BODY_LIMIT, importBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary: 'Appends messages of another program: of the AI SDK (model or UI messages) or of OpenAI',
    answer: { 201: importedSchema },
    access: 'chat',
    params: sessionParams,
    body: importBody,
    bodyLimit: CONVERSATION_BODY_LIMIT,
  },
  async ({ params, body, services, ownSession }) => {
    const stored = await services.context.import(await ownSession(params.id), body.messages);
    const parts = stored.flatMap((message) => message.parts);
    const tokens = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
    return created({ messages: stored.length, parts: parts.length, tokens });
  },
);
