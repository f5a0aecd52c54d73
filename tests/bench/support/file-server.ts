import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/*
 * The peer: a plain server of the files in FOLDER, in a process of its own. It reads each file when it is asked for, as
 * such servers do, and compresses nothing.
 */

const FOLDER = process.env['FOLDER'] ?? '.';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

async function fileAt(path: string): Promise<{ readonly name: string; readonly data: Buffer } | null> {
  for (const name of [path, join(path, 'index.html')]) {
    const data = await readFile(join(FOLDER, name)).catch(() => null);
    if (data) return { name, data };
  }
  return null;
}

async function answer(path: string, response: ServerResponse): Promise<void> {
  const found = await fileAt(path);
  const { name, data } = found ?? { name: '404.html', data: await readFile(join(FOLDER, '404.html')) };
  response.writeHead(found ? 200 : 404, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' });
  response.end(data);
}

const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
  void answer(path, response);
});
process.once('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
