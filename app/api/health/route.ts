import { route } from '#server/http/route';
import { healthSchema } from '#server/http/schemas/admin';

/** For whoever restarts a server that hangs: nothing else is asked, so that a busy database restarts nobody. */
export const GET = route({ summary: 'The server answers', answer: healthSchema, access: 'public' }, async () => ({
  status: 'ok',
}));
