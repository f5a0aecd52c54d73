import type { z } from 'zod';
import type { HeldBody } from '#server/core/body-memory';
import { clientOf } from '#server/platform/auth/trusted-headers';
import type { RecordAction } from '#server/core/admin/audit';
import type { ChangeOrigin } from '#server/core/site/changes';
import { RequestTimeoutError } from '#server/core/errors';
import type { Session } from '#server/core/conversation/sessions';
import { allows, type Principal } from '#server/core/admin/access-rights';
import { type Admission, admit, isStillAdmitted } from '#server/http/admission';
import { actorOf } from '#server/http/request-origin';
import { errorResponse, isFault } from '#server/http/error-response';
import { closeWhenDenied } from '#server/http/close-when-denied';
import { ifMatchOf, revisionTag, withIfMatchProblem } from '#server/http/if-match';
import { bodyLimitsOf, type BodySpec, readBody, readsBody } from '#server/http/read-body';
import { parse, requireKnownParameters } from '#server/http/parse-request';
import type { Quota } from '#server/core/admin/quota';
import { loggedPath, withLoggedBody, withRequestLog } from '#server/http/request-log';
import { SITE_NAME, siteOf } from '#server/http/request-site';
import {
  type Answered,
  isEventStream,
  type Received,
  requireDeclared,
  type RouteAnswer,
} from '#server/http/schemas/route-answer';
import { auditReading, findSession } from '#server/http/session-access';
import { addLogIds } from '#server/platform/telemetry/log-ids';
import { type Services, services, type SiteServices } from '#server/services';

/** What a client sends to a route. */
interface Sent {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/**
 * Specification of a route. Without a schema for `params`, `query` or `body`, the handler receives undefined for it.
 * `In`: what a client sends, before the schemas convert it.
 */
export interface RouteSpec<Params, Query, Body, Answer extends RouteAnswer = RouteAnswer, In extends Sent = Sent>
  extends Admission, BodySpec<Body, In['body']> {
  /** One short sentence for the API document. */
  readonly summary: string;
  /** Schemas of its successful responses, by status. */
  readonly answer: Answer;
  readonly params?: z.ZodType<Params, In['params']>;
  readonly query?: z.ZodType<Query, In['query']>;
  /** Turns an error into a response. Default: the error format of the REST API. */
  readonly refusal?: (error: unknown, request: Request) => Response | Promise<Response>;
}

/** What a handler receives. */
export interface RouteInput<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Services of the server and of the site of the request. */
  readonly services: Services & SiteServices;
  readonly request: Request;
  /** The authenticated caller. Reading it on a public route throws an Error. */
  readonly principal: Principal;
  /**
   * Aborts, with the error as its reason, when the caller's API key is revoked or expires; undefined for callers
   * without a key. The key is watched from the first reading of this field until the response is complete.
   */
  readonly lapsed: AbortSignal | undefined;
  /** The caller's own session. @throws NotFoundError, also for sessions of other users */
  readonly ownSession: (id: string) => Promise<Session>;
  /** A session that the caller may manage: the caller's own, or any session with `admin`. @throws NotFoundError */
  readonly anySession: (id: string) => Promise<Session>;
  /** Author that is recorded with changes of the site. */
  readonly origin: Pick<ChangeOrigin, 'actor' | 'userId'>;
  /** Records an action in the audit log for administrators. Throws only if the entry is required. */
  readonly audit: RecordAction;
}

/** Types of a route for its clients. They exist at compile time only. */
export interface RouteTypes extends Sent {
  /** JSON that a client receives. */
  readonly answer: unknown;
}

/** A handler that Next calls, with its specification for the API document. */
export interface Handler<Types extends RouteTypes = RouteTypes> {
  (request: Request, context: { params: Promise<unknown> }): Promise<Response>;
  readonly spec: RouteSpec<unknown, unknown, unknown>;
  /** Never set. Our client (components/api) derives the types of requests and responses from it. */
  readonly types?: Types;
}

/**
 * Creates a route; there is no other way to write one. It declares who may call the route, checks path, query and body
 * before anything happens, and turns every error into the error format of the REST API. A handler returns a Response or a value to be sent as JSON.
 */
export function route<
  const Answer extends RouteAnswer,
  Params = undefined,
  Query = undefined,
  Body = undefined,
  ParamsIn = undefined,
  QueryIn = undefined,
  BodyIn = undefined,
>(
  spec: RouteSpec<Params, Query, Body, Answer, { params: ParamsIn; query: QueryIn; body: BodyIn }>,
  handle: (input: RouteInput<Params, Query, Body>) => Promise<Response | Answered<Answer>>,
): Handler<{ params: ParamsIn; query: QueryIn; body: BodyIn; answer: Received<Answer> }> {
  const handler = async (request: Request, context: { params: Promise<unknown> }) => {
    const given = await context.params;
    return withRequestLog(request, given, async () => {
      const headers: Record<string, string> = {};
      const response = await respond(spec, handle, request, given, headers);
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      if (process.env['CHECK_ANSWERS'] === '1') await requireDeclared(spec.answer, response);
      return withNoStoreHeader(response);
    });
  };
  return Object.assign(handler, { spec });
}

/** The services, whose site refuses changes of published content for callers who may only write drafts. */
function limitToDrafts<T extends SiteServices>(all: T, principal: Principal | null): T {
  if (principal && allows(principal.scopes, 'content:write')) return all;
  return { ...all, content: all.content.draftsOnly() };
}

/**
 * Query of a request without the site parameter, which every request may have.
 * @throws InvalidInputError for a write with a parameter, or an `If-Match`, that its route does not accept
 */
function queryOf({ query, refusal }: RouteSpec<unknown, unknown, unknown>, { url, method, headers }: Request) {
  const { searchParams } = new URL(url);
  searchParams.delete(SITE_NAME);
  const given = Object.fromEntries(searchParams);
  const isRead = method === 'GET' || method === 'HEAD';
  // Clients of foreign formats (OpenAI, MCP) and forms may send additional parameters.
  if (!isRead && refusal === undefined) requireKnownParameters(query, given);
  return isRead ? given : { ...given, ...ifMatchOf(headers, query, given) };
}

/**
 * Answers a request. Never throws: every error becomes a response.
 * @param headers receives headers that every response to this request has, also a refusal
 */
async function respond<Params, Query, Body>(
  spec: RouteSpec<Params, Query, Body>,
  handle: (input: RouteInput<Params, Query, Body>) => Promise<unknown>,
  request: Request,
  given: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  let closeStream = () => undefined as void;
  let watched: ReturnType<Services['keys']['watch']> | undefined;
  let held: HeldBody | undefined;
  const releaseAll = () => {
    closeStream();
    watched?.release();
  };
  try {
    const all = await services();
    const principal = await admit(all, spec, request, (quota) => Object.assign(headers, rateLimitHeaders(quota)));
    const siteId = await siteOf(all, principal, request);
    addLogIds({ userId: principal?.userId, keyId: principal?.keyId ?? undefined });
    if (principal && isEventStream(spec.answer)) closeStream = all.limits.openStream(principal);
    const params = parse(spec.params, given, 'path');
    const query = parse(spec.query, queryOf(spec, request), 'query');
    // Counts all keys of a user together: with a key for each body there would be no limit.
    held = all.limits.bodies.open(principal?.userId ?? senderOf(request));
    const input: RouteInput<Params, Query, Body> = {
      params,
      query,
      body: await receiveBody(all, spec, request, held),
      services: limitToDrafts({ ...all, ...all.at(siteId) }, principal),
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
      anySession: async (id) => {
        const session = await findSession(all, id, principal, true);
        if (principal) await auditReading(all, principal, session, request);
        return session;
      },
      origin: { actor: actorOf(request), userId: principal?.userId },
      audit: (action, facts) => all.audit.record(principal, action, { headers: request.headers, ...facts }),
    };
    // Bound, not captured: a closure of this function lives as long as its stream, and would keep the body in memory.
    const handleInput = handle.bind(undefined, input);
    const answer = await (principal ? all.audit.during(principal, request.headers, handleInput) : handleInput());
    held.release();
    if (request.method === 'HEAD' && answer instanceof Response) {
      // A body that is not sent is neither read nor cancelled by the client.
      await answer.body?.cancel();
      releaseAll();
      return new Response(null, answer);
    }
    const response =
      answer instanceof Response
        ? withLoggedBody(answer, request)
        : Response.json(answer, { headers: revisionTag(request, answer) });
    if (!(answer instanceof Response) || !principal) {
      releaseAll();
      return response;
    }
    // A route that uses `lapsed` ends by itself when the key ends, and reports the reason.
    const isAllowed = async () => watched !== undefined || isStillAdmitted(all, principal, request, spec.acceptsOAuth);
    request.signal.addEventListener('abort', releaseAll, { once: true });
    const onAccessChange = (listener: () => void) => all.onRightsChanged(principal.userId, listener);
    return closeWhenDenied(response, { isAllowed, onAccessChange, signal: request.signal, onEnd: releaseAll });
  } catch (thrown) {
    releaseAll();
    // Uses the reason of the key's end for work that it aborted, no matter how the work reports it.
    const error = withIfMatchProblem(watched?.signal.aborted ? watched.signal.reason : thrown, request);
    if (isFault(error)) (await services()).log.error({ err: error, path: loggedPath(request.url) }, 'request failed');
    const response = await (spec.refusal?.(error, request) ?? errorResponse(error));
    // Does not wait for the rest of the body.
    if (error instanceof RequestTimeoutError) response.headers.set('connection', 'close');
    return response;
  } finally {
    held?.release();
  }
}

/** Time within which a body must arrive at a public route: enough for 64 kB over a slow mobile connection. Milliseconds. */
const PUBLIC_BODY_MS = 10_000;

/**
 * Reads the body. On public routes each address may send only a few bodies concurrently, each within ten seconds,
 * because the senders are not authenticated.
 * @throws as `readBody`
 */
async function receiveBody<Body>(
  { limits }: Services,
  spec: RouteSpec<unknown, unknown, Body>,
  request: Request,
  held: HeldBody,
): Promise<Body> {
  const limit = bodyLimitsOf(spec);
  if (spec.access !== 'public' || !readsBody(spec, request)) return readBody(spec, limit, request, { held });
  const releaseSlot = limits.publicBody(senderOf(request));
  return readBody(spec, limit, request, { held, limitMs: PUBLIC_BODY_MS }).finally(releaseSlot);
}

const senderOf = ({ headers }: Request) => clientOf(headers).address;

/** A response is for its caller and not for any cache, unless its route sets another policy. */
function withNoStoreHeader(response: Response): Response {
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store');
  return response;
}

/**
 * Checks a body that names the conversation whose changes it concerns (`sessionId`). Ids of imports and of deleted
 * conversations are accepted: they have no owner.
 * @throws NotFoundError for the conversation of another person, unless the caller is an administrator
 */
export async function requireOwnSession(
  { services: { sessions }, anySession }: Pick<RouteInput<unknown, unknown, unknown>, 'services' | 'anySession'>,
  id: string | undefined,
): Promise<void> {
  if (id !== undefined && (await sessions.find(id)) !== null) await anySession(id);
}

/**
 * Headers that report what is left of a rate limit, as draft-ietf-httpapi-ratelimit-headers-10 defines them: `q` requests
 * within `w` seconds; `r` are left, and more will be in `t` seconds.
 */
function rateLimitHeaders({ policy, limit, seconds, remaining, refillMs }: Quota): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${seconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${Math.ceil(refillMs / 1_000)}`,
  };
}
