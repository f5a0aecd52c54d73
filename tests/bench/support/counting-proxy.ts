import { request as send } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { type LoopbackServer, startLoopback } from '#tests/support/loopback-server';

/** Passes the requests to an HTTP server on; as if it was further away. */
export interface CountingProxy extends LoopbackServer {
  /** Requests until now. */
  readonly requests: number;
}

/** @param delayMs how much longer each request takes */
export async function startCountingProxy(target: string, delayMs: number): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let requests = 0;
  const server = await startLoopback((request, response) => {
    const pass = async () => {
      requests += 1;
      const body = await buffer(request);
      await pause(delayMs);
      const { method, headers, url: path } = request;
      const passed = send({ hostname, port, method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      passed.end(body);
    };
    pass().catch(() => response.destroy());
  });
  return {
    ...server,
    get requests() {
      return requests;
    },
  };
}
