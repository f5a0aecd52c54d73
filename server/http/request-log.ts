import { percentDecoded } from '#server/core/addresses';
import { PREVIEW_LINK_ROOT } from '#server/core/site/preview/preview-links';
import { logIds, withLogIds } from '#server/platform/telemetry/log-ids';
import { countRequest } from '#server/platform/telemetry/telemetry';
import { services } from '#server/services';

/* Gives every request an id, and logs and counts it. */

/** A request id from a reverse proxy, or from a client that wants to find its requests in our log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;
const REQUEST_ID_HEADER = 'x-request-id';
/** Routes that monitoring polls every few seconds; they are logged as `debug` only. */
const POLLED_ROUTES = new Set(['/api/health', '/api/ready']);

/**
 * Gives a request its id, which every related log line and the response (`x-request-id`) contain, and writes one log
 * line when it is answered: always with accounts, on a local machine only with `LOG_LEVEL=debug`.
 * @param params of the path, as Next passes them
 */
export function withRequestLog(request: Request, params: unknown, work: () => Promise<Response>): Promise<Response> {
  const given = request.headers.get(REQUEST_ID_HEADER) ?? '';
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
    const isInfo = env.AUTH_MODE === 'accounts' && !POLLED_ROUTES.has(routeName);
    log[isInfo ? 'info' : 'debug']({ method, route: routeName, status, ms }, 'request');
    response.headers.set(REQUEST_ID_HEADER, requestId);
    return response;
  });
}

/**
 * Returns the same response, whose body is read with the ids of its request in the log context. Needed because the server
 * reads a body after the handler has returned. A body that fails is logged, unless the client has disconnected.
 */
export function withLoggedBody(response: Response, { signal, url }: Request): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  const ids = logIds();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let isCancelled = false;
  const read = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await reader.read();
      // The reader cancelled, for example because the key was revoked: the controller is already closed.
      if (isCancelled) return;
      if (done) controller.close();
      else controller.enqueue(value);
    } catch (error) {
      if (!signal.aborted && !isCancelled)
        (await services()).log.error({ err: error, path: loggedPath(url) }, 'stream broke off');
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

/** The path of a request for the log of failures; without the secret of a preview link. */
export function loggedPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.startsWith(`${PREVIEW_LINK_ROOT}/`) ? PREVIEW_LINK_ROOT : pathname;
}

/**
 * The path of a request as its route is written in the source code, for logs and metrics: ids would make each path
 * different, and slugs disclose the subject of a site.
 * @param params decoded, as Next passes them; in the order of the path
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
