import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';

/** The decoded text of a file. */
interface ReadText {
  readonly text: string;
  /** Line of the first byte that is not UTF-8; null if all bytes are. */
  readonly badLine: number | null;
}

/**
 * Decodes a file to text, by its byte order mark, its XML declaration, or as UTF-8. Bytes that are not UTF-8 are decoded
 * as Windows-1252.
 * @throws InvalidInputError if the file is empty, compressed or not a text
 */
export function decodeImportFile(data: Uint8Array): ReadText {
  if (data.byteLength === 0) throw new InvalidInputError(serverText('file-empty'));
  const [first, second] = data;
  const isCompressed = (first === 0x50 && second === 0x4b) || (first === 0x1f && second === 0x8b);
  if (isCompressed) throw new InvalidInputError(serverText('import-packed'));
  const encoding = encodingOf(data);
  if (encoding !== 'utf-8') return { text: new TextDecoder(encoding).decode(data), badLine: null };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(data), badLine: null };
  } catch {
    return repairedText(data);
  }
}

/** Encodings that an XML declaration may name. `TextDecoder` decodes ISO-8859-1 as Windows-1252, as browsers do. */
const DECLARED = /^\s*<\?xml\s[^<>]*\bencoding\s*=\s*["'](iso-8859-\d{1,2}|windows-125\d|utf-16(?:le|be)?)["']/i;

function encodingOf(data: Uint8Array): string {
  const [first, second] = data;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const head = new TextDecoder('latin1').decode(data.subarray(0, 1_000));
  const named = DECLARED.exec(head)?.[1]?.toLowerCase() ?? 'utf-8';
  // A declaration that is readable byte by byte cannot be in UTF-16.
  return named.startsWith('utf-16') || !isKnownEncoding(named) ? 'utf-8' : named;
}

/** False for encodings that do not exist, such as ISO-8859-12. */
function isKnownEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

/** A UTF-8 character in a string with one character per byte; or a byte that belongs to no valid character. */
const UTF8_OR_BYTE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;
/** Maximum share of bytes that are not UTF-8; a file above it is not text. A choice, not measured. */
const MAX_BAD_SHARE = 0.3;

/** Decodes a text in which some bytes are not UTF-8: those are decoded as Windows-1252. */
function repairedText(data: Uint8Array): ReadText {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [utf8, windows] = [new TextDecoder('utf-8', { fatal: true }), new TextDecoder('windows-1252')];
  let badLine: number | null = null;
  let bad = 0;
  const lines = bytes.toString('latin1').split('\n');
  const text = lines.map((line, index) =>
    line.replaceAll(UTF8_OR_BYTE, (sequence) => {
      const own = Buffer.from(sequence, 'latin1');
      if (sequence.length > 1) {
        try {
          return utf8.decode(own);
        } catch {
          // A surrogate or an overlong form: not a character.
        }
      }
      badLine ??= index + 1;
      bad += 1;
      return windows.decode(own);
    }),
  );
  if (bad > data.byteLength * MAX_BAD_SHARE || bytes.includes(0))
    throw new InvalidInputError(serverText('import-not-utf8', { line: String(badLine) }));
  return { text: text.join('\n'), badLine };
}
