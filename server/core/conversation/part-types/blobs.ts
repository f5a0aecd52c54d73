import { z } from 'zod';
import { components, idOf } from '#server/core/shapes';

/* Files that are attached to the messages of a session, and the addresses that refer to them. */

/** A file of a session, without its bytes, before it is stored. */
interface BlobFacts {
  readonly sessionId: string;
  /** Detected from the content, not taken from the sender's claim. */
  readonly mediaType: string;
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels of an image; null for a text file. */
  readonly width: number | null;
  readonly height: number | null;
}

/** A file that belongs to a session, without its bytes. */
export interface Blob extends BlobFacts {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A file before it is stored. */
export interface NewBlob extends BlobFacts {
  readonly data: Uint8Array;
}

/** Storage of attached files. Equal bytes are stored once in each session. */
export interface BlobStore {
  /**
   * Stores a file. If the session already has these bytes, the blob keeps its id and gets the new name. @throws NotFoundError for an
   * unknown session
   */
  save(blob: NewBlob): Promise<Blob>;
  /** Returns a blob of any session with its bytes; null if it does not exist. */
  read(id: string): Promise<{ readonly blob: Blob; readonly data: Uint8Array } | null>;
  /** Returns the blobs of the session with these ids, in the order of the ids. */
  find(sessionId: string, ids: readonly string[]): Promise<Blob[]>;
  /** All blobs of the session, newest first. */
  list(sessionId: string): Promise<Blob[]>;
}

/** Start of an internal address. It cannot be confused with a URL. */
const SCHEME = '@blob:';

/** URL with which a stored part refers to a blob of its session. Never leaves the server. */
export function blobUrl(id: string): string {
  return `${SCHEME}${id}`;
}

/** Id of the blob to which a file's address refers; null for any other address. */
export function blobIdOf(url: string): string | null {
  return url.startsWith(SCHEME) ? url.slice(SCHEME.length) : null;
}

/** Address of a blob's bytes for clients. */
export function attachmentPath(id: string): string {
  return `/api/attachments/${id}`;
}

/** Address of a file for clients: a path of this server for a blob, any other address unchanged. */
export function publicFileUrl(url: string): string {
  const id = blobIdOf(url);
  return id === null ? url : attachmentPath(id);
}

/** A file of a session in the form that clients receive. */
export const attachmentSchema = z
  .strictObject({
    id: idOf('blb'),
    url: z
      .string()
      .regex(/^\/api\/attachments\/blb_[0-9a-z]{26}$/)
      .describe('Path on this server from which the bytes are read'),
    mediaType: z.string().min(1).describe('Media type, detected from the content'),
    filename: z.string().min(1).max(100).describe('Name of the file for people'),
    size: z.number().int().min(1).describe('Bytes'),
    width: z.number().int().min(1).optional().describe('Pixels'),
    height: z.number().int().min(1).optional().describe('Pixels'),
  })
  .register(components, { id: 'Attachment' });

/** A file that the model receives as text. It is counted as text, with the part's own count. */
export function isAttachedText(content: { readonly mediaType: string; readonly url: string }): boolean {
  return blobIdOf(content.url) !== null && !content.mediaType.startsWith('image/');
}
