import type { z } from 'zod';
import type { AuditAction } from '#server/core/audit';
import type { ChangeOrigin } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import type { Session } from '#server/core/messages';
import { allows, type Principal } from '#server/core/principal';
import { admit, type Admission, isStillLetIn } from '#server/http/admit';
import { isEventStream, type RouteAnswer } from '#server/http/answer';
import { actorOf } from '#server/http/caller';
import { errorResponse, isFault } from '#server/http/error-response';
import { type BodySpec, parse, readBody } from '#server/http/parse-request';
import { withLoggedBody, withRequestLog } from '#server/http/request-log';
import { whileAllowed } from '#server/http/while-allowed';
import { nameLogIds } from '#server/observability/log-ids';
import { type Services, services } from '#server/services';

/** What a route accepts. Left-out schemas mean: nothing of that kind is read. */
export interface RouteSpec<Params, Query, Body> extends Admission, BodySpec<Body> {
  /** What it does: one short sentence of the API's document. */
  readonly summary: string;
  /** What it gives back; for the API's document and for tests. */
  readonly answer: RouteAnswer;
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  /** How a failure is told. Default: in the contract's error shape. */
  readonly refusal?: (error: unknown) => Response;
}

export interface RouteInput<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly services: Services;
  readonly request: Request;
  /** Who asks. @throws Error on a public route, where nobody is asked for */
  readonly principal: Principal;
  /**
   * Aborts, with the refusal as its reason, once the caller's API key opens nothing any more; undefined: there is no key.
   * Watched from the first look on, until the answer is over.
   */
  readonly lapsed: AbortSignal | undefined;
  /** The caller's own session. @throws NotFoundError for anybody else's too */
  readonly ownSession: (id: string) => Promise<Session>;
  /** Any session, for who looks after them all: the caller's own, or everybody's with `admin`. @throws NotFoundError */
  readonly anySession: (id: string) => Promise<Session>;
  /** Whom a change of the site is put down to. */
  readonly origin: Pick<ChangeOrigin, 'actor' | 'userId'>;
  /** Writes down for administrators what was done. Never throws. */
  readonly audit: (action: AuditAction, facts?: Parameters<Services['audit']['record']>[2]) => Promise<void>;
}

/** What Next calls, and what it was made from, for whoever describes the API. */
export interface Handler {
  (request: Request, context: { params: Promise<unknown> }): Promise<Response>;
  readonly spec: RouteSpec<unknown, unknown, unknown>;
}

/**
 * The one way to write a route: says who may call it, checks path, query and body before anything happens, and turns
 * every failure into the contract's error shape. A handler returns a Response or a value to be sent as JSON.
 */
export function route<Params = undefined, Query = undefined, Body = undefined>(
  spec: RouteSpec<Params, Query, Body>,
  handle: (input: RouteInput<Params, Query, Body>) => Promise<unknown>,
): Handler {
  const handler = async (request: Request, context: { params: Promise<unknown> }) => {
    const given = await context.params;
    return withRequestLog(request, given, async () => unkept(await respond(spec, handle, request, given)));
  };
  return Object.assign(handler, { spec });
}

/** The services with the site as far as who asks may change it, whatever the route lets in. */
function within(all: Services, principal: Principal | null): Services {
  if (principal && allows(principal.scopes, 'content:write')) return all;
  return { ...all, content: all.content.draftsOnly() };
}

/** Never throws: every failure is an answer, too. */
async function respond<Params, Query, Body>(
  spec: RouteSpec<Params, Query, Body>,
  handle: (input: RouteInput<Params, Query, Body>) => Promise<unknown>,
  request: Request,
  given: unknown,
): Promise<Response> {
  let closeStream = () => undefined as void;
  let watched: ReturnType<Services['keys']['watch']> | undefined;
  const end = () => {
    closeStream();
    watched?.release();
  };
  try {
    const all = await services();
    const principal = await admit(all, spec, request);
    nameLogIds({ userId: principal?.userId, keyId: principal?.keyId ?? undefined });
    if (principal && isEventStream(spec.answer)) closeStream = all.limits.openStream(principal);
    const answer = await handle({
      params: parse(spec.params, given, 'path'),
      query: parse(spec.query, Object.fromEntries(new URL(request.url).searchParams), 'query'),
      body: await readBody(spec, request),
      services: within(all, principal),
      request,
      get principal() {
        if (!principal) throw new Error('Nobody is asked for on a public route.');
        return principal;
      },
      get lapsed() {
        if (principal?.keyId) watched ??= all.keys.watch(principal.keyId);
        return watched?.signal;
      },
      ownSession: (id) => findSession(all, id, principal),
      anySession: (id) => findSession(all, id, principal, true),
      origin: { actor: actorOf(request), userId: principal?.userId },
      audit: (action, facts) => all.audit.record(principal, action, { headers: request.headers, ...facts }),
    });
    if (request.method === 'HEAD' && answer instanceof Response) {
      // Nobody reads or cancels a body that is not sent.
      await answer.body?.cancel();
      end();
      return new Response(null, answer);
    }
    const response = answer instanceof Response ? withLoggedBody(answer, request) : Response.json(answer);
    if (!(answer instanceof Response) || !principal) {
      end();
      return response;
    }
    const isAllowed = () => isStillLetIn(all, principal, request);
    request.signal.addEventListener('abort', end, { once: true });
    return whileAllowed(response, { isAllowed, signal: request.signal, onEnd: end });
  } catch (error) {
    end();
    if (isFault(error))
      (await services()).log.error({ err: error, path: new URL(request.url).pathname }, 'request failed');
    return (spec.refusal ?? errorResponse)(error);
  }
}

/** An answer is for who asked and for no cache on the way, unless its route says otherwise. */
function unkept(response: Response): Response {
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store');
  return response;
}

/** @throws NotFoundError where there is none, and where it is not the principal's to see: who asks learns no difference */
async function findSession(
  { sessions }: Services,
  id: string,
  principal: Principal | null,
  isAdminLetIn = false,
): Promise<Session> {
  const session = await sessions.get(id);
  const isOwn = session.ownerId === principal?.userId;
  if (isOwn || (isAdminLetIn && principal && allows(principal.scopes, 'admin'))) return session;
  throw new NotFoundError('session', id);
}
