import { route } from '#server/http/route';
import { entryParams, restoreBody } from '#server/http/schemas/content';

/** Puts the draft back to what it was after a revision; a deleted entry comes back, by its id. */
export const POST = route(
  { access: 'owner', params: entryParams, body: restoreBody },
  async ({ params: { ref, collection }, body, services: { content } }) => {
    const entry = await content.find(ref, collection);
    const [newest] = await content.revisions({ targetId: entry?.id ?? ref, limit: 1 });
    if (newest?.targetType !== collection) await content.get(ref, collection);
    return content.restore(entry?.id ?? ref, body.revision, { actor: 'api' });
  },
);
