import { InvalidInputError, NotFoundError, ToolError } from '#server/core/errors';
import type { SessionFile, SessionFiles } from '#server/tools/tool';

/** Most files that an error names. */
const MAX_NAMED = 10;

function describe({ id, filename, width, height }: SessionFile): string {
  return `${filename} (${id}${width !== null && height !== null ? `, ${width} x ${height}` : ''})`;
}

/**
 * An image of this conversation by its filename or id, with its bytes; without either, the newest.
 * @throws NotFoundError naming those that there are, InvalidInputError (several of that name)
 */
export async function resolveImage(
  files: SessionFiles,
  ref: string | undefined,
): Promise<{ file: SessionFile; data: Uint8Array }> {
  const images = (await files.list()).filter(({ mediaType }) => mediaType.startsWith('image/'));
  const wanted = ref?.trim().toLowerCase();
  const named =
    wanted === undefined
      ? images.slice(0, 1)
      : images.filter(({ id, filename }) => id === wanted || filename.toLowerCase() === wanted);
  const [file, second] = named;
  if (file === undefined) {
    const known = images.slice(0, MAX_NAMED).map(({ filename }) => filename);
    const hint = known.length === 0 ? 'Ask the user to attach it.' : `Attached, newest first: ${known.join(', ')}.`;
    throw new NotFoundError('image in this conversation named', (ref ?? '').slice(0, 80), hint);
  }
  if (second !== undefined) {
    const which = named.slice(0, MAX_NAMED).map(describe).join('; ');
    throw new InvalidInputError(`Several images are called so, newest first: ${which}. Name one by its id.`);
  }
  const data = await files.read(file.id);
  if (data === null) throw new ToolError(`${describe(file)} cannot be read any more.`);
  return { file, data };
}
