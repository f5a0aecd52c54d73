import { undoneSchema } from '#server/core/site-lists';
import { route } from '#server/http/route';
import { undoBody } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Takes back one change, the newest of a session, several, or all of a session or of some of its turns',
    answer: undoneSchema,
    access: 'content:draft',
    body: undoBody,
  },
  async ({ body, origin, services: { content } }) => {
    const inSession = { ...origin, sessionId: body.sessionId };
    if ('all' in body || 'changeIds' in body) {
      const { dryRun } = body;
      const partial = 'all' in body ? body.partial : undefined;
      return content.undoAll(body, inSession, { partial, dryRun });
    }
    const { notes, together, ...change } = await content.undo(body.changeId, inSession, { dryRun: body.dryRun });
    return { change, ...(together && { together }), ...(notes && { notes }) };
  },
);
