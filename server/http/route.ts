import type { z } from 'zod';
import { clientOf } from '#server/auth/client';
import { chosenSite, percentDecoded } from '#server/core/addresses';
import type { AuditAction } from '#server/core/audit';
import type { ChangeOrigin } from '#server/core/changes';
import { ForbiddenError, NotFoundError, StaleSignInError } from '#server/core/errors';
import type { Session } from '#server/core/sessions';
import { hasAllSites, isTheirSite } from '#server/core/people';
import { allows, type Principal, type Scope } from '#server/core/access-rights';
import { actorOf } from '#server/http/caller';
import { errorResponse, isFault } from '#server/http/error-response';
import { whileAllowed } from '#server/http/event-stream';
import { ifMatchOf, revisionTag, unmatched } from '#server/http/if-match';
import { type BodySpec, parse, readBody, requireKnown } from '#server/http/parse-request';
import { type Answered, isEventStream, requireDeclared, type RouteAnswer } from '#server/http/schemas/answer';
import { logIds, nameLogIds, withLogIds } from '#server/observability/log';
import { countRequest } from '#server/observability/telemetry';
import { type Services, services, type SiteServices } from '#server/services';

/** Specification of a route. Left-out schemas mean: nothing of that kind is read. */
export interface RouteSpec<Params, Query, Body, Answer extends RouteAnswer = RouteAnswer>
  extends Admission, BodySpec<Body> {
  /** One short sentence for the API's document. */
  readonly summary: string;
  /** Shape of its answers, by status. */
  readonly answer: Answer;
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  /** Response to a failure. Default: the contract's error shape. */
  readonly refusal?: (error: unknown) => Response;
}

export interface RouteInput<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Services of the server, and of the site that the request is about. */
  readonly services: Services & SiteServices;
  readonly request: Request;
  /** The authenticated caller. @throws Error on a public route */
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
  /** Author recorded with site changes. */
  readonly origin: Pick<ChangeOrigin, 'actor' | 'userId'>;
  /** Writes down for administrators what was done. Throws only where the entry is required. */
  readonly audit: (action: AuditAction, facts?: Parameters<Services['audit']['record']>[2]) => Promise<void>;
}

/** Handler that Next calls, with its specification for the API document. */
export interface Handler {
  (request: Request, context: { params: Promise<unknown> }): Promise<Response>;
  readonly spec: RouteSpec<unknown, unknown, unknown>;
}

/**
 * The one way to write a route: says who may call it, checks path, query and body before anything happens, and turns
 * every failure into the contract's error shape. A handler returns a Response or a value to be sent as JSON.
 */
export function route<const Answer extends RouteAnswer, Params = undefined, Query = undefined, Body = undefined>(
  spec: RouteSpec<Params, Query, Body, Answer>,
  handle: (input: RouteInput<Params, Query, Body>) => Promise<Response | Answered<Answer>>,
): Handler {
  const handler = async (request: Request, context: { params: Promise<unknown> }) => {
    const given = await context.params;
    return withRequestLog(request, given, async () => {
      const response = await respond(spec, handle, request, given);
      if (process.env['CHECK_ANSWERS'] === '1') await requireDeclared(spec.answer, response);
      return unkept(response);
    });
  };
  return Object.assign(handler, { spec });
}

/** The services with the site as far as who asks may change it, whatever the route lets in. */
function within<T extends SiteServices>(all: T, principal: Principal | null): T {
  if (principal && allows(principal.scopes, 'content:write')) return all;
  return { ...all, content: all.content.draftsOnly() };
}

/** Header that names the site that a request is about; addresses that are followed name it in their query. */
export const SITE_NAME = 'x-site';

/**
 * The site that a request is about, an id of `GET /api/sites`: the one it names, else the one chosen in its browser, else
 * the standard one. Strangers are shown the standard one.
 * @throws NotFoundError for a site that is named and not there, or not the caller's
 */
async function siteOf({ sites }: Services, principal: Principal | null, { headers, url }: Request) {
  if (principal === null) return sites.standardId;
  const named = headers.get(SITE_NAME) ?? new URL(url).searchParams.get(SITE_NAME);
  if (named !== null) return sites.choose(principal.sites, named);
  return wishedSite(sites, principal.sites, principal.kind === 'key' ? null : chosenSite(headers.get('cookie')));
}

/** The site that somebody would like to work on; the first that they may have where it is not there, or not theirs. */
export async function wishedSite(
  sites: Services['sites'],
  theirs: readonly string[] | null,
  wished: string | null,
): Promise<string | null> {
  try {
    return await sites.choose(theirs, wished);
  } catch (error) {
    if (error instanceof NotFoundError) return sites.choose(theirs, null);
    throw error;
  }
}

/**
 * Query of a request without the name of its site, which any request may have.
 * @throws InvalidInputError for a write with a parameter, or an `If-Match`, that its route does not take
 */
function queryOf({ query, refusal }: RouteSpec<unknown, unknown, unknown>, { url, method, headers }: Request) {
  const { searchParams } = new URL(url);
  searchParams.delete(SITE_NAME);
  const given = Object.fromEntries(searchParams);
  const isRead = method === 'GET' || method === 'HEAD';
  // Who speaks the format of others (OpenAI, MCP) or sends a form adds parameters as those do.
  if (!isRead && refusal === undefined) requireKnown(query, given);
  return isRead ? given : { ...given, ...ifMatchOf(headers, query, given) };
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
    const siteId = await siteOf(all, principal, request);
    nameLogIds({ userId: principal?.userId, keyId: principal?.keyId ?? undefined });
    if (principal && isEventStream(spec.answer)) closeStream = all.limits.openStream(principal);
    const input: RouteInput<Params, Query, Body> = {
      params: parse(spec.params, given, 'path'),
      query: parse(spec.query, queryOf(spec, request), 'query'),
      body: await readBody(spec, request),
      services: within({ ...all, ...all.at(siteId) }, principal),
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
    };
    const answer = await (principal
      ? all.audit.during(principal, request.headers, () => handle(input))
      : handle(input));
    if (request.method === 'HEAD' && answer instanceof Response) {
      // Nobody reads or cancels a body that is not sent.
      await answer.body?.cancel();
      end();
      return new Response(null, answer);
    }
    const response =
      answer instanceof Response
        ? withLoggedBody(answer, request)
        : Response.json(answer, { headers: revisionTag(request, answer) });
    if (!(answer instanceof Response) || !principal) {
      end();
      return response;
    }
    // What watches its key itself ends with it, and says why.
    const isAllowed = async () => watched !== undefined || isStillLetIn(all, principal, request);
    request.signal.addEventListener('abort', end, { once: true });
    const onDoubt = (listener: () => void) => all.onRightsChanged(principal.userId, listener);
    return whileAllowed(response, { isAllowed, onDoubt, signal: request.signal, onEnd: end });
  } catch (thrown) {
    end();
    // Work that ended with its key, however it says so.
    const error = unmatched(watched?.signal.aborted ? watched.signal.reason : thrown, request);
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
  const isLetIn = isOwn || (isAdminLetIn && principal && allows(principal.scopes, 'admin'));
  if (isLetIn && principal && isTheirSite(principal.sites, session.siteId)) return session;
  throw new NotFoundError('session', id);
}

/**
 * Right that a caller needs. `signed-in`: any known caller. `person`: somebody who has signed in or sits at the
 * machine, and no key, whatever its scopes: what would outlive a key that is revoked. `editor`, `administrator`: such a
 * person with `content:write`, with `admin`.
 */
export type Access = Scope | 'signed-in' | 'person' | 'editor' | 'administrator';

/** Requirements of a route on its caller. */
export interface Admission {
  /** `public`: everybody may come in. */
  readonly access: Access | 'public';
  /** True if it may start a turn: there is an allowance of those, too. */
  readonly startsTurn?: boolean;
  /** True if it changes who may do what: whoever signed in longer than half an hour ago has to sign in again first. */
  readonly isFresh?: boolean;
}

/** Time a sign-in lets somebody change who may do what; milliseconds. */
const FRESH_MS = 30 * 60_000;

/**
 * Lets somebody in, before anything of what he sends is read.
 * @returns null: everybody may come in, so nobody was asked for
 * @throws UnauthenticatedError, ForbiddenError, RateLimitedError
 */
async function admit(
  all: Services,
  { access, startsTurn = false, isFresh = false }: Admission,
  request: Request,
): Promise<Principal | null> {
  if (access === 'public') {
    await countStranger(all, request);
    return null;
  }
  const principal = await recognize(all, request);
  await all.limits.request(principal);
  if (!isEnough(principal, access)) throw new ForbiddenError(whyNot(principal, access));
  const { signedInAt = Infinity } = principal;
  if (isFresh && signedInAt + FRESH_MS < Date.now())
    throw new StaleSignInError('You signed in a while ago. Sign in again to change this.');
  if (startsTurn) await all.limits.turn(principal);
  return principal;
}

/** Tells whether a visitor of a public route is somebody with this right on a site. */
export async function mayEnter(
  { authenticator }: Pick<Services, 'authenticator'>,
  scope: Scope,
  request: Request,
  siteId: string,
): Promise<boolean> {
  try {
    const { scopes, sites } = await authenticator.authenticate(request);
    return allows(scopes, scope) && isTheirSite(sites, siteId);
  } catch (error) {
    if (isFault(error)) throw error;
    return false;
  }
}

/** Tells whether a caller would still be admitted with the same rights. A fault of ours does not count against them. */
async function isStillLetIn(
  { authenticator }: Pick<Services, 'authenticator'>,
  { scopes, sites }: Principal,
  request: Pick<Request, 'headers' | 'method'>,
): Promise<boolean> {
  try {
    const now = await authenticator.authenticate(request);
    return hasAllSites(now.sites, sites) && scopes.every((scope) => allows(now.scopes, scope));
  } catch (error) {
    return isFault(error);
  }
}

/** @throws UnauthenticatedError, ForbiddenError, RateLimitedError for who has tried too often */
async function recognize(all: Services, request: Request): Promise<Principal> {
  try {
    return await all.authenticator.authenticate(request);
  } catch (error) {
    await countStranger(all, request);
    throw error;
  }
}

/** In local mode whoever reaches us is the owner, and no stranger. @throws RateLimitedError */
async function countStranger({ env, limits }: Services, { headers }: Request): Promise<void> {
  if (env.AUTH_MODE === 'accounts') await limits.publicRequest(clientOf(headers).address);
}

function isEnough({ kind, scopes }: Principal, access: Access): boolean {
  if (access === 'signed-in') return true;
  if (access === 'person') return kind !== 'key';
  if (access === 'editor') return kind !== 'key' && allows(scopes, 'content:write');
  if (access === 'administrator') return kind !== 'key' && allows(scopes, 'admin');
  return allows(scopes, access);
}

function whyNot({ kind }: Principal, access: Access): string {
  const isForPeople = access === 'person' || access === 'editor' || access === 'administrator';
  if (isForPeople && kind === 'key') return 'Only a person may do this: sign in. An API key does not do.';
  if (kind === 'key') return `This API key does not have the scope "${access}".`;
  const isForEditors = access === 'editor' || access === 'content:write';
  return isForEditors ? 'Only an editor or an administrator may do this.' : 'Only an administrator may do this.';
}

/** A request id from a proxy in front, or from a client that looks for its own requests in our log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;
const HEADER = 'x-request-id';
/** Asked for every few seconds by whoever watches the server. */
const WATCHED = new Set(['/api/health', '/api/ready']);

/**
 * Gives a request its id, which every line that is logged on its behalf carries and the answer tells (`x-request-id`), and
 * writes one line when it is answered: with accounts always, at one's own machine for who asks for `LOG_LEVEL=debug`.
 * @param params of the path, as Next gives them
 */
function withRequestLog(request: Request, params: unknown, work: () => Promise<Response>): Promise<Response> {
  const given = request.headers.get(HEADER) ?? '';
  const requestId = REQUEST_ID.test(given) ? given : crypto.randomUUID();
  return withLogIds({ requestId }, async () => {
    const startedAt = performance.now();
    const response = await work();
    const ms = Math.round(performance.now() - startedAt);
    const routeName = routeOf(request.url, params);
    const { method } = request;
    const { status } = response;
    countRequest(method, routeName, status, ms);
    const { log, env } = await services();
    const isTold = env.AUTH_MODE === 'accounts' && !WATCHED.has(routeName);
    log[isTold ? 'info' : 'debug']({ method, route: routeName, status, ms }, 'request');
    response.headers.set(HEADER, requestId);
    return response;
  });
}

/**
 * The same answer, whose body is read under the ids of its request: it is read after the request has been answered, by
 * whoever sends it. That it broke off is a line of the log, unless its reader is gone.
 */
function withLoggedBody(response: Response, { signal, url }: Request): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  const ids = logIds();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let isCancelled = false;
  const read = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await reader.read();
      // Whoever read it has enough, as when their key is revoked: there is nothing to close any more.
      if (isCancelled) return;
      if (done) controller.close();
      else controller.enqueue(value);
    } catch (error) {
      if (!signal.aborted && !isCancelled)
        (await services()).log.error({ err: error, path: new URL(url).pathname }, 'stream broke off');
      throw error;
    }
  };
  const logged = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => withLogIds(ids, () => read(controller)),
      cancel: (reason) => {
        isCancelled = true;
        return withLogIds(ids, () => reader.cancel(reason));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(logged, { status, headers });
}

/**
 * The path as it is written in the code: ids in it are many, and slugs say what a site is about.
 * @param params decoded, as Next gives them; in the order of the path
 */
export function routeOf(url: string, params: unknown): string {
  const open = new URL(url).pathname.split('/').map(percentDecoded);
  const named: string[] = [];
  for (const [name, value] of Object.entries((params ?? {}) as Record<string, string | string[] | undefined>)) {
    const pieces = [value ?? []].flat().map(percentDecoded);
    const at = open.findIndex((_, index) => pieces.every((piece, offset) => open[index + offset] === piece));
    if (pieces.length === 0 || at < 0) continue;
    named.push(...open.splice(0, at), `[${name}]`);
    open.splice(0, pieces.length);
  }
  return [...named, ...open].join('/');
}
