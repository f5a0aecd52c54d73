import { Semaphore } from 'async-mutex';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { MAX_IMAGE_PIXELS } from '#server/core/limits';
import {
  type PictureFacts,
  type PictureFormat,
  type PictureVariant,
  servedWidths,
  shownSize,
  variantName,
} from '#server/core/pictures';

/** Store of variants, each kept once. */
export interface VariantStore {
  find(version: string, name: string): Promise<Uint8Array | null>;
  /** Keeps it; what was not asked for longest goes where they are too many. */
  keep(version: string, name: string, data: Uint8Array): Promise<void>;
}

/** State of a picture in one size. */
export type MadeVariant =
  | { readonly kind: 'made'; readonly data: Uint8Array; readonly mediaType: string }
  /** A variant that is being made, which takes seconds; the other format is there at once. */
  | { readonly kind: 'later'; readonly instead: PictureVariant }
  /** The picture as it was uploaded: it moves, or cannot be made smaller. */
  | { readonly kind: 'original' };

/** Pictures in the sizes and formats that pages ask for. */
export interface PictureVariants {
  /**
   * The picture in this size: kept, or made now. Of one that takes long, it says so and goes on making it, unless the
   * caller waits.
   * @param read its bytes
   * @returns null: this picture has no such size
   */
  get(
    picture: PictureFacts,
    variant: PictureVariant,
    read: () => Promise<Uint8Array>,
    waits?: boolean,
  ): Promise<MadeVariant | null>;
}

/** Formats that a still picture is in, or may be: those of moving ones are served as they are. */
const STILL = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif']);
/** Most variants that may wait; more are answered with the picture as it was uploaded. */
const MOST_WAITING = 50;
/** Decoding and encoding of one; seconds. */
const TIME_LIMIT = 60;

/**
 * Encoders of the formats. WebP takes a tenth of a second. AVIF is a third smaller and takes seconds, at an effort of 4
 * half a minute for another tenth: measured with photographs of 12 megapixels.
 */
const write: Readonly<Record<PictureFormat, (picture: Sharp) => Sharp>> = {
  webp: (picture) => picture.webp({ quality: 76 }),
  avif: (picture) => picture.avif({ quality: 50, effort: 2 }),
};

/** Makes variants, one at a time: this process has answers to write meanwhile. */
export function createPictureVariants(
  store: VariantStore,
  onFault: (message: string, error: unknown) => void,
): PictureVariants {
  const turn = new Semaphore(1);
  const making = new Map<string, Promise<Uint8Array | null>>();

  /** Makes it once, however many ask. Null: it moves. */
  function make(picture: PictureFacts, variant: PictureVariant, read: () => Promise<Uint8Array>) {
    const name = variantName(variant);
    const key = `${picture.version} ${name}`;
    const known = making.get(key);
    if (known) return known;
    if (making.size >= MOST_WAITING) return null;
    const made = turn
      // The smaller and quicker before what nobody waits for.
      .runExclusive(async () => encode(await read(), picture, variant), 1, variant.format === 'webp' ? 1 : 0)
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

/** Null where the picture moves: it would stand still. */
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
