import { blobIdOf } from '#server/core/files';
import { attachedText, imageText } from '#server/core/part-text';
import type { ModelMessage, UserModelMessage } from '#server/core/model-messages';
import { shrinkPicture } from '#server/media/prepare-picture';

/** Bytes of all images in one request: below what providers take in all (Anthropic: 32 MB, a third more as base64). */
export const MAX_REQUEST_IMAGE_BYTES = 20_000_000;

/** Longest side of an image in pixels, and of each where there are many (Anthropic: above 20 images). */
const MAX_SIDE = 8_000;
const MAX_SIDE_OF_MANY = 2_000;
const MANY_IMAGES = 20;

type UserPart = UserModelMessage['content'][number];
type FilePart = Extract<UserPart, { type: 'file' }>;

/** Storage of the files of one request. */
export interface FileSource {
  /** Descriptions of the files that (still) exist. */
  find(ids: readonly string[]): Promise<readonly StoredFile[]>;
  /** The bytes of one of them; null when it is gone. */
  read(id: string): Promise<Uint8Array | null>;
}

interface StoredFile {
  readonly id: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels of an image. */
  readonly width?: number | null;
  readonly height?: number | null;
}

/**
 * Messages with the files in them that they only name: an image with its bytes, a text as text. Meant for the one
 * request that needs them. Where the images are more than a request takes, the oldest are only named, and not read;
 * larger ones than it takes are sent smaller.
 */
export async function expandFiles(messages: readonly ModelMessage[], files: FileSource): Promise<ModelMessage[]> {
  const named = messages.flatMap((message) => (message.role === 'user' ? message.content.map(blobOf) : []));
  const ids = [...new Set(named)].filter((id) => id !== null);
  const found = new Map((ids.length === 0 ? [] : await files.find(ids)).map((file) => [file.id, file]));
  const images = messages.flatMap((message) => (message.role === 'user' ? message.content.filter(isImageFile) : []));
  const side = images.length > MANY_IMAGES ? MAX_SIDE_OF_MANY : MAX_SIDE;
  let room = MAX_REQUEST_IMAGE_BYTES;
  const expand = async (part: UserPart): Promise<UserPart> => {
    const id = blobOf(part);
    if (part.type !== 'file' || id === null) return part;
    const file = found.get(id);
    const isPicture = file && isImage(file);
    if (isPicture) room -= file.size;
    if (isPicture && room < 0) return { type: 'text', text: imageText(part, 'too old to be shown again') };
    const data = file && (await files.read(id));
    if (!data) return { type: 'text', text: `[File attached: ${part.filename ?? 'file'}; it cannot be read any more]` };
    if (!isPicture) return textOf(part, data);
    const shown = Math.max(file.width ?? 0, file.height ?? 0) > side ? await shrinkPicture(data, side) : data;
    return { ...part, data: `data:${file.mediaType};base64,${Buffer.from(shown).toString('base64')}` };
  };
  const expanded = messages.slice();
  // The newest first: they are what the user asks about.
  for (const [index, message] of [...messages.entries()].toReversed()) {
    if (message.role !== 'user' || !message.content.some((part) => blobOf(part) !== null)) continue;
    const content: UserPart[] = [];
    for (const part of message.content.toReversed()) content.unshift(await expand(part));
    expanded[index] = { ...message, content };
  }
  return expanded;
}

function blobOf(part: UserPart): string | null {
  return part.type === 'file' ? blobIdOf(part.data) : null;
}

function isImageFile(part: UserPart): boolean {
  return part.type === 'file' && isImage(part);
}

function isImage({ mediaType }: Pick<StoredFile, 'mediaType'>): boolean {
  return mediaType.startsWith('image/');
}

function textOf({ filename = 'file' }: FilePart, data: Uint8Array): UserPart {
  return { type: 'text', text: attachedText(filename, new TextDecoder().decode(data)) };
}
