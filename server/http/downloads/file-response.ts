import { makeZip } from 'client-zip';

/** Name endings and media types by format. */
const files = {
  markdown: { extension: 'md', type: 'text/markdown; charset=utf-8' },
  json: { extension: 'json', type: 'application/json' },
  csv: { extension: 'csv', type: 'text/csv; charset=utf-8' },
} as const;

/**
 * A response that a browser saves as a file. The text is written as fast as the client reads it.
 * @param title becomes the name of the file, without the ending
 */
export function textDownload(title: string, format: keyof typeof files, text: AsyncGenerator<string>): Response {
  const { extension, type } = files[format];
  return new Response(streamOf(text).pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': type,
      'content-disposition': contentDisposition(title, extension),
      'cache-control': 'no-store',
    },
  });
}

/** Media type of a SQLite database (IANA). */
export const SQLITE_TYPE = 'application/vnd.sqlite3';

/**
 * A database that a browser saves as a file.
 * @param title becomes the name of the file, without the ending
 */
export function databaseDownload(title: string, bytes: number, content: ReadableStream<Uint8Array>): Response {
  return new Response(content, {
    headers: {
      'content-type': SQLITE_TYPE,
      'content-length': String(bytes),
      'content-disposition': contentDisposition(title, 'db'),
      'cache-control': 'no-store',
    },
  });
}

/** A file of a ZIP archive. */
interface NamedFile {
  /** Path in the archive. */
  readonly path: string;
  readonly data: Uint8Array;
}

/**
 * A response that a browser saves as a ZIP file.
 * @param title becomes the name of the file, without the ending
 * @param first files at the start of the archive
 * @param more further files; each is read when the client is ready for it
 */
export function zipDownload(title: string, first: Iterable<NamedFile>, more: AsyncIterable<NamedFile>): Response {
  async function* entries() {
    for (const { path, data } of first) yield { name: path, input: data.slice() };
    for await (const { path, data } of more) yield { name: path, input: data.slice() };
  }
  return new Response(makeZip(entries()), {
    headers: {
      'content-type': 'application/zip',
      'content-disposition': contentDisposition(title, 'zip'),
      'cache-control': 'no-store',
    },
  });
}

function streamOf(text: AsyncGenerator<string>): ReadableStream<string> {
  return new ReadableStream<string>(
    {
      async pull(controller) {
        const { done, value } = await text.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await text.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

/** Maximum characters of a file name: enough to recognize the file, and short enough for every file system. */
const MAX_NAME_CHARS = 80;

/** Makes a file name that is valid on every system: no separators, no reserved characters, no dots at its ends. */
function fileName(title: string): string {
  const plain = title.toWellFormed().replaceAll(/[\p{C}\p{Z}<>:"/\\|?*]+/gu, ' ');
  const name = Array.from(plain)
    .slice(0, MAX_NAME_CHARS)
    .join('')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '');
  return name === '' ? 'conversation' : name;
}

/** `Content-Disposition` (RFC 6266) with the real name, and with an ASCII name for clients that cannot read the other. */
function contentDisposition(title: string, extension: string): string {
  const name = `${fileName(title)}.${extension}`;
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^ -~]|[%"\\]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
