import type { PartContent } from '#server/core/parts';
import { readImageSize } from '#server/core/image-size';

type FileContent = PartContent<'file'>;

/** Base64 characters of an image that are decoded: enough for the embedded thumbnails and profiles before a JPEG's size. */
const HEADER_CHARS = 350_000;
/** More pages than any provider takes; a file that claims more lies. */
const MAX_PAGES = 2_000;

/**
 * A file with the size that its tokens are counted by: pixels of an image, pages of a PDF, read from a `data:` URL.
 * What cannot be read (a web address, a format we do not know, a PDF whose page tree is compressed) stays without.
 * Meant for the moment a part is written, so that nothing decodes it again.
 */
export function withMediaSize({ width: _width, height: _height, pages: _pages, ...file }: FileContent): FileContent {
  const { mediaType, url } = file;
  const base64 = /^data:[^,]{0,200};base64,/.exec(url);
  if (!base64) return file;
  const start = base64[0].length;
  if (mediaType.startsWith('image/')) {
    const size = readImageSize(Buffer.from(url.slice(start, start + HEADER_CHARS), 'base64'));
    return size ? { ...file, ...size } : file;
  }
  if (mediaType === 'application/pdf') {
    const pages = countPages(Buffer.from(url.slice(start), 'base64').toString('latin1'));
    return pages > 0 ? { ...file, pages } : file;
  }
  return file;
}

/** Page objects in plain sight; 0 where they are inside compressed streams. */
function countPages(pdf: string): number {
  let pages = 0;
  for (const _ of pdf.matchAll(/\/Type\s{0,8}\/Page(?![A-Za-z])/g)) {
    pages += 1;
    if (pages === MAX_PAGES) break;
  }
  return pages;
}
