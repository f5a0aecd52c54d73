/** Size of an image in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Maximum pixels of a side: no provider accepts more, so a header that states more is false. */
const MAX_SIDE = 100_000;
/** Bytes within which every format except JPEG has its size. */
const SHORTEST_HEADER = 30;

/**
 * Reads the size from an image's first bytes: PNG, JPEG, GIF and WebP, recognised by their signatures and not by a
 * claimed media type. Null for anything else, for a truncated header and for an impossible size. Reads only within the
 * given bytes and always terminates, for any content.
 */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  if (bytes.length < SHORTEST_HEADER) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
  return size && isSide(size.width) && isSide(size.height) ? size : null;
}

function isSide(pixels: number): boolean {
  return pixels > 0 && pixels <= MAX_SIDE;
}

function readPng(view: DataView): ImageSize | null {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return null;
  return hasText(view, 12, 'IHDR') ? { width: view.getUint32(16), height: view.getUint32(20) } : null;
}

function readGif(view: DataView): ImageSize | null {
  if (!hasText(view, 0, 'GIF8')) return null;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function readWebp(view: DataView): ImageSize | null {
  if (!hasText(view, 0, 'RIFF') || !hasText(view, 8, 'WEBP')) return null;
  if (hasText(view, 12, 'VP8 ')) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (hasText(view, 12, 'VP8L')) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_00_00;
  return hasText(view, 12, 'VP8X') ? { width: uint24(24) + 1, height: uint24(27) + 1 } : null;
}

/** Walks the segments up to the frame header; each step advances by at least two bytes. */
function readJpeg(view: DataView): ImageSize | null {
  if (view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrameHeader(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** SOF0 to SOF15; C4, C8 and CC in that range have other meanings. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function hasText(view: DataView, at: number, text: string): boolean {
  return Array.from(text).every((letter, index) => view.getUint8(at + index) === letter.charCodeAt(0));
}
