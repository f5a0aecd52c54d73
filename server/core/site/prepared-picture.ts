/* Pictures on their way into the media library: how they are downloaded, checked and prepared. */

/** A picture in the form that the media library stores: checked, rotated upright, without the camera's metadata. */
export interface Picture extends PictureFile {
  /** The sender's filename, made safe for display. */
  readonly filename: string;
  /** Detected from the content, not taken from the sender's claim. */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** The bytes of a picture. */
export interface PictureFile {
  readonly data: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  /** Thumbnail, WebP, at most `THUMBNAIL_SIDE` wide and high. */
  readonly thumbnail: Uint8Array;
}

/**
 * Creates a picture from untrusted bytes.
 * @throws UnsupportedFileError, TooLargeError (bytes or pixels), InvalidInputError (empty)
 */
export type PreparePicture = (bytes: Uint8Array, filename: string) => Promise<Picture>;

/**
 * Downloads the bytes of a picture from an address on the public internet, without checking them.
 * @throws InvalidInputError that describes what is wrong with the address or its response
 */
export type FetchPicture = (
  address: string,
  signal?: AbortSignal,
) => Promise<{ readonly data: Uint8Array; readonly filename: string }>;
