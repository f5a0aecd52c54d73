import { useEffect, useEffectEvent, useState } from 'react';
import { sendFile } from '#components/api/upload-file.ts';
import { pictureProblem } from '#components/library/file-button';
import { type Upload, UploadQueue } from '#components/library/upload-queue.ts';

/** The uploads of this tab, and their actions. */
export interface Uploads {
  readonly uploads: readonly Upload[];
  readonly add: (files: readonly File[]) => void;
  readonly retry: (id: string) => void;
  readonly dismiss: (id: string) => void;
}

/** Uploads of this tab. They continue when the user leaves the page and are shown again on return. */
const queue = new UploadQueue({
  problemOf: pictureProblem,
  send: async (file, onProgress) => void (await sendFile('/api/content/media', {}, file, onProgress)),
});

/**
 * Adds pictures to the media library. Once no upload is running or waiting, `onSettled` receives the number of those
 * that have succeeded since its last call; it is not called if all have failed.
 */
export function useUploads(onSettled: (count: number) => void): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const settled = useEffectEvent(onSettled);
  useEffect(() => queue.listen({ onChange: setUploads, onSettled: (count) => settled(count) }), []);
  return {
    uploads,
    add: (files) => queue.add(files),
    retry: (id) => queue.retry(id),
    dismiss: (id) => queue.dismiss(id),
  };
}
