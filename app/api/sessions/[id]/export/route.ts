import { exportAsMarkdown } from '#app/api/sessions/[id]/export/export-markdown';
import { content } from '#server/http/schemas/answer';
import { exportAsJson, exportResponse, exportedMessages, withFileBytes } from '#server/http/export';
import { route } from '#server/http/route';
import { exportQuery, sessionParams } from '#server/http/schemas/sessions';

/** The whole conversation as a file, read page by page while it is sent. */
export const GET = route(
  {
    summary: 'The whole conversation as a file',
    answer: {
      200: content('text/markdown', 'Markdown to read; with `format=json` a JSON file that an import takes back.'),
    },
    access: 'chat',
    params: sessionParams,
    query: exportQuery,
  },
  async ({ params, query: { format }, services, anySession }) => {
    const session = await anySession(params.id);
    const compactions = await services.compactions.list(session.id);
    const wishes = await services.wishes.keptWishes(session.id);
    const messages = exportedMessages(services, session.id);
    const text =
      format === 'json'
        ? exportAsJson({ session, wishes, compactions, messages: withFileBytes(services, messages) })
        : exportAsMarkdown({ session, wishes, compactions, messages });
    return exportResponse(session.title, format, text);
  },
);
