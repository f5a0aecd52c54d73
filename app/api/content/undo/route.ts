import { route } from '#server/http/route';
import { undoBody } from '#server/http/schemas/content';

export const POST = route({ access: 'owner', body: undoBody }, async ({ body, services: { content } }) => ({
  change: await content.undo(body.changeId, { actor: 'api', sessionId: body.sessionId }),
}));
