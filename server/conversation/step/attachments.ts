import { type Blob, blobIdOf, type BlobStore, blobUrl } from '#server/core/conversation/part-types/blobs';
import { createYielder } from '#server/core/async';
import { InvalidInputError, NotFoundError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { attachedText } from '#server/core/conversation/part-text';
import { imageText } from '#server/core/conversation/part-types/image-text';
import type { NewMessage } from '#server/core/conversation/messages';
import type { ModelMessage, UserModelMessage } from '#server/core/conversation/model-messages';
import type { NewPart, PartContent } from '#server/core/conversation/parts';
import { bytesOf } from '#server/core/data-url';
import { withTokens } from '#server/context/part-tokens';
import { isImage, mediaTokens } from '#server/context/media-tokens';
import { countTokens } from '#server/context/tokens';
import { cleanFilename, sniffFile } from '#server/site/media/sniff-file';
import { prepareImage, shrinkPicture } from '#server/site/media/prepare-picture';
import { adoptToolOutput } from '#server/site/media/sanitize-tool-result';
import type { SessionFiles } from '#server/tools/tool';

/**
 * Files that users attach to messages: stored once per session, referred to by parts, and sent only when they are
 * needed.
 */
export class Attachments {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /**
   * Stores a file for a later message.
   * @param filename the sender's name for it; the content decides its type
   * @throws UnsupportedFileError, TooLargeError, InvalidInputError, NotFoundError (no such session)
   */
  async keep(sessionId: string, filename: string, data: Uint8Array): Promise<Blob> {
    const file = await sniffFile(data, filename);
    const { kind, mediaType } = file;
    const kept = kind === 'image' ? await prepareImage(data, mediaType) : { data, width: null, height: null };
    const name = cleanFilename(filename) || kind;
    return this.#blobs.save({ sessionId, mediaType, filename: name, size: kept.data.length, ...kept });
  }

  /** @throws NotFoundError */
  async read(id: string): Promise<{ blob: Blob; data: Uint8Array }> {
    const found = await this.#blobs.read(id);
    if (!found) throw new NotFoundError('attachment', id);
    return found;
  }

  /** The attachments of a session that tools may read. */
  filesOf(sessionId: string): SessionFiles {
    return {
      list: () => this.#blobs.list(sessionId),
      read: async (id) => {
        const found = await this.#blobs.read(id);
        return found?.blob.sessionId === sessionId ? found.data : null;
      },
    };
  }

  /**
   * Message parts for files of the session, each once, with their stored descriptions.
   * @throws NotFoundError for a file of another session
   */
  async partsOf(sessionId: string, ids: readonly string[]): Promise<NewPart[]> {
    const asked = [...new Set(ids)];
    const blobs = await this.#blobs.find(sessionId, asked);
    const missing = asked.find((id) => !blobs.some((blob) => blob.id === id));
    if (missing !== undefined) throw new NotFoundError('attachment', missing);
    return Promise.all(blobs.map((blob) => this.#toPart(blob)));
  }

  /**
   * Imports the files of messages from another source: stores the user's files whose bytes are included, and the images
   * of tool results. Files of unsupported types are left unchanged.
   */
  async adopt(sessionId: string, messages: readonly NewMessage[]): Promise<NewMessage[]> {
    const adopted: NewMessage[] = [];
    const breathe = createYielder();
    for (const message of messages) {
      await breathe();
      const parts: NewPart[] = [];
      for (const part of message.parts) {
        const isFile = message.role === 'user' && part.type === 'file';
        parts.push(
          (isFile && (await this.#adoptFile(sessionId, part.content))) || (await this.#adoptResult(sessionId, part)),
        );
      }
      adopted.push({ ...message, parts });
    }
    return adopted;
  }

  /** Imports only the images of tool results. */
  async adoptResults(sessionId: string, messages: readonly NewMessage[]): Promise<NewMessage[]> {
    const adopted: NewMessage[] = [];
    const breathe = createYielder();
    for (const message of messages) {
      await breathe();
      const parts: NewPart[] = [];
      for (const part of message.parts) parts.push(await this.#adoptResult(sessionId, part));
      adopted.push({ ...message, parts });
    }
    return adopted;
  }

  /** The messages of one request with the content of the session's files. */
  expand(sessionId: string, messages: readonly ModelMessage[]): Promise<ModelMessage[]> {
    return expandFiles(messages, {
      find: (ids) => this.#blobs.find(sessionId, ids),
      read: async (id) => (await this.#blobs.read(id))?.data ?? null,
    });
  }

  async #adoptFile(sessionId: string, { url, filename = '' }: PartContent<'file'>): Promise<NewPart | null> {
    const bytes = bytesOf(url);
    if (!bytes) return null;
    try {
      return await this.#toPart(await this.keep(sessionId, filename, bytes));
    } catch (error) {
      if (isRefused(error)) return null;
      throw error;
    }
  }

  async #adoptResult(sessionId: string, part: NewPart): Promise<NewPart> {
    if (part.type !== 'tool-result') return part;
    const { output, toolName } = part.content;
    const keep = (bytes: Uint8Array, filename: string) => this.keep(sessionId, filename, bytes);
    const adopted = await adoptToolOutput(output, toolName, keep);
    return adopted === output ? part : withTokens({ ...part, content: { ...part.content, output: adopted } });
  }

  async #toPart({ id, mediaType, filename, size, width, height }: Blob): Promise<NewPart> {
    const pixels = width !== null && height !== null ? { width, height } : {};
    const content: PartContent<'file'> = { mediaType, filename, url: blobUrl(id), size, ...pixels };
    return { type: 'file', content, tokens: isImage(content) ? mediaTokens(content, null) : await this.#count(id) };
  }

  /** Tokens of a text file as the model will read it, counted once. */
  async #count(id: string): Promise<number> {
    const { blob, data } = await this.read(id);
    return countTokens(attachedText(blob.filename, new TextDecoder().decode(data)));
  }
}

/** True if a file is refused because of its type, size or content. */
function isRefused(error: unknown): boolean {
  return [UnsupportedFileError, TooLargeError, InvalidInputError].some((refusal) => error instanceof refusal);
}

/**
 * Maximum bytes of all images in one request: below the total limit of providers (Anthropic: 32 MB, a third more as
 * base64).
 */
export const MAX_REQUEST_IMAGE_BYTES = 20_000_000;

/**
 * Maximum side length of an image in pixels, and the maximum for each image of a large number (Anthropic: above 20
 * images).
 */
const MAX_SIDE = 8_000;
const MAX_SIDE_OF_MANY = 2_000;
const MANY_IMAGES = 20;

type UserPart = UserModelMessage['content'][number];
type FilePart = Extract<UserPart, { type: 'file' }>;

/** Storage of the files of one request. */
export interface FileSource {
  /** Descriptions of those files that (still) exist. */
  find(ids: readonly string[]): Promise<readonly StoredFile[]>;
  /** The bytes of one of them; null if it was deleted. */
  read(id: string): Promise<Uint8Array | null>;
}

interface StoredFile {
  readonly id: string;
  readonly mediaType: string;
  /** Size in bytes. */
  readonly size: number;
  /** Pixels of an image. */
  readonly width?: number | null;
  readonly height?: number | null;
}

/**
 * Inserts the content of files that messages refer to: an image with its bytes, a text file as text. Use the result for
 * one request only. If the images exceed the limit of a request, the oldest are only named and not read; images that
 * are too large are scaled down.
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
  // Newest first, because the user asks about these.
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

function textOf({ filename = 'file' }: FilePart, data: Uint8Array): UserPart {
  return { type: 'text', text: attachedText(filename, new TextDecoder().decode(data)) };
}
