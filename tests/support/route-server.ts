import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type LoopbackServer, startLoopback } from '#tests/support/loopback-server';
import { callRoute } from '#tests/support/routes';

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A real HTTP server that answers with the routes of this process, and the requests that it has received. */
export async function startRouteServer(): Promise<LoopbackServer & { readonly received: ReceivedRequest[] }> {
  const received: ReceivedRequest[] = [];
  const server = await startLoopback((request, response) => {
    const answer = async () => {
      const { method: asked = 'GET', url = '/' } = request;
      // As Next does.
      const method = asked === 'HEAD' ? 'GET' : asked;
      const body = await buffer(request);
      received.push({ method, path: url, body: body.toString() });
      const headers = Object.entries(request.headers).filter(([name]) => name !== 'connection');
      const sent = {
        headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      };
      const answered = url.startsWith('/.well-known/')
        ? callRoute(method, '/.well-known/[...path]', { ...sent, params: { path: url.split('/').slice(2) } })
        : callRoute(method, url, sent);
      // What has no route.
      const result = await answered.catch(() => new Response('', { status: 405 }));
      response.writeHead(result.status, Object.fromEntries(result.headers));
      if (result.body && asked !== 'HEAD') Readable.fromWeb(result.body as ReadableStream).pipe(response);
      else response.end();
    };
    answer().catch((error: unknown) => response.destroy(error as Error));
  });
  return Object.assign(server, { received });
}
