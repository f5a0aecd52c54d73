import type { Asset } from '#server/core/site/content';

/** The details of a picture that can be edited. */
export type PictureDetails = Pick<Asset, 'alt' | 'filename' | 'tags'>;

/** The details of a picture while they are being edited. */
export interface PictureDraft {
  readonly alt: string;
  readonly filename: string;
  /** Separated by commas. */
  readonly tags: string;
}

/** A draft without edits. */
export function pictureDraftOf({ alt, filename, tags }: PictureDetails): PictureDraft {
  return { alt, filename, tags: tags.join(', ') };
}

/** The details in which a draft differs from the picture; blanks at both ends and an empty file name do not count. */
export function pictureChanges({ alt, filename, tags }: PictureDraft, asset: PictureDetails): Partial<PictureDetails> {
  return {
    ...(alt.trim() !== asset.alt && { alt }),
    ...(filename.trim() !== asset.filename && filename.trim() !== '' && { filename }),
    ...(tagsOf(tags).join() !== asset.tags.join() && { tags: tagsOf(tags) }),
  };
}

/**
 * A draft after the picture has changed or was saved: fields that differ from `before` are kept, the others take the
 * new values.
 * @param before the unedited draft of the picture before the change, or the draft that was saved
 * @param asset the new details
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
