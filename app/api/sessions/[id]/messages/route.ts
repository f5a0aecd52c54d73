import { allDone } from '#server/core/async';
import { messagePageSchema } from '#server/core/conversation/messages';
import { withFileUrls } from '#server/http/attachments';
import { route } from '#server/http/route';
import { listMessagesQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'The messages of a session, with their parts',
    answer: messagePageSchema,
    access: 'chat',
    params: sessionParams,
    query: listMessagesQuery,
  },
  async ({ params, query, services, anySession }) => {
    const { id } = params;
    const { cursor, limit, supersededBy } = query;
    if (supersededBy === undefined && query.format !== 'ui') {
      const [summaries, superseded] = [query.summaries === '1', query.superseded === '1'];
      // Read together: on a database server each read is a round trip. Without access the messages are not used.
      const [, page] = await allDone([
        anySession(id),
        services.messages.list(id, { cursor, limit, summaries, superseded }),
      ]);
      return { ...page, items: page.items.map(withFileUrls) };
    }
    await anySession(id);
    // The query schema allows `supersededBy` only with format=ui. The declared answer is that of format=rich; the
    // messages of the AI SDK have types of their own, which its schema does not describe, so they are sent as they are.
    if (supersededBy !== undefined)
      return Response.json({ items: await services.earlierVersion(id, supersededBy), nextCursor: null });
    const isPaged = cursor !== undefined || limit !== undefined;
    if (isPaged) return Response.json(await services.transcriptPage(id, { cursor, limit }));
    return Response.json({ items: await services.transcript(id), nextCursor: null });
  },
);
