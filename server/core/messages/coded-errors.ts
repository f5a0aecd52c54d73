import { type JsonProblem, MAX_DEPTH, MAX_FIELDS } from '#server/core/json';
import {
  InvalidInputError,
  NoSiteError,
  QueueFullError,
  RateLimitedError,
  StoppingError,
  StoreBusyError,
  StoreUncertainError,
  UnknownModelError,
} from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';

/** No configured provider serves this model id. */
export function unknownModel(modelId: string): UnknownModelError {
  return new UnknownModelError(serverText('model-not-served', { model: modelId }), { details: { modelId } });
}

/** The queue of a session already holds the maximum number of messages. */
export function queueFull(limit: number): QueueFullError {
  return new QueueFullError(serverText('queue-full', { count: limit }), { details: { limit } });
}

/** Estimated time until one of the running turns ends. Milliseconds. */
const RETRY_MS = 5_000;

/** The error for a user who already runs the maximum number of turns and completions. */
export function tooManyRunning(limit: number): RateLimitedError {
  return new RateLimitedError(serverText('too-many-running', { count: limit }), RETRY_MS);
}

/** The error for JSON that cannot be stored unchanged. */
export function refusedJson(of: 'body' | 'file', problem: JsonProblem): InvalidInputError {
  return new InvalidInputError(serverText('json-refused', { of, problem, levels: MAX_DEPTH, fields: MAX_FIELDS }));
}

/** The caller has access to no site. */
export function noSite(): NoSiteError {
  return new NoSiteError(serverText('no-site'));
}

/** The server is shutting down. */
export function serverStopping(): StoppingError {
  return new StoppingError(serverText('server-stopping'));
}

/** The database stayed locked or unreachable. @param waitedMs time spent waiting, including the queue of this process */
export function databaseBusy(waitedMs: number, cause?: unknown): StoreBusyError {
  return new StoreBusyError(serverText('database-busy'), { cause, details: { waitedMs } });
}

/** The connection to a database server was lost during a commit. */
export function databaseUncertain(cause: unknown): StoreUncertainError {
  return new StoreUncertainError(serverText('database-uncertain'), { cause });
}
