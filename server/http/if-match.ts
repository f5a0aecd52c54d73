import { serverText } from '#server/core/messages/server-text';
import type { z } from 'zod';
import { ConflictError, InvalidInputError, StaleRevisionError } from '#server/core/errors';
import { isJsonObject } from '#server/core/json';
import { parameterNames } from '#server/http/parse-request';

/* Revisions as HTTP headers: a read sends `ETag: "3"`, a write may send `If-Match: "3"` instead of `ifRevision=3`. */

const HEADER = 'if-match';

/** A proxy that compresses the response marks the tag as weak (`W/"3"`); the revision is the same. */
const TAG = /^(?:W\/)?"(\d+)"$/;

/**
 * Reads `ifRevision` from the request's `If-Match`. Empty for `*`, which only requires that the resource exists.
 * @param query schema of the route's query
 * @param given query of the request
 * @throws InvalidInputError if the route knows no revisions: otherwise the client would believe that it was checked
 */
export function ifMatchOf(
  headers: Headers,
  query: z.ZodType | undefined,
  given: Readonly<Record<string, string>>,
): { readonly ifRevision?: string } {
  const tag = headers.get(HEADER);
  if (tag === null) return {};
  if (parameterNames(query)?.includes('ifRevision') !== true)
    throw new InvalidInputError(serverText('if-match-unknown'));
  if (given['ifRevision'] !== undefined) throw new InvalidInputError(serverText('if-match-twice'));
  if (tag.trim() === '*') return {};
  const [, ifRevision] = TAG.exec(tag.trim()) ?? [];
  if (ifRevision === undefined) throw new InvalidInputError(serverText('if-match-form'));
  return { ifRevision };
}

/**
 * Translates the error of a write with `If-Match`: 412 if the revision has changed. A conflict at the named revision (a
 * value of `expects`) stays as it is.
 */
export function withIfMatchProblem(error: unknown, { headers }: Request): unknown {
  if (!(error instanceof ConflictError && isJsonObject(error.details))) return error;
  const { text, details } = error;
  const [, expected] = TAG.exec(headers.get(HEADER)?.trim() ?? '') ?? [];
  const isStale = expected !== undefined && 'revision' in details && details['revision'] !== Number(expected);
  return isStale ? new StaleRevisionError(text, { details }) : error;
}

/** The `ETag` of a read response: its revision. Empty if the response has none. */
export function revisionTag({ method }: Request, answer: unknown): Record<string, string> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || typeof answer !== 'object' || answer === null || !('revision' in answer)) return {};
  return { etag: `"${String(answer.revision)}"` };
}
