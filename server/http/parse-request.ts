import { z } from 'zod';
import { boundProblems } from '#server/core/bounded-schema';
import { InvalidInputError } from '#server/core/errors';
import type { ServerText } from '#server/core/coded-message';
import { defaultProblem, fieldOfPath, issueOf, problemText } from '#server/core/text/input-problems';
import { inlineText, uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { shorten } from '#server/core/text/short-text';

/* Checks path, query and body of a request against the schemas of its route. */

/** Maximum number of problems that the response lists; a long list helps nobody. */
const MAX_ISSUES = 10;
/** Maximum characters of the path and of the message of a problem, which may quote the request. */
const MAX_ISSUE_CHARS = 200;

/**
 * Refuses a write whose query contains a parameter that the route does not accept: a mistyped `dryRun` must not write.
 * Reads ignore unknown parameters, because additions to addresses (to bypass a cache, to track a link) do no harm.
 * @param schema of the route's query
 * @throws InvalidInputError that lists the parameters of the route
 */
export function requireKnownParameters(schema: z.ZodType | undefined, query: Readonly<Record<string, unknown>>): void {
  const known = parameterNames(schema);
  const unknown = Object.keys(query).filter((name) => known?.includes(name) === false);
  if (unknown.length === 0) return;
  const problem = serverText('parameter-unknown', { names: known?.length ? known.join(', ') : null });
  throw invalidRequest(
    'query',
    unknown.map((path) => ({ path, problem })),
  );
}

/** Names of the parameters that a query schema accepts; null: any name. */
export function parameterNames(schema: z.core.$ZodType | undefined): readonly string[] | null {
  if (schema === undefined) return [];
  if (schema instanceof z.ZodPipe) return parameterNames(schema.in);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : null;
}

/** A problem of the request, with the path of the value. */
interface Issue {
  readonly path: string;
  readonly problem: ServerText;
}

/** The error for these problems. @param where for the message: path, query or body */
function invalidRequest(where: string, found: readonly Issue[]): InvalidInputError {
  const issues = found
    .slice(0, MAX_ISSUES)
    .map(({ path, problem }) => issueOf(shorten(path, MAX_ISSUE_CHARS), problem));
  const [first] = issues;
  const path = first?.path || null;
  const message = first?.message ?? 'not acceptable';
  const text = `Invalid ${path === null ? where : `${where}, "${path}"`}: ${message}.`;
  const problem = { ...(found[0]?.problem ?? uncodedText(message)), text: message };
  const params = { where, path, field: path === null ? null : fieldOfPath(path), problem };
  return new InvalidInputError(inlineText('request-invalid', params, text), { details: { issues } });
}

/**
 * Checks a part of a request against its schema.
 * @param where for the message: path, query or body
 * @throws InvalidInputError that lists the problems
 */
export function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
  if (!schema) return undefined as T;
  const parsed = boundProblems(schema).safeParse(value, { error: defaultProblem });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(closestProblems);
  throw invalidRequest(
    where,
    issues.map((issue) => ({ path: issue.path.join('.'), problem: problemText(issue) })),
  );
}

/** True for a problem that shows that the value was meant for another shape: a field that this shape does not have. */
function isForeignField(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'unrecognized_keys' || (issue.code === 'invalid_type' && issue.expected === 'never');
}

/** The problems to report of a value that fits none of several shapes: those of the most similar shape. */
function closestProblems(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const foreign = (found: readonly z.core.$ZodIssue[]) => found.filter(isForeignField).length;
  const [first = []] = issue.errors.toSorted((a, b) => foreign(a) - foreign(b) || a.length - b.length);
  return first.map((each) => ({ ...each, path: [...issue.path, ...each.path] })).flatMap(closestProblems);
}
