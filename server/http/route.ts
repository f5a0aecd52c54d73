import { z } from 'zod';
import { InvalidInputError } from '#server/core/errors';
import { errorResponse, isFault } from '#server/http/error-response';
import { requireLocal } from '#server/http/local-access';
import { readJson } from '#server/http/read-json';
import { type Services, services } from '#server/services';

/** 1 MB, enough for a message; import and prepare ask for more. */
const BODY_LIMIT = 1_000_000;

/** Parsing may find something wrong with each of a million items; a client is told of the first few, in this length. */
const MAX_ISSUES = 10;
const MAX_ISSUE_CHARS = 200;

/** For methods that take a body where the route wants none: what is sent by mistake is refused, not overlooked. */
const noBody = z.strictObject({}).optional();

/** What a route accepts. Left-out schemas mean: nothing of that kind is read. */
export interface RouteSpec<Params, Query, Body> {
  /** `owner`: whoever owns this installation. `public`: everybody. */
  readonly access: 'owner' | 'public';
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Bytes. Default 1 MB. */
  readonly bodyLimit?: number;
}

export interface RouteInput<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly services: Services;
  readonly request: Request;
}

type Handler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

/**
 * The one way to write a route: says who may call it, checks path, query and body before anything happens, and turns
 * every failure into the contract's error shape. A handler returns a Response or a value to be sent as JSON.
 */
export function route<Params = undefined, Query = undefined, Body = undefined>(
  spec: RouteSpec<Params, Query, Body>,
  handle: (input: RouteInput<Params, Query, Body>) => Promise<unknown>,
): Handler {
  return async (request, context) => {
    try {
      if (spec.access === 'owner') requireLocal(request);
      const params = parse(spec.params, await context.params, 'path');
      const query = parse(spec.query, Object.fromEntries(new URL(request.url).searchParams), 'query');
      const body = await readBody(spec, request);
      const answer = await handle({ params, query, body, services: await services(), request });
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (error) {
      if (isFault(error))
        (await services()).log.error({ err: error, path: new URL(request.url).pathname }, 'request failed');
      return errorResponse(error);
    }
  };
}

async function readBody<Body>(
  { body, bodyLimit = BODY_LIMIT }: Pick<RouteSpec<unknown, unknown, Body>, 'body' | 'bodyLimit'>,
  request: Request,
): Promise<Body> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined as Body;
  const sent = await readJson(request, bodyLimit);
  if (body) return parse(body, sent, 'body');
  parse(noBody, sent, 'body');
  return undefined as Body;
}

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T {
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
