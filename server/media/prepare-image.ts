import { MAX_IMAGE_BYTES } from '#server/core/attachment-limits';
import { TooLargeError } from '#server/core/errors';
import { type CleanPicture, cleanPicture, openPicture, readable } from '#server/media/clean-picture';

/**
 * What is kept of an image that was attached, or came from a tool: without the place where it was taken, which would go
 * to the provider with it, and known to be an image to its end, as providers refuse a damaged one with the whole
 * request, again and again.
 * @param mediaType by content
 * @throws TooLargeError (bytes or pixels), UnsupportedFileError (damaged)
 */
export async function prepareImage(bytes: Uint8Array, mediaType: string): Promise<CleanPicture> {
  const image = await cleanPicture(bytes, mediaType);
  if (image.data.length > MAX_IMAGE_BYTES) throw new TooLargeError('The image', MAX_IMAGE_BYTES, 'bytes');
  await readable(mediaType, () => openPicture(image.data).resize({ width: 16 }).raw().toBuffer());
  return image;
}
