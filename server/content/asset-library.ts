import type { Crop } from '#server/core/pictures';
import type { Asset } from '#server/core/content';
import type { ChangeOrigin, ChangeSet, WriteNotes, WriteOptions } from '#server/core/changes';

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

export interface AssetQuery {
  /** Words in the filename, the description or the tags. */
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
  /** Only pictures without a description. */
  readonly missingAlt?: boolean | undefined;
  readonly state?: 'live' | 'trashed' | undefined;
  /** Ids of pictures to leave out. */
  readonly except?: readonly string[] | undefined;
  /** Default 50, at most 100. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * The media library. Each write makes one change in the journal; bytes are checked by their content
 * (UnsupportedFileError, TooLargeError) and stored once.
 */
export interface AssetLibrary {
  /** Newest first. */
  list(query: AssetQuery): Promise<{ items: readonly Asset[]; total: number; nextCursor: string | null }>;
  /** Finds trashed pictures too. `version`: as it was with these bytes. @throws NotFoundError */
  get(id: string, version?: string): Promise<Asset>;
  /** Tells whether the picture's address has, or ever had, this name: pages keep the address they were written with. */
  isServedAs(id: string, name: string): Promise<boolean>;
  /**
   * Tells whether visitors see the picture: in a published entry, the menu or the site's settings.
   * @param crop whether they see this part of it
   */
  isPublished(id: string, crop?: Crop | null): Promise<boolean>;
  /** @param version of its bytes, former ones too; default: those of now */
  read(
    id: string,
    size: 'full' | 'thumb',
    version?: string,
  ): Promise<{ asset: Asset; mediaType: string; data: Uint8Array }>;
  /** Checks the address of a download without asking anybody. @throws InvalidInputError where it could only fail */
  checkAddress(address: string): void;
  /** Downloads a file from a public address, for `add` or `replace`. @throws InvalidInputError */
  download(address: string, signal?: AbortSignal): Promise<{ readonly data: Uint8Array; readonly filename: string }>;
  /** Adds a picture. Equal bytes are stored once; the picture is a new one all the same. */
  add(asset: NewAsset, origin: ChangeOrigin, options?: Pick<WriteOptions, 'dryRun'>): Promise<AssetChange>;
  update(
    id: string,
    patch: { alt?: string | undefined; filename?: string | undefined; tags?: readonly string[] | undefined },
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<AssetChange>;
  /** Replaces the bytes; id and address stay, wherever the picture is used. */
  replace(
    id: string,
    file: { data: Uint8Array; filename: string },
    origin: ChangeOrigin,
    options?: WriteOptions,
  ): Promise<AssetChange>;
  trash(id: string, origin: ChangeOrigin, options?: WriteOptions): Promise<AssetChange>;
  restore(id: string, origin: ChangeOrigin, options?: WriteOptions): Promise<AssetChange>;
}
