import { serverText } from '#server/core/messages/server-text';
import { StoreUnavailableError, ThroughlineError } from '#server/core/errors';
import { errorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';
import { readinessSchema } from '#server/http/schemas/service';

/**
 * Readiness check for load balancers: the database is migrated, readable, writable and still the file that was opened.
 * A server that is stopping refuses requests before they reach this route.
 */
export const GET = route(
  {
    summary: 'Ready for requests: migrated, and able to read and write',
    answer: readinessSchema,
    access: 'public',
    refusal: (error) => errorResponse(error instanceof ThroughlineError ? error : unwritable(error)),
  },
  async ({ services }) => {
    await services.requireReady();
    return { status: 'ready' as const };
  },
);

/** For example a full disk, which is no fault of the request. */
function unwritable(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(serverText('database-not-ready'), { cause });
}
