import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';
import { playerOrigins } from '#server/core/sections/video-player';
import { OPENED_PLACEHOLDER } from '#server/core/site/site-forms';

/* Responses of the public site in their cached form and in the form that one request gets. */

/** Response for an address: created once, sent for every request. */
export interface CachedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body in the encodings that clients request with `Accept-Encoding`; empty if compressing saves nothing. */
  readonly encoded: Encoded;
  /** Origins of the players of videos on the page, which its Content-Security-Policy has to name. */
  readonly players: readonly string[];
  /** The body if its forms contain the time at which the page was sent. Null: they do not. */
  readonly timed: TimedBody | null;
}

const encodings = ['br', 'gzip'] as const;
type Encoding = (typeof encodings)[number];
type Encoded = Readonly<Partial<Record<Encoding, Uint8Array>>>;

/** Smallest body that is compressed, in bytes; a smaller response fits into one network packet. */
const MIN_COMPRESSED = 860;
const TEXT = /^(?:text\/|application\/(?:xml|rss\+xml|json)|image\/svg\+xml)/;
/** Brotli's highest quality takes 20 times as long and saves a twentieth more. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_MODE]: 1 } };

const compress = {
  br: (body: Uint8Array) => promisify<Uint8Array, object, Buffer>(brotliCompress)(body, BROTLI),
  gzip: (body: Uint8Array) => promisify<Uint8Array, object, Buffer>(gzip)(body, { level: 9 }),
};

/**
 * Creates a response to cache, with its ETag and its compressed bodies.
 * @param headers must include `content-type`, by which the response is compressed or not
 */
export async function cacheableResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string | Uint8Array,
): Promise<CachedResponse> {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const isText = TEXT.test(headers['content-type'] ?? '') && body.length >= MIN_COMPRESSED;
  const isTimed = isText && Buffer.from(body).includes(OPENED_PLACEHOLDER);
  const [br, gzipped] = isText && !isTimed ? await Promise.all([compress.br(body), compress.gzip(body)]) : [];
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return {
    status,
    headers: { ...headers, etag, ...(isText && { vary: 'accept-encoding' }) },
    body,
    encoded: { ...(br && { br }), ...(gzipped && { gzip: gzipped }) },
    players: playersIn(headers['content-type'] ?? '', text),
    timed: isTimed ? new TimedBody(body) : null,
  };
}

/** Origins of the players that a page names in `data-player`; content cannot name others. */
export function playersIn(type: string, text: string | Uint8Array): readonly string[] {
  if (!type.startsWith('text/html')) return [];
  const html = typeof text === 'string' ? text : new TextDecoder().decode(text);
  return playerOrigins.filter((origin) => html.includes(`data-player="${origin}"`));
}

/**
 * A body with the time at which it is sent, to the second: it is compressed again in each second in which it is sent. Its
 * ETag does not change, because nothing else differs.
 */
class TimedBody {
  readonly #body: Uint8Array;
  #last: { readonly at: number; readonly body: Uint8Array; readonly encoded: Encoded } | null = null;

  constructor(body: Uint8Array) {
    this.#body = body;
  }

  /** The body as sent in the current second. */
  current(): { readonly body: Uint8Array; readonly encoded: Encoded } {
    const at = Math.ceil(Date.now() / 1_000) * 1_000;
    if (this.#last?.at === at) return this.#last;
    const body = Buffer.from(Buffer.from(this.#body).toString('utf8').replaceAll(OPENED_PLACEHOLDER, String(at)));
    this.#last = { at, body, encoded: { gzip: gzipSync(body, { level: 4 }) } };
    return this.#last;
  }
}

/** True if `Accept-Encoding` names an encoding and does not forbid it. */
function accepts(header: string, encoding: Encoding): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** A cached response in the form in which one request gets it. */
export interface SentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Origins of the players of videos on the page. Default: none. */
  readonly players?: readonly string[];
  /** Null: only the headers are sent. */
  readonly body: Uint8Array | null;
}

/** True if the value of an `If-None-Match` header contains an ETag (given without `W/`), or is `*`. */
export function matchesEtag(header: string | null, etag: string): boolean {
  const names = (header ?? '').split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes('*') || names.includes(etag);
}

/**
 * The cached response for a request: in the best encoding that it accepts, or 304 if the client has that version
 * already.
 */
export function responseFor(
  kept: CachedResponse,
  request: { readonly method: string; readonly header: (name: string) => string | undefined },
): SentResponse {
  const { status, headers, players } = kept;
  const { etag = '' } = headers;
  if (status === 200 && matchesEtag(request.header('if-none-match') ?? null, etag.replace(/^W\//, ''))) {
    const { 'content-type': _type, ...others } = headers;
    // The headers of a 304 replace those of the version that the browser has.
    return { status: 304, headers: others, players, body: null };
  }
  const { body, encoded } = kept.timed?.current() ?? kept;
  const accepted = request.header('accept-encoding') ?? '';
  const encoding = encodings.find((name) => encoded[name] !== undefined && accepts(accepted, name));
  const bytes = (encoding && encoded[encoding]) ?? body;
  return {
    status,
    headers: {
      ...headers,
      ...(encoding && { 'content-encoding': encoding }),
      'content-length': String(bytes.length),
    },
    players,
    body: request.method === 'HEAD' ? null : bytes,
  };
}
