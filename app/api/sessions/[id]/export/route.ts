import { exportAsMarkdown } from '#app/api/sessions/[id]/export/export-markdown';
import { content } from '#server/http/schemas/route-answer';
import { exportAsJson, exportedMessages, withFileBytes } from '#server/http/downloads/export-conversation';
import { textDownload } from '#server/http/downloads/file-response';
import { route } from '#server/http/route';
import { exportQuery, sessionParams } from '#server/http/schemas/sessions';

/** The whole conversation as a file, read page by page while it is sent. */
export const GET = route(
  {
    summary: 'The whole conversation as a file',
    answer: {
      200: [
        content('text/markdown', 'Markdown to read.'),
        content('application/json', 'With `format=json`: a file that an import takes back.'),
      ],
    },
    access: 'chat',
    params: sessionParams,
    query: exportQuery,
  },
  async ({ params, query: { format }, services, anySession, audit }) => {
    const session = await anySession(params.id);
    await audit('session-exported', {
      target: session.title,
      details: { id: session.id, ownerId: session.ownerId, format },
    });
    const compactions = await services.compactions.list(session.id);
    const wishes = await services.wishes.keptWishes(session.id);
    const messages = exportedMessages(services, session.id);
    const text =
      format === 'json'
        ? exportAsJson({ session, wishes, compactions, messages: withFileBytes(services, messages) })
        : exportAsMarkdown({ session, wishes, compactions, messages });
    return textDownload(session.title, format, text);
  },
);
