import type { Crop } from '#server/core/site/pictures';
import type { Asset } from '#server/core/site/content';
import type { ChangeOrigin, ChangeSet, WriteNotes, WriteOptions, DryRunOption } from '#server/core/site/changes';

/** A picture to add. */
export interface NewAsset {
  readonly data: Uint8Array;
  readonly filename: string;
  readonly alt?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Result of a write to a picture. */
export interface AssetChange extends WriteNotes {
  readonly asset: Asset;
  readonly change: ChangeSet;
}

/** Filter and page of a list of pictures. */
export interface AssetQuery {
  /** Text in the filename, the description or the tags. */
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
  /** Only pictures without a description. */
  readonly missingAlt?: boolean | undefined;
  /** Default `live`: those that are not in the trash. */
  readonly state?: 'live' | 'trashed' | undefined;
  /** Ids of pictures to leave out. */
  readonly except?: readonly string[] | undefined;
  /** Default 50, at most 100. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page of the same query. */
  readonly cursor?: string | undefined;
}

/**
 * The media library of a site. Each write makes one change in the journal. A write to an unknown picture is a
 * NotFoundError, one with a stale `ifRevision` a ConflictError. Files are checked by their content (UnsupportedFileError,
 * TooLargeError); equal bytes are stored once.
 */
export interface AssetLibrary {
  /** Newest first. */
  list(query: AssetQuery): Promise<{ items: readonly Asset[]; total: number; nextCursor: string | null }>;
  /** Also finds trashed pictures. `version`: the picture with these bytes. @throws NotFoundError */
  get(id: string, version?: string): Promise<Asset>;
  /** True if the picture's address has, or ever had, this name: pages keep the address with which they were written. */
  isServedAs(id: string, name: string): Promise<boolean>;
  /**
   * True if visitors see the picture: in a published entry, the menu or the site's settings.
   * @param crop checks this crop of it only
   */
  isPublished(id: string, crop?: Crop | null): Promise<boolean>;
  /**
   * Reads the bytes of a picture.
   * @param version version of its bytes, also a former one; default: the current one
   * @throws NotFoundError
   */
  read(
    id: string,
    size: 'full' | 'thumb',
    version?: string,
  ): Promise<{ asset: Asset; mediaType: string; data: Uint8Array }>;
  /** Checks the address of a download without any request. @throws InvalidInputError if the download could only fail */
  checkAddress(address: string): void;
  /** Downloads a file from a public address, for `add` or `replace`. @throws InvalidInputError */
  download(address: string, signal?: AbortSignal): Promise<{ readonly data: Uint8Array; readonly filename: string }>;
  /** Adds a picture. Equal bytes are stored once, but the picture still counts as a new one. */
  add(asset: NewAsset, origin: ChangeOrigin, options?: DryRunOption): Promise<AssetChange>;
  /** Changes description, filename or tags; omitted values stay. @throws InvalidInputError if nothing changes */
  update(
    id: string,
    patch: { alt?: string | undefined; filename?: string | undefined; tags?: readonly string[] | undefined },
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<AssetChange>;
  /** Replaces the bytes; id and address stay the same everywhere the picture is used. */
  replace(
    id: string,
    file: { data: Uint8Array; filename: string },
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<AssetChange>;
  /** Moves a picture to the trash. Pages that use it still show it. */
  trash(id: string, origin: ChangeOrigin, options?: WriteOptions): Promise<AssetChange>;
  /** Restores a picture from the trash. @throws ConflictError if it is not there */
  restore(id: string, origin: ChangeOrigin, options?: WriteOptions): Promise<AssetChange>;
}
