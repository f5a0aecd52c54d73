import { StoppingError, ThroughlineError } from '#server/core/errors';

/** The only table from error codes to HTTP statuses. A code that is not here is a fault of ours. */
const STATUS: Record<string, number> = {
  invalid_input: 400,
  unknown_model: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  turn_lost: 409,
  too_large: 413,
  context_overflow: 422,
  tool_error: 422,
  queue_full: 429,
  provider_error: 502,
  store_busy: 503,
  stopping: 503,
};

/** Any failure as the REST contract's `{error: {code, message, details?}}`. Foreign errors tell a client nothing. */
export function errorResponse(error: unknown): Response {
  if (error instanceof ThroughlineError) {
    const { code, message, details } = error;
    return Response.json(
      { error: { code, message, ...(details !== undefined && { details }) } },
      { status: STATUS[code] ?? 500, ...(code === StoppingError.code && { headers: { 'retry-after': '5' } }) },
    );
  }
  const message = 'Something went wrong on our side. Nothing you sent was lost; try again.';
  return Response.json({ error: { code: 'internal_error', message } }, { status: 500 });
}

/** Whether an error is a fault of ours and belongs into the log. */
export function isFault(error: unknown): boolean {
  if (!(error instanceof ThroughlineError)) return true;
  return !(error instanceof StoppingError) && (STATUS[error.code] ?? 500) >= 500;
}
