import { z } from 'zod';
import { boundProblems } from '#server/core/bounded-schema';
import { InvalidInputError } from '#server/core/errors';
import { problemOf } from '#server/core/input-problems';
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
  const accepted = known?.length ? `, which takes ${known.join(', ')}` : ', which takes none';
  const message = `is not a parameter of this request${accepted}`;
  throw invalidRequest(
    'query',
    unknown.map((path) => ({ path, message })),
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
  readonly message: string;
}

/** The error for these problems. @param where for the message: path, query or body */
function invalidRequest(where: string, found: readonly Issue[]): InvalidInputError {
  const issues = found.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: shorten(path, MAX_ISSUE_CHARS),
    message: shorten(message, MAX_ISSUE_CHARS),
  }));
  const [first] = issues;
  const at = first?.path ? `${where}, "${first.path}"` : where;
  return new InvalidInputError(`Invalid ${at}: ${first?.message ?? 'not acceptable'}.`, { details: { issues } });
}

/**
 * Checks a part of a request against its schema.
 * @param where for the message: path, query or body
 * @throws InvalidInputError that lists the problems
 */
export function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
  if (!schema) return undefined as T;
  const parsed = boundProblems(schema).safeParse(value, { error: plainText });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(closestProblems);
  throw invalidRequest(
    where,
    issues.map((issue) => ({ path: issue.path.join('.'), message: keyProblem(issue) ?? issue.message })),
  );
}

/** Plain text for schema problems that have no message of their own; undefined: zod's message. */
function plainText(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_format') return formatProblem(issue.format);
  return problemOf(issue as z.core.$ZodIssue, issue.input);
}

function formatProblem(format: string): string {
  if (format === 'url') return 'must be a URL';
  return format === 'datetime' ? 'must be a time like 2027-01-05T09:00:00+01:00' : 'is not in the right form';
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

/** The problem of a key of a record; the issue itself only says that the key is invalid. */
function keyProblem(issue: z.core.$ZodIssue): string | undefined {
  return issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
}
