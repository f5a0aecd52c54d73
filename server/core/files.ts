import { z } from 'zod';
import { components, idOf } from '#server/core/shapes';

/** A file that belongs to a session, without its bytes. */
export interface Blob {
  readonly id: string;
  readonly sessionId: string;
  /** By content, not by what its sender said. */
  readonly mediaType: string;
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels of an image; null for a text. */
  readonly width: number | null;
  readonly height: number | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export type NewBlob = Omit<Blob, 'id' | 'createdAt'> & { readonly data: Uint8Array };

/** Bytes of files, each stored once in its session. */
export interface BlobStore {
  /** Bytes that the session has already keep their id and take the new name. @throws NotFoundError for no session */
  save(blob: NewBlob): Promise<Blob>;
  /** With its bytes, of whatever session; null when there is none. */
  read(id: string): Promise<{ readonly blob: Blob; readonly data: Uint8Array } | null>;
  /** Finds those of these blobs that the session has, in the order of the ids. */
  find(sessionId: string, ids: readonly string[]): Promise<Blob[]>;
  /** All that the session has, newest first. */
  list(sessionId: string): Promise<Blob[]>;
}

const SCHEME = '@blob:';

/** URL by which a stored part names bytes kept as a blob of its session. Never leaves the server. */
export function blobUrl(id: string): string {
  return `${SCHEME}${id}`;
}

/** The blob that a file's address names; null for any other address. */
export function blobIdOf(url: string): string | null {
  return url.startsWith(SCHEME) ? url.slice(SCHEME.length) : null;
}

/** Address of the bytes of a blob, for clients. */
export function attachmentPath(id: string): string {
  return `/api/attachments/${id}`;
}

/** The address of a file as clients see it: a path of ours for a blob, any other as it is. */
export function publicFileUrl(url: string): string {
  const id = blobIdOf(url);
  return id === null ? url : attachmentPath(id);
}

/** A file of a session as clients see it. */
export const attachmentSchema = z
  .strictObject({
    id: idOf('blb'),
    url: z.string().regex(/^\/api\/attachments\/blb_[0-9a-z]{26}$/),
    mediaType: z.string().min(1),
    filename: z.string().min(1).max(100),
    size: z.number().int().min(1).describe('Bytes'),
    width: z.number().int().min(1).optional().describe('Pixels'),
    height: z.number().int().min(1).optional().describe('Pixels'),
  })
  .register(components, { id: 'Attachment' });

/** A picture as the media library keeps it: looked at, turned upright, without what its camera wrote into it. */
export interface Picture {
  readonly data: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  /** The sender's name for it, fit to be shown. */
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
