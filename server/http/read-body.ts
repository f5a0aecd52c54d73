import { refusedJson } from '#server/core/messages/coded-errors';
import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import type { ServerText } from '#server/core/coded-message';
import type { HeldBody } from '#server/core/body-memory';
import { createYielder } from '#server/core/async';
import { InvalidInputError, RequestTimeoutError, ThroughlineError, TooLargeError } from '#server/core/errors';
import { JsonValueCounter } from '#server/core/json-scan';
import { jsonProblem, MAX_DEPTH, MAX_FIELDS } from '#server/core/json';
import { parse } from '#server/http/parse-request';

/** Maximum bytes of a body: 1 MB is enough for a message. The import and prepare routes set a higher limit. */
const DEFAULT_BODY_BYTES = 1_000_000;
/**
 * Maximum JSON values of a body: a page of 60 sections with 20 fields each has about 1,300, lists in them several
 * thousand.
 */
const BODY_VALUES = 20_000;
/** The same for a public route, whose sender is not authenticated yet. A passkey's answer has about 3 kB and 20 values. */
const PUBLIC_BODY_BYTES = 16_000;
const PUBLIC_BODY_VALUES = 500;

/** Schema for routes that accept no body: a body that was sent by mistake is refused, not ignored. */
const noBody = z.strictObject({}).optional();

/** Value of `BodySpec.body` for a route that reads the raw bytes, without any check. */
export const bytesBody = z.instanceof(Uint8Array);

/** The body that a route accepts. */
export interface BodySpec<Body, BodyIn = unknown> {
  /** Schema of the body; omitted: the route accepts none. */
  readonly body?: z.ZodType<Body, BodyIn>;
  /** Media types of the file, for `bytesBody`. For the API document: the content decides what a file is. */
  readonly mediaTypes?: readonly string[];
  /** Maximum bytes. Default 1 MB; for a public route 16 kB. */
  readonly bodyLimit?: number;
  /** Maximum JSON values, counted before they are parsed. Default 20,000; for a public route 500. */
  readonly bodyValues?: number;
  /** True if the route does not read the body, whatever it contains. Default false. */
  readonly ignoresBody?: boolean;
}

/** Maximum bytes and JSON values of a body. */
export interface BodyLimits {
  readonly bytes: number;
  readonly values: number;
}

/** The limits of a route; also used by the API document. */
export function bodyLimitsOf({
  access,
  bodyLimit,
  bodyValues,
}: BodySpec<unknown> & { readonly access: string }): BodyLimits {
  const isPublic = access === 'public';
  return {
    bytes: bodyLimit ?? (isPublic ? PUBLIC_BODY_BYTES : DEFAULT_BODY_BYTES),
    values: bodyValues ?? (isPublic ? PUBLIC_BODY_VALUES : BODY_VALUES),
  };
}

/** How a body is read: its memory, and its time limit. */
export interface BodyReading {
  /** Memory that the body takes; the caller frees it when the body is no longer needed. */
  readonly held?: HeldBody;
  /** Milliseconds until the whole body must have arrived. Default: a minimum rate instead. */
  readonly limitMs?: number | undefined;
  /** Without `limitMs`: milliseconds within which each thirtieth of the body must arrive (`PARTS`). Default 20 seconds. */
  readonly partMs?: number;
}

/** True if a request may have a body that its route reads. */
export function readsBody({ ignoresBody = false }: BodySpec<unknown>, { method }: Request): boolean {
  return !ignoresBody && method !== 'GET' && method !== 'HEAD';
}

/**
 * Reads and checks the body of a request.
 * @throws InvalidInputError, TooLargeError, RateLimitedError, RequestTimeoutError
 */
export async function readBody<Body>(
  { body, ...spec }: BodySpec<Body>,
  limits: BodyLimits,
  request: Request,
  reading: BodyReading = {},
): Promise<Body> {
  if (!readsBody(spec, request)) return undefined as Body;
  const yieldToEventLoop = createYielder();
  const sent = await (isBytes(body) ? readBytes(request, limits.bytes, reading) : readJson(request, limits, reading));
  await yieldToEventLoop();
  if (body) return parse(body, sent, 'body');
  parse(noBody, sent, 'body');
  return undefined as Body;
}

function isBytes(body: z.ZodType | undefined): boolean {
  return body === bytesBody;
}

/**
 * Reads the request's JSON body; undefined if it has none. Its values are counted while it arrives: a body with too many
 * is refused before it is parsed.
 * @throws TooLargeError, InvalidInputError (not JSON, or JSON that cannot be stored unchanged), and as `readBody`
 */
export async function readJson(request: Request, limits: BodyLimits, reading: BodyReading = {}): Promise<unknown> {
  const counter = new JsonValueCounter();
  const count = (piece: Uint8Array) => {
    counter.add(piece);
    if (counter.deepest > MAX_DEPTH) throw refusedJson('body', 'levels');
    if (counter.mostFields > MAX_FIELDS) throw refusedJson('body', 'fields');
    if (counter.count > limits.values) throw new TooLargeError('body', limits.values, 'values');
  };
  const bytes = await readBytes(request, limits.bytes, reading, count);
  if (bytes.byteLength === 0) return undefined;
  const yieldToEventLoop = createYielder();
  const text = textOf(bytes);
  await yieldToEventLoop();
  const value = parseJson(text);
  await yieldToEventLoop();
  const problem = jsonProblem(value);
  if (problem !== null) throw refusedJson('body', problem);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInputError(serverText('body-not-json'));
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidInputError(serverText('body-not-utf8'));
  }
}

/**
 * The minimum rate of a body, because it occupies memory of its announced size: one of 30 parts every 20 seconds. (Node.js
 * itself closes a connection whose request takes more than five minutes, half of what all parts may take.)
 */
const PARTS = 30;
const PART_MS = 20_000;

/** Maximum bytes that are still read from a refused body, so that its sender can read the response. */
const MAX_DISCARDED = 64_000_000;

/**
 * Reads the raw bytes of the request's body; empty if it has none.
 * @param limit bytes; counted while reading, regardless of the Content-Length header
 * @param onPiece called with each piece that arrives; an error that it throws ends the reading
 * @throws TooLargeError, InvalidInputError (the connection was lost), RateLimitedError, RequestTimeoutError
 */
async function readBytes(
  { body, headers }: Request,
  limit: number,
  { held, limitMs, partMs = PART_MS }: BodyReading,
  onPiece: (piece: Uint8Array) => void = () => undefined,
): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stopped = new AbortController();
  const announced = announcedBytes(headers);
  const readAll = async () => {
    // Pieces of a body of the announced length are written to their place: joining them later would need twice the memory.
    const whole = new Uint8Array(announced);
    for (let next = await reader.read(); !next.done && !stopped.signal.aborted; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > limit) throw new TooLargeError('body', limit, 'bytes');
      held?.grow(size);
      onPiece(next.value);
      const at = size - next.value.byteLength;
      if (pieces.length === 0 && size <= announced) whole.set(next.value, at);
      else pieces.push(...(pieces.length === 0 ? [whole.subarray(0, at)] : []), next.value);
    }
    return pieces.length === 0 ? whole.subarray(0, size) : joined(pieces, size);
  };
  const late = Promise.withResolvers<never>();
  const endLate = (message: ServerText) => {
    stopped.abort();
    late.reject(new RequestTimeoutError(message));
  };
  const startTimer = () => {
    if (limitMs !== undefined)
      return setTimeout(endLate, limitMs, serverText('body-late', { seconds: limitMs / 1_000 }));
    let before = 0;
    return setInterval(() => {
      const least = Math.max(1, Math.ceil(Math.max(announced, size) / PARTS));
      const arrived = size - before;
      before = size;
      if (arrived < least) endLate(serverText('body-slow', { bytes: least, seconds: partMs / 1_000 }));
    }, partMs);
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    if (announced > limit) throw new TooLargeError('body', limit, 'bytes');
    if (announced > 0) await held?.reserve(announced);
    // Started after the wait for memory, which is not the sender's fault.
    timer = startTimer();
    return await Promise.race([readAll(), late.promise]);
  } catch (error) {
    void discard(reader);
    if (error instanceof ThroughlineError) throw error;
    throw new InvalidInputError(serverText('body-cut-off'), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Length of the body by its header; 0 if it is missing or no number. */
function announcedBytes(headers: Headers): number {
  const length = Number(headers.get('content-length') ?? 0);
  return Number.isInteger(length) && length > 0 ? length : 0;
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/** Reads the rest of a body and discards it: the response cannot be sent while the connection is full of unread bytes. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    let size = 0;
    for (let next = await reader.read(); !next.done && size < MAX_DISCARDED; next = await reader.read()) {
      size += next.value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The sender has disconnected, which is just as good.
  }
}
