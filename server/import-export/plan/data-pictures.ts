/* Pictures whose bytes are written into the import file itself. */

/** Host of placeholder addresses for pictures whose bytes are in the file; none of them is ever requested. */
export const PICTURE_HOST = 'https://data-picture.invalid';
/** A placeholder address in the markup. */
const ADDRESS = new RegExp(`${PICTURE_HOST.replaceAll('.', '\\.')}/[\\w.]+`);
/** A picture's bytes as a data URL. Short ones are placeholders of lazy-loading plugins. */
const DATA_PICTURE = /data:image\/(png|jpe?g|gif|webp|avif);base64,([A-Za-z0-9+/=]+)/gi;

/** A text from which the pictures were extracted. */
export interface ExtractedPictures {
  readonly text: string;
  /** Base64 by the placeholder address in the text. */
  readonly pictures: ReadonlyMap<string, string>;
}

/** Extracts pictures that are written as `data:` URLs from a text and replaces each by a placeholder address. */
export function extractDataPictures(text: string): ExtractedPictures {
  const pictures = new Map<string, string>();
  const addresses = new Map<string, string>();
  const rest = text.replaceAll(DATA_PICTURE, (_all, kind: string, bytes: string) => {
    const address = addresses.get(bytes) ?? `${PICTURE_HOST}/${pictures.size + 1}.${kind.toLowerCase()}`;
    addresses.set(bytes, address);
    pictures.set(address, bytes);
    return address;
  });
  return { text: rest, pictures };
}

/**
 * Removes the pictures with placeholder addresses of `extractDataPictures` that were not imported.
 * @param isImported whether the library has the picture with a placeholder address
 */
export function withoutLostPictures(markup: string, isImported: (address: string) => boolean): string {
  if (!markup.includes(PICTURE_HOST)) return markup;
  return markup.replaceAll(/<img\b[^<>]*>/gi, (tag) => {
    const address = ADDRESS.exec(tag)?.[0];
    return address === undefined || isImported(address) ? tag : '';
  });
}
