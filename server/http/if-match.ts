import type { z } from 'zod';
import { ConflictError, InvalidInputError, StaleRevisionError } from '#server/core/errors';
import { isJsonObject } from '#server/core/json';
import { namesIn } from '#server/http/parse-request';

/* A revision as HTTP says it: `ETag: "3"` of what is read, `If-Match: "3"` in place of `ifRevision=3` of a write. */

const HEADER = 'if-match';

/** A proxy that compresses marks the tag as weak (`W/"3"`); the revision is the same. */
const TAG = /^(?:W\/)?"(\d+)"$/;

/**
 * `ifRevision` as the request's `If-Match` says it. `*` asks for no more than that it is there.
 * @throws InvalidInputError where the write cannot go by it: nobody may believe that it did
 */
export function ifMatchOf(
  headers: Headers,
  query: z.ZodType | undefined,
  given: Readonly<Record<string, string>>,
): { readonly ifRevision?: string } {
  const tag = headers.get(HEADER);
  if (tag === null) return {};
  if (namesIn(query)?.includes('ifRevision') !== true)
    throw new InvalidInputError('This request cannot go by a revision: send it without If-Match.');
  if (given['ifRevision'] !== undefined)
    throw new InvalidInputError('If-Match and ifRevision say the same: send one of them.');
  if (tag.trim() === '*') return {};
  const [, ifRevision] = TAG.exec(tag.trim()) ?? [];
  if (ifRevision === undefined)
    throw new InvalidInputError('If-Match has to be the ETag that you have read: a revision in quotes, as in "3".');
  return { ifRevision };
}

/** What a write was refused with, as one with `If-Match` is told of it: 412 where the revision is another one by now. */
export function unmatched(error: unknown, { headers }: Request): unknown {
  const isStale = error instanceof ConflictError && isJsonObject(error.details) && 'revision' in error.details;
  return isStale && headers.has(HEADER) ? new StaleRevisionError(error.message, { details: error.details }) : error;
}

/** Headers of what was read: the revision that it has, if it has one. */
export function revisionTag({ method }: Request, answer: unknown): Record<string, string> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || typeof answer !== 'object' || answer === null || !('revision' in answer)) return {};
  return { etag: `"${String(answer.revision)}"` };
}
