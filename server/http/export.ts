import { makeZip } from 'client-zip';
import type { CompactionRecord } from '#server/core/compactions';
import { blobIdOf } from '#server/core/files';
import type { KeptWish } from '#server/core/kept-wishes';
import type { Message } from '#server/core/messages';
import { EXPORT_FORMAT, type Session } from '#server/core/sessions';
import type { Part } from '#server/core/parts';
import { asToolImage } from '#server/core/tool-result';
import type { Services } from '#server/services';

/** A conversation on its way into a file. */
export interface ExportedConversation {
  readonly session: Session;
  /** The newest first. */
  readonly compactions: readonly CompactionRecord[];
  /** Wishes that it keeps in mind. */
  readonly wishes: readonly KeptWish[];
  /** In order, summaries included; read while it is written, so that a long one never lies in memory whole. */
  readonly messages: AsyncIterable<Message>;
}

/** Messages that are in memory at once. */
const PAGE_SIZE = 200;

type Sources = Pick<Services, 'messages' | 'attachments'>;

/** Every message of a session in order, summaries and superseded ones included, read page by page as they are taken. */
export async function* exportedMessages({ messages }: Sources, sessionId: string): AsyncGenerator<Message> {
  let cursor: string | undefined;
  do {
    const query = { cursor, limit: PAGE_SIZE, summaries: true, superseded: true };
    const page = await messages.list(sessionId, query);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Puts the bytes of the files of messages into their addresses, for a document that has to stand alone. */
export async function* withFileBytes(sources: Sources, messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  for await (const message of messages) yield await withFiles(sources, message);
}

async function withFiles({ attachments }: Sources, message: Message): Promise<Message> {
  const parts: Part[] = [];
  const bytesOf = async (id: string) => {
    const { blob, data } = await attachments.read(id);
    return `data:${blob.mediaType};base64,${Buffer.from(data).toString('base64')}`;
  };
  for (const part of message.parts) {
    const id = part.type === 'file' ? blobIdOf(part.content.url) : null;
    if (part.type === 'file' && id !== null) {
      parts.push({ ...part, content: { ...part.content, url: await bytesOf(id) } });
    } else if (part.type === 'tool-result' && part.content.output.type === 'content') {
      const value = [];
      for (const piece of part.content.output.value) {
        const image = asToolImage(piece);
        if (!image) value.push(piece);
        else value.push({ ...image, url: await bytesOf(blobIdOf(image.url)!) });
      }
      parts.push({ ...part, content: { ...part.content, output: { type: 'content', value } } });
    } else {
      parts.push(part);
    }
  }
  return { ...message, parts };
}

/**
 * The conversation as one JSON object `{format, session, wishes, messages, compactions}`, a message a line. Its `messages` are
 * those of GET /messages, with the bytes of their files. POST /import takes the object back, but for its compactions.
 */
export async function* exportAsJson({
  session,
  wishes,
  compactions,
  messages,
}: ExportedConversation): AsyncGenerator<string> {
  yield `{"format":${JSON.stringify(EXPORT_FORMAT)},\n"session":${JSON.stringify(session)},\n"wishes":${JSON.stringify(wishes)},\n"messages":[`;
  let separator = '\n';
  for await (const message of messages) {
    yield separator + JSON.stringify(message);
    separator = ',\n';
  }
  yield `\n],\n"compactions":[${compactions.map((record) => `\n${JSON.stringify(record)}`).join(',')}\n]}\n`;
}

const files = {
  markdown: { extension: 'md', type: 'text/markdown; charset=utf-8' },
  json: { extension: 'json', type: 'application/json' },
  csv: { extension: 'csv', type: 'text/csv; charset=utf-8' },
} as const;

/** The text as a file to save, sent as fast as the client takes it. */
export function exportResponse(title: string, format: keyof typeof files, text: AsyncGenerator<string>): Response {
  const { extension, type } = files[format];
  return new Response(streamOf(text).pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': type,
      'content-disposition': contentDisposition(title, extension),
      'cache-control': 'no-store',
    },
  });
}

interface NamedFile {
  readonly path: string;
  readonly data: Uint8Array;
}

/** Files as one ZIP to save, each taken when the client has room for it. */
export function zipResponse(title: string, first: Iterable<NamedFile>, more: AsyncIterable<NamedFile>): Response {
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

const MAX_NAME_CHARS = 80;

/** A file name on every system: no separators, no reserved characters, no dots at its ends. */
function fileName(title: string): string {
  const plain = title.toWellFormed().replaceAll(/[\p{C}\p{Z}<>:"/\\|?*]+/gu, ' ');
  const name = Array.from(plain)
    .slice(0, MAX_NAME_CHARS)
    .join('')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '');
  return name === '' ? 'conversation' : name;
}

/** RFC 6266: the real name, and one in ASCII for whoever cannot read it. */
function contentDisposition(title: string, extension: string): string {
  const name = `${fileName(title)}.${extension}`;
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^ -~]|[%"\\]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
