import { blobIdOf } from '#server/core/blob-url';
import { imageText } from '#server/core/file-text';
import type { PartContent } from '#server/core/parts';
import { isAttachedText, isImage, mediaTokens } from '#server/context/counting/media-tokens';
import { countRecurringTokens } from '#server/context/tokens';
import { vocabularyOf } from '#server/context/counting/vocabulary';

type FileContent = PartContent<'file'>;

/** What a file adds to a request; one of the two is 0. */
export interface FileCost {
  /** What is sent as text, in our count: before the model's factor. */
  readonly text: number;
  /** What is sent as it is, in the model's own tokens. */
  readonly media: number;
}

/** A file's part, stored or not yet. */
interface FilePart {
  readonly id?: string;
  readonly content: FileContent;
  /** The count that is stored with it. */
  readonly tokens?: number | null;
  readonly compactedAt?: number | null;
}

/** The line that a model reads in the place of an image that it does not see; null where it gets the file itself. */
export function unseenImage({ id = '', content, compactedAt = null }: FilePart, acceptsImages: boolean): string | null {
  if (!isImage(content)) return null;
  if (!acceptsImages) return imageText(content);
  return compactedAt === null ? null : clearedImageText(id, content);
}

/** What a model reads in the place of an old image that was taken out of the view. */
export function clearedImageText(partId: string, content: FileContent): string {
  const again =
    blobIdOf(content.url) === null
      ? 'ask the user for it where it is needed'
      : `recall_output id: ${partId} shows it again`;
  return imageText(content, `no longer shown; ${again}`);
}

/** What a file adds to a model's requests. */
export function fileCost(part: FilePart, modelId: string, acceptsImages = true): FileCost {
  const { content, tokens } = part;
  const line = unseenImage(part, acceptsImages);
  if (line !== null) return { text: countRecurringTokens(line, vocabularyOf(modelId)), media: 0 };
  if (isAttachedText(content)) return { text: tokens ?? mediaTokens(content, null), media: 0 };
  return { text: 0, media: mediaTokens(content, modelId) };
}
