import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server on the loopback address. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
  /** Breaks open connections and stops listening; does nothing the second time. */
  readonly close: () => Promise<void>;
}

/** @param onRequest answers each request @param wished port; default: a free one */
export async function startLoopback(onRequest: RequestListener, wished = 0): Promise<LoopbackServer> {
  const server = createServer(onRequest).listen(wished, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { port, url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}
