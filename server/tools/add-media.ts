import { z } from 'zod';
import { checkAssetDetails } from '#server/content/check-asset';
import { InvalidInputError } from '#server/core/errors';
import { assetResult, assetTarget, resolveAsset } from '#server/tools/assets';
import { effect } from '#server/tools/effects';
import { resolveImage } from '#server/tools/resolve-file';
import { defineTool, type SessionFiles } from '#server/tools/tool';

/** @throws InvalidInputError: what a user agreed to see replaced must not become another image meanwhile */
function namedImage(file: string | undefined): string {
  if (file === undefined) throw new InvalidInputError('Name the image that takes its place (file).');
  return file;
}

async function namedFile(files: SessionFiles, name: string | undefined) {
  const { file, data } = await resolveImage(files, name);
  return { filename: file.filename, data };
}

/** An address on the internet, and not the name of a file. */
function isAddress(file: string | undefined): file is string {
  return file !== undefined && /^https?:\/\//i.test(file);
}

/**
 * Takes an image of the conversation, or one from elsewhere, into the media library, or in the place of a picture
 * there. Its url then goes into sections as any other.
 */
export const addMedia = defineTool({
  name: 'add_media',
  description:
    'Put an image of this chat into the media library, for its url; with replaces, in place of that picture.',
  input: z.object({
    file: z.string().min(1).max(2_000).optional().describe('filename or URL; default: newest'),
    alt: z.string().optional().describe('what it shows'),
    replaces: z.string().min(1).max(300).optional().describe('ast_...'),
  }),
  writes: true,
  /** What visitors see changes at once; and an address that is asked for can tell its owner what was read here. */
  async asks({ file, replaces }, { content }) {
    if (isAddress(file)) return true;
    if (replaces === undefined) return false;
    namedImage(file);
    const { id } = await resolveAsset(content, replaces);
    return (await content.referencesTo({ type: 'asset', id })).some(
      ({ isPublished, isPlanned }) => isPublished || isPlanned === true,
    );
  },
  async effect({ file, replaces }, { content }) {
    if (replaces === undefined) {
      const what = isAddress(file) ? `Downloads ${file} and adds it` : `Adds ${file ?? 'the newest attached image'}`;
      return effect({ summary: `${what} to the media library.`, targets: [] });
    }
    const asset = await resolveAsset(content, replaces);
    return effect({
      summary: `Replaces the picture ${asset.filename} by ${namedImage(file)}, wherever it is shown.`,
      targets: [assetTarget(asset)],
      references: await content.referencesTo({ type: 'asset', id: asset.id }),
    });
  },
  async execute({ file, alt: words, replaces }, { content, origin, files, signal }) {
    // What cannot be said of it is refused before it is put in the place of another.
    const { alt } = checkAssetDetails({ alt: words });
    const { filename, data } = isAddress(file)
      ? await content.assets.download(file, signal)
      : await namedFile(files, replaces === undefined ? file : namedImage(file));
    if (replaces === undefined) return assetResult(await content.assets.add({ data, filename, alt }, origin));
    const { id } = await resolveAsset(content, replaces);
    const replaced = await content.assets.replace(id, { data, filename }, origin);
    if (alt === undefined || alt === replaced.asset.alt) return assetResult(replaced);
    return assetResult(await content.assets.update(id, { alt }, origin));
  },
});
