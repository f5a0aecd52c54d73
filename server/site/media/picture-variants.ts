import { Semaphore } from 'async-mutex';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { MAX_IMAGE_PIXELS } from '#server/core/limits';
import { withDecoder } from '#server/site/media/decoding';
import {
  type PictureFacts,
  type PictureFormat,
  type PictureVariant,
  servedWidths,
  shownSize,
  variantName,
} from '#server/core/site/pictures';

/** Store of variants; each variant is stored once. */
export interface VariantStore {
  /**
   * The stored bytes; null if there are none.
   * @param version version of the picture's bytes
   * @param name width, crop and format (`variantName`)
   */
  find(version: string, name: string): Promise<Uint8Array | null>;
  /** Stores it; if there are too many, the variant that was not requested for the longest time is deleted. */
  keep(version: string, name: string, data: Uint8Array): Promise<void>;
}

/** Result of a request for a picture in one size. */
export type MadeVariant =
  | { readonly kind: 'made'; readonly data: Uint8Array; readonly mediaType: string }
  /** A variant that is still being created, which takes seconds; the other format is available immediately. */
  | { readonly kind: 'later'; readonly instead: PictureVariant }
  /** The picture as uploaded, because it is animated or cannot be made smaller. */
  | { readonly kind: 'original' };

/** Pictures in the sizes and formats that pages request. */
export interface PictureVariants {
  /**
   * The picture in this size: stored, or created now. If this takes long, the result is `later` and the work continues
   * in the background, unless the caller waits.
   * @param read reads the bytes of the original
   * @param waits true: waits until the variant is created
   * @returns null: this picture has no such size
   */
  get(
    picture: PictureFacts,
    variant: PictureVariant,
    read: () => Promise<Uint8Array>,
    waits?: boolean,
  ): Promise<MadeVariant | null>;
}

/** Formats of still pictures. Animated pictures in these formats are served unchanged. */
const STILL = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif']);
/** Largest number of variants that may wait; beyond that the answer is the picture as uploaded. */
const MAX_WAITING = 50;
/** Time limit for decoding and encoding one variant; seconds. */
const TIME_LIMIT = 60;

/**
 * Encoders of the formats. WebP takes a tenth of a second. AVIF is a third smaller and takes seconds; at effort 4 it
 * takes half a minute to save another tenth: measured with photographs of 12 megapixels.
 */
const write: Readonly<Record<PictureFormat, (picture: Sharp) => Sharp>> = {
  webp: (picture) => picture.webp({ quality: 76 }),
  avif: (picture) => picture.avif({ quality: 50, effort: 2 }),
};

/** Creates and stores variants, one at a time, because the process has to answer other requests during that time. */
export function createPictureVariants(
  store: VariantStore,
  onFault: (message: string, error: unknown) => void,
): PictureVariants {
  const encoder = new Semaphore(1);
  const making = new Map<string, Promise<Uint8Array | null>>();

  /** Creates a variant once for any number of requests. Null: the picture is animated. */
  function make(picture: PictureFacts, variant: PictureVariant, read: () => Promise<Uint8Array>) {
    const name = variantName(variant);
    const key = `${picture.version} ${name}`;
    const known = making.get(key);
    if (known) return known;
    if (making.size >= MAX_WAITING) return null;
    const made = encoder
      // Smaller and faster variants come before those for which no request waits.
      .runExclusive(
        async () => {
          const bytes = await read();
          return withDecoder(() => encode(bytes, picture, variant));
        },
        1,
        variant.format === 'webp' ? 1 : 0,
      )
      .then(async (data) => {
        const kept = data && store.keep(picture.version, name, data);
        await kept?.catch((error: unknown) => onFault('A picture that was made smaller could not be kept', error));
        return data;
      })
      .finally(() => making.delete(key));
    making.set(key, made);
    return made;
  }

  return {
    async get(picture, variant, read, waits = false) {
      if (!servedWidths(shownSize(picture, variant.crop).width).includes(variant.width)) return null;
      if (!STILL.has(picture.mediaType)) return { kind: 'original' };
      const mediaType = `image/${variant.format}`;
      const kept = await store.find(picture.version, variantName(variant));
      if (kept) return { kind: 'made', data: kept, mediaType };
      const made = make(picture, variant, read);
      if (made === null) return { kind: 'original' };
      if (variant.format === 'avif' && !waits) {
        made.catch((error: unknown) => onFault('A picture could not be made smaller', error));
        return { kind: 'later', instead: { ...variant, format: 'webp' } };
      }
      const data = await made.catch((error: unknown) => {
        onFault('A picture could not be made smaller', error);
        return null;
      });
      return data ? { kind: 'made', data, mediaType } : { kind: 'original' };
    },
  };
}

/** Null for an animated picture, which would lose its animation. */
async function encode(
  bytes: Uint8Array,
  picture: PictureFacts,
  { width, format, crop }: PictureVariant,
): Promise<Uint8Array | null> {
  const image = sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error' }).timeout({ seconds: TIME_LIMIT });
  const { pages = 1 } = await image.metadata();
  if (pages > 1) return null;
  const size = shownSize(picture, crop);
  const left = Math.min(Math.round((picture.width * (crop?.x ?? 0)) / 100), picture.width - size.width);
  const top = Math.min(Math.round((picture.height * (crop?.y ?? 0)) / 100), picture.height - size.height);
  const part = crop === null ? image : image.extract({ left, top, ...size });
  return write[format](part.resize({ width, withoutEnlargement: true })).toBuffer();
}
