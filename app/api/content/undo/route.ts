import { undoneSchema } from '#server/core/site/site-lists';
import { requireOwnSession, route } from '#server/http/route';
import { tryQuery, undoBody } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Takes back one change, the newest of a session, several, or all of a session or of some of its turns',
    answer: undoneSchema,
    access: 'content:draft',
    query: tryQuery,
    body: undoBody,
  },
  async ({ query, body, origin, services, anySession }) => {
    const { content } = services;
    await requireOwnSession({ services, anySession }, body.sessionId);
    // The query has it as in every other write; the body also, for clients that send all options of an undo together.
    const dryRun = query.dryRun === true || body.dryRun;
    const inSession = { ...origin, sessionId: body.sessionId };
    if (body.all === true || body.changeIds !== undefined) {
      // A list of ids names exactly what is undone; only "all" can be limited to what is possible.
      const partial = body.all === true ? body.partial : undefined;
      return content.undoAll(body, inSession, { partial, dryRun });
    }
    // `together`: the other changes of the same edit, which were undone as well.
    const { notes, noteMessages, together, ...change } = await content.undo(body.changeId, inSession, { dryRun });
    return { change, ...(together && { together }), notes, noteMessages };
  },
);
