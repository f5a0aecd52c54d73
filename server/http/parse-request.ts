import { z } from 'zod';
import { createBreathing } from '#server/core/async';
import { InvalidInputError, ThroughlineError, TooLargeError } from '#server/core/errors';
import { problemOf } from '#server/core/input-problems';
import { jsonProblem } from '#server/core/json';
import { shorten } from '#server/core/short-text';

/** 1 MB, enough for a message; import and prepare ask for more. */
export const BODY_LIMIT = 1_000_000;

/** Parsing may find something wrong with each of a million items; a client is told of the first few, in this length. */
const MAX_ISSUES = 10;
const MAX_ISSUE_CHARS = 200;

/** For methods that take a body where the route wants none: what is sent by mistake is refused, not overlooked. */
const noBody = z.strictObject({}).optional();

/** For `BodySpec.body`: the body as it came, whatever is in it. */
export const bytesBody = z.instanceof(Uint8Array);

/** Body that a route accepts. */
export interface BodySpec<Body> {
  /** Left out: none. */
  readonly body?: z.ZodType<Body>;
  /** Bytes. Default 1 MB. */
  readonly bodyLimit?: number;
  /** True if a body is not looked at: the answer is the same. */
  readonly ignoresBody?: boolean;
}

/**
 * Reads and checks the body of a request.
 * @throws InvalidInputError, TooLargeError
 */
export async function readBody<Body>(
  { body, bodyLimit = BODY_LIMIT, ignoresBody = false }: BodySpec<Body>,
  request: Request,
): Promise<Body> {
  if (ignoresBody || request.method === 'GET' || request.method === 'HEAD') return undefined as Body;
  const breathe = createBreathing();
  const sent = await (isBytes(body) ? readBytes : readJson)(request, bodyLimit);
  await breathe();
  if (body) return parse(body, sent, 'body');
  parse(noBody, sent, 'body');
  return undefined as Body;
}

function isBytes(body: z.ZodType | undefined): boolean {
  return body === bytesBody;
}

/**
 * The query of a write, which is refused where it names what the route does not take: a mistyped `dryRun` must not write.
 * Reads go on without it, as what is added to addresses on their way (to pass a cache, to follow a link) does no harm.
 * @throws InvalidInputError
 */
export function requireKnown(schema: z.ZodType | undefined, query: Readonly<Record<string, unknown>>): void {
  const known = namesIn(schema);
  const unknown = Object.keys(query).filter((name) => known?.includes(name) === false);
  if (unknown.length === 0) return;
  const taken = known?.length ? `, which takes ${known.join(', ')}` : ', which takes none';
  const message = `is not a parameter of this request${taken}`;
  throw refusal(
    'query',
    unknown.map((path) => ({ path, message })),
  );
}

/** Names of a query's parameters; null: any. */
export function namesIn(schema: z.core.$ZodType | undefined): readonly string[] | null {
  if (schema === undefined) return [];
  if (schema instanceof z.ZodPipe) return namesIn(schema.in);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : null;
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** @param where for the message: path, query or body */
function refusal(where: string, found: readonly Issue[]): InvalidInputError {
  const issues = found.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: shorten(path, MAX_ISSUE_CHARS),
    message: shorten(message, MAX_ISSUE_CHARS),
  }));
  const [first] = issues;
  const at = first?.path ? `${where}, "${first.path}"` : where;
  return new InvalidInputError(`Invalid ${at}: ${first?.message ?? 'not acceptable'}.`, { details: { issues } });
}

/** @param where for the message: path, query or body. @throws InvalidInputError */
export function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
  if (!schema) return undefined as T;
  const parsed = schema.safeParse(value, { error: inPlainWords });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(nearest);
  throw refusal(
    where,
    issues.map((issue) => ({ path: issue.path.join('.'), message: ofKey(issue) ?? issue.message })),
  );
}

/** Words for what a schema says nothing of its own about; undefined: zod's. */
function inPlainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_format') return formatProblem(issue.format);
  return problemOf(issue as z.core.$ZodIssue, issue.input);
}

function formatProblem(format: string): string {
  if (format === 'url') return 'must be a URL';
  return format === 'datetime' ? 'must be a time like 2027-01-05T09:00:00+01:00' : 'is not in the right form';
}

/** A field that this shape has not. */
function isOfAnother(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'unrecognized_keys' || (issue.code === 'invalid_type' && issue.expected === 'never');
}

/** The problems of a value that fits none of several shapes: those in the shape that it comes nearest to. */
function nearest(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const foreign = (found: readonly z.core.$ZodIssue[]) => found.filter(isOfAnother).length;
  const [first = []] = issue.errors.toSorted((a, b) => foreign(a) - foreign(b) || a.length - b.length);
  return first.map((each) => ({ ...each, path: [...issue.path, ...each.path] })).flatMap(nearest);
}

/** What is wrong with the name of an entry, of which the issue itself says only that it is. */
function ofKey(issue: z.core.$ZodIssue): string | undefined {
  return issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
}

/**
 * The request's JSON body; undefined when there is none.
 * @param limit bytes; counted while reading, whatever the Content-Length header says
 * @throws TooLargeError, InvalidInputError (not JSON, or JSON that could not be kept as it is)
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const text = await readText(request, limit);
  if (text === '') return undefined;
  const breathe = createBreathing();
  const value = parseJson(text);
  await breathe();
  const problem = jsonProblem(value);
  if (problem !== null) throw new InvalidInputError(`The body ${problem}.`);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInputError('The body is not valid JSON.');
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  const bytes = await readBytes(request, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidInputError('The body is not valid UTF-8.');
  }
}

/** Most bytes of a body above its limit that are still read, so that its sender gets to read the answer. */
const MAX_DISCARDED = 64_000_000;

/**
 * The request's body as it came; empty when there is none.
 * @param limit bytes; counted while reading, whatever the Content-Length header says
 * @throws TooLargeError, InvalidInputError (the connection broke off)
 */
async function readBytes({ body }: Request, limit: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > limit) throw new TooLargeError('The body', limit, 'bytes');
      pieces.push(next.value);
    }
    return joined(pieces, size);
  } catch (error) {
    void discard(reader);
    if (error instanceof ThroughlineError) throw error;
    throw new InvalidInputError('The body did not arrive to its end.', { cause: error });
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** Reads on and keeps nothing: a connection whose body nobody reads is stuck, and the answer with it. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    let size = 0;
    for (let next = await reader.read(); !next.done && size < MAX_DISCARDED; next = await reader.read()) {
      size += next.value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender is gone, which is as good.
  }
}
