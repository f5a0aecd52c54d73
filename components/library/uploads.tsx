import { useEffect, useEffectEvent, useState } from 'react';
import type { WrittenAsset } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { messageOf } from '#components/api/api-error';
import { sendFile } from '#components/api/upload-file';
import { pictureProblem } from '#components/library/file-button';

/** A file on its way into the media library. */
export interface Upload {
  /** Id within this page. */
  readonly id: string;
  readonly file: File;
  /** An address for this page alone; null for what is no picture. */
  readonly thumbnail: string | null;
  readonly state: 'waiting' | 'sending' | 'failed';
  /** Share that has been sent, 0 to 1. */
  readonly progress: number;
  /** Reason why it could not be sent. */
  readonly error: string | null;
}

/** Most files that are sent at once: each is decoded on the server. */
const AT_ONCE = 2;

export interface UploadEffects {
  /** Reason not to send a file at all; null: none. */
  readonly problemOf: (file: File) => string | null;
  /** @throws Error with a sentence about what is wrong */
  readonly send: (file: File, onProgress: (share: number) => void) => Promise<void>;
}

/** Callbacks about the progress of uploads. */
export interface UploadListener {
  readonly onChange: (uploads: readonly Upload[]) => void;
  /** After the last of them is through, with the number of those that were taken since the last time. */
  readonly onSettled: (taken: number) => void;
}

/** Sends files one after the other, few at once, and says how each of them is doing; those that fail stay listed. */
export class UploadQueue {
  readonly #effects: UploadEffects;
  #listener: UploadListener | null = null;
  #uploads: readonly Upload[] = [];
  #taken = 0;

  constructor(effects: UploadEffects) {
    this.#effects = effects;
  }

  /** Calls the listener now and after each change. Returns the function that ends it. */
  listen(listener: UploadListener): () => void {
    this.#listener = listener;
    listener.onChange(this.#uploads);
    return () => {
      if (this.#listener === listener) this.#listener = null;
    };
  }

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
    this.#write([...this.#uploads, ...added]);
    this.#next();
  }

  retry(id: string): void {
    this.#change(id, { state: 'waiting', progress: 0, error: null });
    this.#next();
  }

  dismiss(id: string): void {
    const upload = this.#uploads.find((one) => one.id === id);
    if (upload?.thumbnail) URL.revokeObjectURL(upload.thumbnail);
    this.#write(this.#uploads.filter((one) => one.id !== id));
  }

  #next(): void {
    const sending = this.#uploads.filter(({ state }) => state === 'sending').length;
    const waiting = this.#uploads.filter(({ state }) => state === 'waiting');
    for (const upload of waiting.slice(0, AT_ONCE - sending)) void this.#send(upload);
  }

  async #send({ id, file }: Upload): Promise<void> {
    this.#change(id, { state: 'sending' });
    try {
      await this.#effects.send(file, (progress) => this.#change(id, { progress }));
      this.#taken += 1;
      this.dismiss(id);
    } catch (error) {
      this.#change(id, { state: 'failed', error: messageOf(error) });
    }
    this.#next();
    if (this.#taken === 0 || this.#uploads.some(({ state }) => state !== 'failed')) return;
    this.#listener?.onSettled(this.#taken);
    this.#taken = 0;
  }

  #change(id: string, changes: Partial<Upload>): void {
    this.#write(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)));
  }

  #write(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    this.#listener?.onChange(uploads);
  }
}

export interface Uploads {
  readonly uploads: readonly Upload[];
  readonly add: (files: readonly File[]) => void;
  readonly retry: (id: string) => void;
  readonly dismiss: (id: string) => void;
}

/** Uploads of this tab. They continue when the user leaves the page and are shown again on return. */
const queue = new UploadQueue({
  problemOf: pictureProblem,
  send: async (file, onProgress) => void (await sendFile<WrittenAsset>(paths.newMedia, file, onProgress)),
});

/** Adds pictures to the media library. `onSettled` is told how many were taken once none is under way any more. */
export function useUploads(onSettled: (taken: number) => void): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const settled = useEffectEvent(onSettled);
  useEffect(() => queue.listen({ onChange: setUploads, onSettled: (taken) => settled(taken) }), []);
  return {
    uploads,
    add: (files) => queue.add(files),
    retry: (id) => queue.retry(id),
    dismiss: (id) => queue.dismiss(id),
  };
}
