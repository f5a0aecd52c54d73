import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { startLoopback } from '#tests/support/loopback-server';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.woff2': 'font/woff2',
};

/** A plain server of files: of a folder it sends `index.html`, of what is not there `404.html`. */
export interface FileServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves a folder. Each file is read when it is asked for, and nothing is compressed, as such servers do. */
export async function startFileServer(folder: string): Promise<FileServer> {
  const read = (name: string) => readFile(join(folder, name)).catch(() => null);
  const answer = async (path: string, response: ServerResponse) => {
    for (const name of [path, join(path, 'index.html')]) {
      const data = await read(name);
      if (!data) continue;
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(data);
      return;
    }
    response.writeHead(404, { 'content-type': TYPES['.html'] }).end((await read('404.html')) ?? '');
  };
  return startLoopback((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    void answer(normalize(path), response);
  });
}
