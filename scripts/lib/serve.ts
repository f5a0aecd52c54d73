import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createProbe, type AddressInfo, type Server as NetServer } from 'node:net';
import next from 'next';
import { projectPath } from '#scripts/lib/project';
import { isLocalHost, NOT_LOCAL } from '#server/http/local-access';

/** In local mode nobody else may reach the server, so it listens on the loopback address only. */
const HOST = '127.0.0.1';
/** Time that answers under way get to end after a SIGTERM or SIGINT, in milliseconds. */
const GRACE_MS = 3000;

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

/** `next start` waits for every open connection, so an event stream would keep the server alive for ever. */
function stopOnSignal(server: Server, close: () => Promise<void>): void {
  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) process.exit(code);
    stopping = true;
    setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
    await new Promise((resolve) => server.close(resolve));
    await close();
    process.exit(code);
  };
  process.on('SIGINT', () => void stop(130));
  process.on('SIGTERM', () => void stop(143));
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

function refuseAddress(response: ServerResponse): void {
  const error = { code: 'invalid_input', message: 'The address is not valid UTF-8.' };
  response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

/** Pages show drafts and conversations, so they are as local as the API, whose routes each say who may call them. */
function mayBeServed({ url = '/', headers }: IncomingMessage): boolean {
  return url.startsWith('/api/') || isLocalHost(headers.host);
}

function refuseHost(response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(NOT_LOCAL);
}

/**
 * Serves the built app from this very process, so that a signal to its pid is a signal to the server. The port is taken
 * first; requests wait until the app is ready. Resolves with the URL, rejects with a message for a person.
 */
export async function serve(port: number): Promise<string> {
  if (!existsSync(projectPath('.next/BUILD_ID'))) throw new Error('There is no build yet. Run: npm run build');
  const ready = Promise.withResolvers<RequestListener>();
  const server = createServer((request, response) => {
    void ready.promise.then((handle) => handle(request, response));
  });
  const listening = await listen(server, port);
  process.env['PORT'] = String(listening);
  const app = next({ dev: false, dir: projectPath('.'), hostname: HOST, port: listening, httpServer: server });
  await app.prepare();
  const handle = app.getRequestHandler();
  ready.resolve((request, response) => {
    if (!mayBeServed(request)) refuseHost(response);
    else if (!isReadable(request.url ?? '/')) refuseAddress(response);
    else void handle(request, response);
  });
  stopOnSignal(server, () => app.close());
  return `http://localhost:${listening}`;
}
