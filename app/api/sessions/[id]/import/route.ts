import { importedSchema } from '#server/core/conversation/session-export';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import {
  CONVERSATION_BODY_BYTES,
  CONVERSATION_BODY_VALUES,
  importBody,
  sessionParams,
} from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary:
      'Appends messages of another program (of the AI SDK, or of OpenAI), or takes over a conversation exported as JSON',
    answer: { 201: importedSchema },
    access: 'chat',
    params: sessionParams,
    body: importBody,
    bodyLimit: CONVERSATION_BODY_BYTES,
    bodyValues: CONVERSATION_BODY_VALUES,
  },
  async ({ params, body, services, ownSession }) => {
    const { messages, session: exported = {}, wishes = [], compactions = [] } = body;
    const imported = await services.context.import(await ownSession(params.id), messages, {
      ...exported,
      quotes: wishes.map(({ quote }) => quote),
    });
    const parts = imported.messages.flatMap((message) => message.parts);
    const tokens = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
    const omitted = imported.wishesLeft;
    const notes = [
      ...(compactions.length > 0
        ? [
            `Compactions are not taken over (${compactions.length}): this conversation is summarized anew when it has to be.`,
          ]
        : []),
      ...(omitted > 0
        ? [`Wishes that no message of the user says, or that there is no room for, are not kept (${omitted}).`]
        : []),
    ];
    const counts = { messages: imported.messages.length, parts: parts.length, tokens, wishes: imported.wishes };
    return created({ ...counts, ...(notes.length > 0 && { notes }) });
  },
);
