import { libraryStrings } from '#lib/strings/library';
// A plain number and names; copies of them could differ from what the server takes.
// oxlint-disable-next-line no-restricted-imports
import { MAX_PICTURE_BYTES, pictureExtensions } from '#server/core/pictures';

/** For the file dialog. */
export const ACCEPTED_PICTURES = Object.keys(pictureExtensions).join(',');

/** Why a file cannot become a picture of the library; null: nothing we see. The server looks for itself. */
export function pictureProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!Object.hasOwn(pictureExtensions, type)) return libraryStrings.media.notAPicture;
  return size > MAX_PICTURE_BYTES ? libraryStrings.media.tooLarge : null;
}
