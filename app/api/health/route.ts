import { z } from 'zod';
import { route } from '#server/http/route';

/**
 * Tells that the process answers, for supervisors that restart one that hangs. It reads nothing, so that a busy database
 * restarts no server.
 */
export const GET = route(
  { summary: 'The server answers', answer: z.strictObject({ status: z.literal('ok') }), access: 'public' },
  async () => ({
    status: 'ok' as const,
  }),
);
