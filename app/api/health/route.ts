import { z } from 'zod';
import { route } from '#server/http/route';

/** For whoever restarts a server that hangs: nothing else is asked, so that a busy database restarts nobody. */
export const GET = route(
  { summary: 'The server answers', answer: z.strictObject({ status: z.literal('ok') }), access: 'public' },
  async () => ({
    status: 'ok' as const,
  }),
);
