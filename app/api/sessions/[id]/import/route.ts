import { comparable } from '#server/core/kept-wishes';
import type { Message } from '#server/core/messages';
import { DEFAULT_SESSION_TITLE, importedSchema } from '#server/core/sessions';
import { created } from '#server/http/schemas/answer';
import { route, type RouteInput } from '#server/http/route';
import { CONVERSATION_BODY_LIMIT, importBody, sessionParams } from '#server/http/schemas/sessions';

export const POST = route(
  {
    summary:
      'Appends messages of another program (of the AI SDK, or of OpenAI), or takes over a conversation exported as JSON',
    answer: { 201: importedSchema },
    access: 'chat',
    params: sessionParams,
    body: importBody,
    bodyLimit: CONVERSATION_BODY_LIMIT,
  },
  async ({ params, body, services, ownSession }) => {
    const { messages, session: exported, wishes = [], compactions = [] } = body;
    const session = await ownSession(params.id);
    const stored = await services.context.import(session, messages, exported?.instructions);
    const title = exported?.title;
    if (title !== undefined && session.title === DEFAULT_SESSION_TITLE)
      await services.sessions.update(session.id, { title });
    const kept = await keepWishes(services, session.id, wishes, stored);
    const parts = stored.flatMap((message) => message.parts);
    const tokens = parts.reduce((sum, part) => sum + (part.tokens ?? 0), 0);
    const notes = [
      ...(compactions.length > 0
        ? [
            `Compactions are not taken over (${compactions.length}): this conversation is summarized anew when it has to be.`,
          ]
        : []),
      ...(kept < wishes.length
        ? [`Wishes whose words are in no message of the user are not kept (${wishes.length - kept}).`]
        : []),
    ];
    const counts = { messages: stored.length, parts: parts.length, tokens, wishes: kept };
    return created({ ...counts, ...(notes.length > 0 && { notes }) });
  },
);

/** Keeps exported wishes with the messages that say them now. @returns how many */
async function keepWishes(
  { wishes }: Pick<RouteInput<unknown, unknown, unknown>['services'], 'wishes'>,
  sessionId: string,
  exported: readonly { readonly quote: string }[],
  stored: readonly Message[],
): Promise<number> {
  const requests = stored
    .filter(({ role }) => role === 'user' && exported.length > 0)
    .map(({ id, parts }) => ({
      id,
      texts: parts.flatMap((part) => (part.type === 'text' ? comparable(part.content.text) : [])),
    }));
  const said = exported.flatMap(({ quote }) => {
    const words = comparable(quote);
    const message = requests.findLast(({ texts }) => texts.some((text) => text.includes(words)));
    return message === undefined || words === '' ? [] : [{ quote, messageId: message.id }];
  });
  await wishes.keepWishes(sessionId, said);
  return said.length;
}
