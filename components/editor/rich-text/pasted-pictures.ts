import { api, type WrittenAsset } from '#components/api/api-client.ts';
import { sendFile } from '#components/api/upload-file.ts';
import { contentChanged } from '#components/workspace/content-cache.ts';
import { attribute, elementsWithin } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** Pictures in a document that was copied: as data (Word, Google Docs), or on the server that Google Docs keeps them on. */
const COPIED = /^data:image\/(png|jpeg|gif|webp);base64,|^https:\/\/[a-z0-9-]+\.googleusercontent\.com\//;
/** Addresses that only the program can read that was copied from: `file:` of Word, `cid:` of mails, `blob:` of apps. */
const UNREADABLE = /^(?:file|cid|blob|webkit-fake-url):/i;
/** Maximum number of pictures that are uploaded of one paste; a document has some ten. */
const MAX_PASTED_PICTURES = 30;

/** Pictures of pasted HTML that belong to the copied document. */
export interface CopiedPictures {
  /** Where to get each picture from, by its address in the HTML: another address, or the picture itself. */
  readonly found: ReadonlyMap<string, string | File>;
  /** Number of pictures that the clipboard does not contain. */
  readonly missing: number;
}

/**
 * Finds the pictures of a copied document. Word's HTML has only the paths of files, which a browser must not read; the
 * pictures themselves are in the clipboard's RTF, in the same order, unless Word stores one in another format or the
 * browser withholds the RTF (ckeditor5 pull request 18363, ckeditor4 issue 2222).
 *
 * @param rtf the clipboard's `text/rtf`; empty if it has none
 */
export function copiedPictures(html: string, rtf = ''): CopiedPictures {
  const tree = html.includes('<img') ? parseHtmlWithinLimits(html) : null;
  if (tree === null) return { found: new Map(), missing: 0 };
  const sources = elementsWithin(tree)
    .filter(({ tagName }) => tagName === 'img')
    .map((picture) => attribute(picture, 'src') ?? '');
  const found = new Map<string, string | File>();
  const unreadable = sources.filter((src) => UNREADABLE.test(src));
  const written = unreadable.length === 0 ? [] : picturesOfRtf(rtf);
  // With other numbers it is unknown which picture is where.
  const isInOrder = written.length === unreadable.length;
  let next = 0;
  for (const src of sources) {
    if (COPIED.test(src)) found.set(src, src);
    const file = isInOrder && UNREADABLE.test(src) ? written[next++] : undefined;
    if (file) found.set(src, file);
  }
  return {
    found,
    missing: new Set(unreadable).size - [...found.values()].filter((each) => each instanceof File).length,
  };
}

/** What is before the bytes of a picture: control words such as `\bliptag123`, and groups such as `{\*\blipuid ...}`. */
const BEFORE_BYTES = /(?:\\[a-z]+-?\d* ?|\s|\{[^{}]*\})*/y;
const BYTES = /[\da-f\s]*/iy;

/** PNG and JPEG pictures of an RTF text, in their order (RTF specification 1.9.1, "Pictures"). */
function picturesOfRtf(rtf: string): File[] {
  const files: File[] = [];
  let end = 0;
  for (const { index, 0: mark, 1: type = 'png' } of rtf.matchAll(/\\(png|jpeg)blip(?![a-z])/g)) {
    if (index < end) continue;
    BEFORE_BYTES.lastIndex = index + mark.length;
    BEFORE_BYTES.test(rtf);
    BYTES.lastIndex = BEFORE_BYTES.lastIndex;
    const [written = ''] = BYTES.exec(rtf) ?? [];
    end = BYTES.lastIndex;
    const hex = written.replaceAll(/\s/g, '');
    const bytes = new Uint8Array(Math.floor(hex.length / 2));
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
    files.push(new File([bytes], `pasted.${type}`, { type: `image/${type}` }));
  }
  return files;
}

/** The file of a picture that is written as base64 data. @throws InvalidCharacterError for other data */
export function pictureFile(src: string): File {
  const [, type = 'png'] = COPIED.exec(src) ?? [];
  const data = atob(src.slice(src.indexOf(',') + 1));
  return new File([Uint8Array.from(data, (character) => character.charCodeAt(0))], `pasted.${type}`, {
    type: `image/${type}`,
  });
}

async function addPicture(place: string | File): Promise<WrittenAsset> {
  if (typeof place === 'string' && !place.startsWith('data:')) return api.addMediaFrom(place);
  const file = typeof place === 'string' ? pictureFile(place) : place;
  return sendFile('/api/content/media', {}, file, () => undefined);
}

/**
 * Adds pictures to the media library, one after the other.
 * @returns their addresses in the library, by those they had; those that could not be added are missing
 */
export async function uploadPictures(pictures: CopiedPictures['found']): Promise<ReadonlyMap<string, string>> {
  const addresses = new Map<string, string>();
  for (const [src, place] of [...pictures].slice(0, MAX_PASTED_PICTURES)) {
    try {
      const { asset, change } = await addPicture(place);
      contentChanged([change]);
      addresses.set(src, asset.url);
    } catch {
      // The caller reports how many are missing.
    }
  }
  return addresses;
}
