import { importMessages } from '#server/context/import/import-messages';
import { created } from '#server/http/responses';
import { route } from '#server/http/route';
import { CONVERSATION_BODY_LIMIT, importBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  { access: 'owner', params: sessionParams, body: importBody, bodyLimit: CONVERSATION_BODY_LIMIT },
  async ({ params, body, services }) => {
    const session = await services.sessions.get(params.id);
    const { messages, instructions } = importMessages(body.messages);
    const stored = await services.messages.appendMany(session.id, messages);
    if (instructions !== null) {
      const joined = [session.instructions, instructions].filter(Boolean).join('\n\n');
      await services.sessions.update(session.id, { instructions: joined });
    }
    const parts = stored.flatMap((message) => message.parts);
    const tokens = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
    return created({ messages: stored.length, parts: parts.length, tokens });
  },
);
