/** Kinds of pictures that the media library takes, and how their names end. All browsers show them. */
export const pictureExtensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
};

/** A photo of a good camera; visitors wait for every one of these bytes. */
export const MAX_PICTURE_BYTES = 10_000_000;

/** Longer side of a thumbnail at most; pixels. */
export const THUMBNAIL_SIDE = 400;

/** A picture as the media library keeps it: looked at, turned upright, without what its camera wrote into it. */
export interface Picture {
  readonly data: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  /** What its sender calls it, fit to be shown. */
  readonly filename: string;
  /** By content, not by what its sender said. */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** A small picture of it, WebP, at most `THUMBNAIL_SIDE` wide and high. */
  readonly thumbnail: Uint8Array;
}

/**
 * Makes a picture of bytes from anywhere.
 * @throws UnsupportedFileError, TooLargeError (bytes or pixels), InvalidInputError (nothing in it)
 */
export type PreparePicture = (bytes: Uint8Array, filename: string) => Promise<Picture>;

/**
 * Fetches the bytes of a picture from an address on the public internet, unseen.
 * @throws InvalidInputError that says what is wrong with the address, or with what it answers
 */
export type FetchPicture = (
  address: string,
  signal?: AbortSignal,
) => Promise<{ readonly data: Uint8Array; readonly filename: string }>;
