import { z } from 'zod';
import { createBreathing } from '#server/core/breathe';
import { InvalidInputError } from '#server/core/errors';
import { readBytes } from '#server/http/read-bytes';
import { readJson } from '#server/http/read-json';

/** 1 MB, enough for a message; import and prepare ask for more. */
export const BODY_LIMIT = 1_000_000;

/** Parsing may find something wrong with each of a million items; a client is told of the first few, in this length. */
const MAX_ISSUES = 10;
const MAX_ISSUE_CHARS = 200;

/** For methods that take a body where the route wants none: what is sent by mistake is refused, not overlooked. */
const noBody = z.strictObject({}).optional();

/** For `BodySpec.body`: the body as it came, whatever is in it. */
export const bytesBody = z.instanceof(Uint8Array);

/** What a route takes as a body. */
export interface BodySpec<Body> {
  /** Left out: none. */
  readonly body?: z.ZodType<Body>;
  /** Bytes. Default 1 MB. */
  readonly bodyLimit?: number;
  /** Nothing that is sent is looked at: the answer is the same. */
  readonly ignoresBody?: boolean;
}

/**
 * What was sent with a request that may carry something.
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

/** @param where for the message: path, query or body. @throws InvalidInputError */
export function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
  if (!schema) return undefined as T;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: short(path.join('.')),
    message: short(message),
  }));
  const [first] = issues;
  const at = first?.path ? `${where}, "${first.path}"` : where;
  throw new InvalidInputError(`Invalid ${at}: ${first?.message ?? 'not acceptable'}.`, { details: { issues } });
}

function short(text: string): string {
  return text.length > MAX_ISSUE_CHARS ? `${text.slice(0, MAX_ISSUE_CHARS).toWellFormed()}…` : text;
}
