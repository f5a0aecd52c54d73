import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createProbe, type AddressInfo, type Server as NetServer } from 'node:net';
import next from 'next';
import { projectPath } from '#scripts/lib/project';
import { stopOnSignal } from '#scripts/lib/stop-on-signal';
import { isLocalHost, NOT_LOCAL } from '#server/http/local-access';

/** In local mode nobody else may reach the server, so it listens on the loopback address only. */
const HOST = '127.0.0.1';

/** Takes the port. Rejects with a message for a person when another process holds it. */
function listen(server: NetServer, port: number): Promise<number> {
  const command = process.env['npm_lifecycle_event'] ?? 'start';
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      const advice = `Choose another one, for example: PORT=${port + 1} npm run ${command}`;
      reject(new Error(`Port ${port} is taken: another program, or Throughline itself, is running there. ${advice}`));
    });
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Rejects with a message for a person when the port is taken; a check before long work, not a reservation. */
export async function requireFreePort(port: number): Promise<void> {
  const probe = createProbe();
  await listen(probe, port);
  await new Promise((resolve) => probe.close(resolve));
}

/** Whether the path of an address is UTF-8; Next answers 500 where it is not. */
function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

function refuse(response: ServerResponse, status: number, error: { code: string; message: string }): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

function refuseAddress(response: ServerResponse): void {
  refuse(response, 400, { code: 'invalid_input', message: 'The address is not valid UTF-8.' });
}

/** For connections that were open before; new ones are not accepted any more. */
function refuseWhileStopping(response: ServerResponse): void {
  response.setHeader('connection', 'close');
  refuse(response, 503, { code: 'stopping', message: 'The server is stopping. Try again when it is back.' });
}

/** Pages show drafts and conversations, so they are as local as the API, whose routes each say who may call them. */
function mayBeServed({ url = '/', headers }: IncomingMessage): boolean {
  return url.startsWith('/api/') || isLocalHost(headers.host);
}

function refuseHost(response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(NOT_LOCAL);
}

export interface ServeOptions {
  /** 0: any free one. */
  readonly port: number;
  /** How long running steps may go on after a SIGTERM or SIGINT; milliseconds. */
  readonly shutdownLimitMs: number;
  /** Serve the sources and follow their changes (`npm run dev`); default false: the built app. */
  readonly dev?: boolean;
}

/**
 * Serves the app from this very process, so that a signal to its pid is a signal to the server (Next adds handlers of
 * its own to `next start` only). The port is taken first; requests wait until the app is ready. Resolves with the URL,
 * rejects with a message for a person.
 */
export async function serve({ port, shutdownLimitMs, dev = false }: ServeOptions): Promise<string> {
  if (!dev && !existsSync(projectPath('.next/BUILD_ID'))) throw new Error('There is no build yet. Run: npm run build');
  const ready = Promise.withResolvers<RequestListener>();
  const server = createServer((request, response) => {
    void ready.promise.then((handle) => handle(request, response));
  });
  const listening = await listen(server, port);
  process.env['PORT'] = String(listening);
  const app = next({ dev, dir: projectPath('.'), hostname: HOST, port: listening, httpServer: server });
  const stopping = stopOnSignal({ server, close: () => app.close(), limitMs: shutdownLimitMs });
  await app.prepare();
  const handle = app.getRequestHandler();
  ready.resolve((request, response) => {
    if (stopping.aborted) refuseWhileStopping(response);
    else if (!mayBeServed(request)) refuseHost(response);
    else if (!isReadable(request.url ?? '/')) refuseAddress(response);
    else void handle(request, response);
  });
  return `http://localhost:${listening}`;
}
