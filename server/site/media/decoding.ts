import { Semaphore } from 'async-mutex';

/**
 * Number of pictures that are decoded in parallel: each may take 300 MB (MAX_IMAGE_PIXELS with 4 bytes each, and a
 * copy).
 */
const MAX_DECODERS = 2;

const decoders = new Semaphore(MAX_DECODERS);

/** Runs work that decodes a picture, when fewer than two others run. Must not be nested: that could deadlock. */
export function withDecoder<T>(work: () => Promise<T>): Promise<T> {
  return decoders.runExclusive(work);
}
