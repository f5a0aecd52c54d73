import { undoneSchema } from '#server/core/site-lists';
import { route } from '#server/http/route';
import { tryQuery, undoBody } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Takes back one change, the newest of a session, several, or all of a session or of some of its turns',
    answer: undoneSchema,
    access: 'content:draft',
    query: tryQuery,
    body: undoBody,
  },
  async ({ query, body, origin, services: { content } }) => {
    const dryRun = query.dryRun === true || body.dryRun;
    const inSession = { ...origin, sessionId: body.sessionId };
    if (body.all === true || body.changeIds !== undefined) {
      const partial = body.all === true ? body.partial : undefined;
      return content.undoAll(body, inSession, { partial, dryRun });
    }
    const { notes, together, ...change } = await content.undo(body.changeId, inSession, { dryRun });
    return { change, ...(together && { together }), ...(notes && { notes }) };
  },
);
