import { useEffect, useEffectEvent, useState } from 'react';
import { paths, type WrittenAsset } from '#lib/api/api-client';
import { pictureProblem } from '#lib/library/picture-file';
import { type Upload, UploadQueue } from '#lib/library/uploads';
import { sendFile } from '#lib/api/upload-file';

export interface Uploads {
  readonly uploads: readonly Upload[];
  readonly add: (files: readonly File[]) => void;
  readonly retry: (id: string) => void;
  readonly dismiss: (id: string) => void;
}

/** Of this tab: what is on its way goes on when one leaves the page, and is there when one comes back. */
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
