import { type Blob, type BlobStore, blobUrl } from '#server/core/files';
import { createBreathing } from '#server/core/breathe';
import { InvalidInputError, NotFoundError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { attachedText } from '#server/core/part-text';
import type { NewMessage } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import type { NewPart, PartContent } from '#server/core/parts';
import { bytesOf } from '#server/conversations/imported-messages';
import { isImage, mediaTokens } from '#server/context/part-tokens';
import { withTokens } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';
import { cleanFilename, sniffFile } from '#server/media/sniff-file';
import { expandFiles } from '#server/media/expand-files';
import { prepareImage } from '#server/media/prepare-picture';
import { adoptToolOutput } from '#server/media/sanitize-tool-result';
import type { SessionFiles } from '#server/tools/tool';

/** Files that users attach to messages: kept once in their session, named by parts, sent only where they are needed. */
export class Attachments {
  readonly #blobs: BlobStore;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /**
   * Keeps a file for a message to come.
   * @param filename what its sender calls it; its kind is decided by its content
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
   * Parts of a message for files of its session, each once, as we have recorded them.
   * @throws NotFoundError for one that is not this session's
   */
  async partsOf(sessionId: string, ids: readonly string[]): Promise<NewPart[]> {
    const asked = [...new Set(ids)];
    const blobs = await this.#blobs.find(sessionId, asked);
    const missing = asked.find((id) => !blobs.some((blob) => blob.id === id));
    if (missing !== undefined) throw new NotFoundError('attachment', missing);
    return Promise.all(blobs.map((blob) => this.#toPart(blob)));
  }

  /**
   * Messages from elsewhere, with the user's files kept that bring their bytes along, and the images of tool results.
   * Kinds of files that we do not take stay as they came.
   */
  async adopt(sessionId: string, messages: readonly NewMessage[]): Promise<NewMessage[]> {
    const adopted: NewMessage[] = [];
    const breathe = createBreathing();
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

  /** The same for the images of tool results alone. */
  async adoptResults(sessionId: string, messages: readonly NewMessage[]): Promise<NewMessage[]> {
    const adopted: NewMessage[] = [];
    const breathe = createBreathing();
    for (const message of messages) {
      await breathe();
      const parts: NewPart[] = [];
      for (const part of message.parts) parts.push(await this.#adoptResult(sessionId, part));
      adopted.push({ ...message, parts });
    }
    return adopted;
  }

  /** The messages of one request with the session's files in them. */
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

  /** Tokens of a text as the model will read it, counted once. */
  async #count(id: string): Promise<number> {
    const { blob, data } = await this.read(id);
    return countTokens(attachedText(blob.filename, new TextDecoder().decode(data)));
  }
}

/** It is not taken, for what it is. */
function isRefused(error: unknown): boolean {
  return [UnsupportedFileError, TooLargeError, InvalidInputError].some((refusal) => error instanceof refusal);
}
