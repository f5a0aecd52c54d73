import type { FetchPicture } from '#server/core/site/prepared-picture';
import { MAX_PICTURE_BYTES } from '#server/core/limits';
import { createDownload } from '#server/platform/outgoing/download';
import type { Network } from '#server/platform/outgoing/network';

/** Time limit of a download: enough for a picture of 10 MB over a slow connection. */
const TIMEOUT_MS = 30_000;
const LIMITS = { maxBytes: MAX_PICTURE_BYTES, mediaType: 'image/', timeoutMs: TIMEOUT_MS };

/** Creates the function that downloads pictures from public addresses. @param network for tests; default: the internet */
export function createPictureFetch(network?: Network): FetchPicture {
  const download = createDownload(network);
  return (address, signal) => download(address, LIMITS, signal);
}
