import { z } from 'zod';
import { StoreUnavailableError, ThroughlineError } from '#server/core/errors';
import { errorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';

/**
 * For whoever sends requests here: migrated, able to read and write, on the database that it opened. A server that is
 * stopping refuses before it comes here.
 */
export const GET = route(
  {
    summary: 'Ready for requests: migrated, and able to read and write',
    answer: z.strictObject({ status: z.literal('ready') }),
    access: 'public',
    refusal: (error) => errorResponse(error instanceof ThroughlineError ? error : unwritable(error)),
  },
  async ({ services }) => {
    await services.requireReady();
    return { status: 'ready' as const };
  },
);

/** A full disk, for one, is no fault of the request. */
function unwritable(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError('The database cannot be read and written. The log says why.', { cause });
}
