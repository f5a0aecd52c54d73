import { type FetchPicture, MAX_PICTURE_BYTES } from '#server/core/pictures';
import { createDownload } from '#server/outgoing/download';
import type { Network } from '#server/outgoing/public-connector';

/** A picture of 10 MB over a slow line. */
const TIMEOUT_MS = 30_000;
const LIMITS = { maxBytes: MAX_PICTURE_BYTES, mediaType: 'image/', timeoutMs: TIMEOUT_MS };

/** @param network for tests; default: the internet */
export function createPictureFetch(network?: Network): FetchPicture {
  const download = createDownload(network);
  return (address, signal) => download(address, LIMITS, signal);
}
