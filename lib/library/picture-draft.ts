import type { Asset } from '#server/core/content';

/** What is said of a picture. */
export type PictureDetails = Pick<Asset, 'alt' | 'filename' | 'tags'>;

/** The same as it is being typed. */
export interface PictureDraft {
  readonly alt: string;
  readonly filename: string;
  /** With commas in between. */
  readonly tags: string;
}

/** A draft in which nothing is typed yet. */
export function pictureDraftOf({ alt, filename, tags }: PictureDetails): PictureDraft {
  return { alt, filename, tags: tags.join(', ') };
}

/** What a draft would change of the picture. */
export function pictureChanges({ alt, filename, tags }: PictureDraft, asset: PictureDetails): Partial<PictureDetails> {
  return {
    ...(alt.trim() !== asset.alt && { alt }),
    ...(filename.trim() !== asset.filename && filename.trim() !== '' && { filename }),
    ...(tagsOf(tags).join() !== asset.tags.join() && { tags: tagsOf(tags) }),
  };
}

/**
 * A draft after the picture has become another: what was typed since stays, all else is as it is there.
 * @param before the draft that stood for the picture as it was, or that was sent
 */
export function rebasedDraft(draft: PictureDraft, before: PictureDraft, asset: PictureDetails): PictureDraft {
  const now = pictureDraftOf(asset);
  return {
    alt: draft.alt === before.alt ? now.alt : draft.alt,
    filename: draft.filename === before.filename ? now.filename : draft.filename,
    tags: draft.tags === before.tags ? now.tags : draft.tags,
  };
}

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
