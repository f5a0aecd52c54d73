import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib';
import { WHEN_SENT } from '#server/core/form-fields';

/** Answer at an address: made once, sent to everybody who asks. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body as programs ask for it by `Accept-Encoding`; none where compressing gains nothing. */
  readonly encoded: Readonly<Partial<Record<Encoding, Uint8Array>>>;
  /** True if it tells its forms when it was sent, to the second: it is compressed in each second that it is sent in. */
  readonly isTimed: boolean;
}

const encodings = ['br', 'gzip'] as const;
type Encoding = (typeof encodings)[number];

/** Bytes, below which an answer is one packet anyway. */
const MIN_COMPRESSED = 860;
const TEXT = /^(?:text\/|application\/(?:xml|rss\+xml|json)|image\/svg\+xml)/;
/** Brotli at its best takes 20 times as long for a twentieth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_MODE]: 1 } };

const compress = {
  br: (body: Uint8Array) => promisify<Uint8Array, object, Buffer>(brotliCompress)(body, BROTLI),
  gzip: (body: Uint8Array) => promisify<Uint8Array, object, Buffer>(gzip)(body, { level: 9 }),
};

/**
 * Makes an answer to keep, with its ETag and its compressed bodies.
 * @param headers `content-type` among them
 */
export async function keptAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string | Uint8Array,
): Promise<KeptAnswer> {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const isText = TEXT.test(headers['content-type'] ?? '') && body.length >= MIN_COMPRESSED;
  const isTimed = isText && Buffer.from(body).includes(WHEN_SENT);
  const [br, gzipped] = isText && !isTimed ? await Promise.all([compress.br(body), compress.gzip(body)]) : [];
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return {
    status,
    headers: { ...headers, etag, ...(isText && { vary: 'accept-encoding' }) },
    body,
    encoded: { ...(br && { br }), ...(gzipped && { gzip: gzipped }) },
    isTimed,
  };
}

const sentLast = new WeakMap<KeptAnswer, KeptAnswer & { readonly at: number }>();

/** The answer as it is sent in this second. Its ETag stays: nothing else in it differs. */
function timed(answer: KeptAnswer): KeptAnswer {
  const at = Math.ceil(Date.now() / 1_000) * 1_000;
  const known = sentLast.get(answer);
  if (known?.at === at) return known;
  const body = Buffer.from(Buffer.from(answer.body).toString('utf8').replaceAll(WHEN_SENT, String(at)));
  const sent = { ...answer, body, encoded: { gzip: gzipSync(body, { level: 4 }) }, at };
  sentLast.set(answer, sent);
  return sent;
}

/** Tells whether `Accept-Encoding` names an encoding, and does not forbid it. */
function accepts(header: string, encoding: Encoding): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** A kept answer as one request gets it. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: nothing but the headers is sent. */
  readonly body: Uint8Array | null;
}

/** Tells whether a header names this version, as browsers repeat it. */
export function isKnown(header: string | null, etag: string): boolean {
  const names = (header ?? '').split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes('*') || names.includes(etag);
}

/** The kept answer for a request: in the best encoding that it accepts, or 304 where it has that already. */
export function answerFor(
  kept: KeptAnswer,
  request: { readonly method: string; readonly header: (name: string) => string | undefined },
): SentAnswer {
  const { status, headers } = kept;
  const { etag = '' } = headers;
  if (status === 200 && isKnown(request.header('if-none-match') ?? null, etag.replace(/^W\//, ''))) {
    const { 'content-type': _type, ...others } = headers;
    return { status: 304, headers: others, body: null };
  }
  const { body, encoded } = kept.isTimed ? timed(kept) : kept;
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
    body: request.method === 'HEAD' ? null : bytes,
  };
}

interface KeptEntry {
  readonly answer: Promise<KeptAnswer>;
  /** 0 until it is made. */
  bytes: number;
}

/** The answers of one state of the site that were asked for last, as long as they have at most `most` bytes together. */
export class KeptAnswers {
  readonly #most: number;
  readonly #kept = new Map<string, KeptEntry>();
  readonly #made = new WeakSet<KeptAnswer>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The kept answer, or one that is being made for somebody else. */
  get(key: string): Promise<KeptAnswer> | undefined {
    const entry = this.#kept.get(key);
    if (entry === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    return entry.answer;
  }

  /** The same, made where there is none. What fails is not kept, nor what is kept under another key. */
  keep(key: string, make: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    const known = this.get(key);
    if (known) return known;
    const entry = { answer: make(), bytes: 0 };
    this.#kept.set(key, entry);
    void this.#count(key, entry);
    return entry.answer;
  }

  /** Counts the bytes of what has been made, unless it was dropped meanwhile. */
  async #count(key: string, entry: KeptEntry): Promise<void> {
    try {
      const made = await entry.answer;
      if (this.#kept.get(key) !== entry) return;
      if (this.#made.has(made)) return void this.#kept.delete(key);
      this.#made.add(made);
      entry.bytes = [made.body, ...Object.values(made.encoded)].reduce((sum, { length }) => sum + length, key.length);
      this.#bytes += entry.bytes;
      this.#shed();
    } catch {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    }
  }

  #shed(): void {
    for (const [key, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#most) return;
      this.#kept.delete(key);
      this.#bytes -= bytes;
    }
  }
}
