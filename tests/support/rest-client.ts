import { Agent, type IncomingMessage, request } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';

/** The shape of every refusal: these fields and no others. */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.string().regex(/^[a-z]+(_[a-z]+)*$/),
    message: z.string().min(1).max(1_000),
    reason: codedMessageSchema.optional(),
    details: z.unknown().optional(),
  }),
});

export interface RestRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Sent verbatim, `Host` included; `fetch` would not do that. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  /** In pieces, without a Content-Length. */
  readonly chunked?: boolean;
  /** Does not wait for the end of a stream of events, which may never come. */
  readonly leavesStreams?: boolean;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The text as JSON. Throws when it is none. */
  json(): unknown;
}

const PIECE = 65_536;

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends one request over its own connection. Rejects when the connection breaks without an answer. */
export async function sendRequest(
  url: string,
  { method, path, headers, body, chunked, leavesStreams = false }: RestRequest,
): Promise<RestAnswer> {
  const bytes = body === undefined ? Buffer.alloc(0) : bytesOf(body);
  const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes.length) };
  const { hostname, port } = new URL(url);
  const answer = Promise.withResolvers<IncomingMessage>();
  // A server closes a connection that is not kept alive as soon as it has answered. If it then still receives the body,
  // the system resets the connection and the answer is lost.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const outgoing = request({
    hostname,
    port,
    method,
    path,
    agent,
    headers: { ...(body !== undefined && length), ...headers },
  });
  outgoing.on('response', answer.resolve).on('error', answer.reject);
  for (let at = 0; at < bytes.length; at += PIECE) outgoing.write(bytes.subarray(at, at + PIECE));
  outgoing.end();
  try {
    const incoming = await answer.promise;
    const isStream = incoming.headers['content-type']?.startsWith('text/event-stream') === true;
    return leavesStreams && isStream ? leave(incoming) : await toAnswer(incoming);
  } finally {
    agent.destroy();
  }
}

function leave(incoming: IncomingMessage): RestAnswer {
  const { statusCode: status = 0, headers } = incoming;
  incoming.on('error', () => undefined).destroy();
  return { status, headers, text: '', json: (): unknown => null };
}

async function toAnswer(incoming: IncomingMessage): Promise<RestAnswer> {
  const text = await readAll(incoming);
  const { statusCode = 0, headers } = incoming;
  return { status: statusCode, headers, text, json: (): unknown => JSON.parse(text) };
}
