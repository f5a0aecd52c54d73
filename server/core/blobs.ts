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
  /** Those of these ids that the session has, in the order of the ids. */
  find(sessionId: string, ids: readonly string[]): Promise<Blob[]>;
  /** All that the session has, newest first. */
  list(sessionId: string): Promise<Blob[]>;
}
