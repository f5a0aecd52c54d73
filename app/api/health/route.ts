import { healthSchema } from '#server/http/schemas/service';
import { route } from '#server/http/route';

/**
 * Liveness check for supervisors that restart a hanging process. It reads nothing, so that a busy database causes no
 * restart.
 */
export const GET = route({ summary: 'The server answers', answer: healthSchema, access: 'public' }, async () => ({
  status: 'ok' as const,
}));
