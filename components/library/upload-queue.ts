import { messageOf } from '#components/api/api-error.ts';

/** A file that is being uploaded to the media library. */
export interface Upload {
  /** Unique within this page. */
  readonly id: string;
  readonly file: File;
  /** Object URL, valid within this page; null for a file that is no picture. */
  readonly thumbnail: string | null;
  readonly state: 'waiting' | 'sending' | 'failed';
  /** Uploaded share, 0 to 1. */
  readonly progress: number;
  /** Reason why the upload failed; null: it has not failed. */
  readonly error: string | null;
}

/** Most parallel uploads. Few, because the server decodes each picture. A choice, not measured. */
const MAX_PARALLEL = 2;

/** What the queue needs from outside: a check and the request. */
export interface UploadEffects {
  /** Reason not to upload a file; null: none. */
  readonly problemOf: (file: File) => string | null;
  /** @throws Error with the reason as a sentence */
  readonly send: (file: File, onProgress: (share: number) => void) => Promise<void>;
}

/** Callbacks about the progress of uploads. */
export interface UploadListener {
  readonly onChange: (uploads: readonly Upload[]) => void;
  /** Called when no upload is running or waiting, with the number of successful ones since the last call; not for 0. */
  readonly onSettled: (count: number) => void;
}

/**
 * Uploads files in order, a few in parallel, and reports the state of each. Failed uploads stay listed until they are
 * dismissed or sent again.
 */
export class UploadQueue {
  readonly #effects: UploadEffects;
  #listener: UploadListener | null = null;
  #uploads: readonly Upload[] = [];
  #succeeded = 0;

  constructor(effects: UploadEffects) {
    this.#effects = effects;
  }

  /** Calls the listener now and after each change, instead of an earlier listener. Returns the unsubscribe function. */
  listen(listener: UploadListener): () => void {
    this.#listener = listener;
    listener.onChange(this.#uploads);
    return () => {
      if (this.#listener === listener) this.#listener = null;
    };
  }

  /** Adds files; one with a problem is listed as failed and not sent. */
  add(files: readonly File[]): void {
    const added = files.map((file): Upload => {
      const error = this.#effects.problemOf(file);
      return {
        id: crypto.randomUUID(),
        file,
        thumbnail: error === null ? URL.createObjectURL(file) : null,
        state: error === null ? 'waiting' : 'failed',
        progress: 0,
        error,
      };
    });
    this.#setUploads([...this.#uploads, ...added]);
    this.#sendWaiting();
  }

  /** Sends a failed upload again. */
  retry(id: string): void {
    this.#updateUpload(id, { state: 'waiting', progress: 0, error: null });
    this.#sendWaiting();
  }

  /** Removes an upload from the list. */
  dismiss(id: string): void {
    const upload = this.#uploads.find((one) => one.id === id);
    if (upload?.thumbnail) URL.revokeObjectURL(upload.thumbnail);
    this.#setUploads(this.#uploads.filter((one) => one.id !== id));
  }

  #sendWaiting(): void {
    const sending = this.#uploads.filter(({ state }) => state === 'sending').length;
    const waiting = this.#uploads.filter(({ state }) => state === 'waiting');
    for (const upload of waiting.slice(0, MAX_PARALLEL - sending)) void this.#send(upload);
  }

  async #send({ id, file }: Upload): Promise<void> {
    this.#updateUpload(id, { state: 'sending' });
    try {
      await this.#effects.send(file, (progress) => this.#updateUpload(id, { progress }));
      this.#succeeded += 1;
      this.dismiss(id);
    } catch (error) {
      this.#updateUpload(id, { state: 'failed', error: messageOf(error) });
    }
    this.#sendWaiting();
    if (this.#succeeded === 0 || this.#uploads.some(({ state }) => state !== 'failed')) return;
    this.#listener?.onSettled(this.#succeeded);
    this.#succeeded = 0;
  }

  #updateUpload(id: string, changes: Partial<Upload>): void {
    this.#setUploads(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)));
  }

  #setUploads(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    this.#listener?.onChange(uploads);
  }
}
