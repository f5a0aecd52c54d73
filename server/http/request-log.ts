import { percentDecoded } from '#server/core/percent-decoded';
import { logIds, withLogIds } from '#server/observability/log-ids';
import { countRequest } from '#server/observability/metrics';
import { services } from '#server/services';

/** As a proxy in front, or a client that looks for its own requests in our log, may name one. */
const REQUEST_ID = /^[\w.-]{1,64}$/;
const HEADER = 'x-request-id';
/** Asked for every few seconds by whoever watches the server. */
const WATCHED = new Set(['/api/health', '/api/ready']);

/**
 * Gives a request its id, which every line that is logged on its behalf carries and the answer tells (`x-request-id`), and
 * writes one line when it is answered: with accounts always, at one's own machine for who asks for `LOG_LEVEL=debug`.
 * @param params of the path, as Next gives them
 */
export function withRequestLog(request: Request, params: unknown, work: () => Promise<Response>): Promise<Response> {
  const given = request.headers.get(HEADER) ?? '';
  const requestId = REQUEST_ID.test(given) ? given : crypto.randomUUID();
  return withLogIds({ requestId }, async () => {
    const startedAt = performance.now();
    const response = await work();
    const ms = Math.round(performance.now() - startedAt);
    const route = routeOf(request.url, params);
    const { method } = request;
    const { status } = response;
    countRequest(method, route, status, ms);
    const { log, env } = await services();
    const isTold = env.AUTH_MODE === 'accounts' && !WATCHED.has(route);
    log[isTold ? 'info' : 'debug']({ method, route, status, ms }, 'request');
    response.headers.set(HEADER, requestId);
    return response;
  });
}

/**
 * The same answer, whose body is read under the ids of its request: it is read after the request has been answered, by
 * whoever sends it. That it broke off is a line of the log, unless its reader is gone.
 */
export function withLoggedBody(response: Response, { signal, url }: Request): Response {
  const { body, status, headers } = response;
  if (!body) return response;
  const ids = logIds();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const read = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    } catch (error) {
      if (!signal.aborted)
        (await services()).log.error({ err: error, path: new URL(url).pathname }, 'stream broke off');
      throw error;
    }
  };
  const logged = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => withLogIds(ids, () => read(controller)),
      cancel: (reason) => withLogIds(ids, () => reader.cancel(reason)),
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
