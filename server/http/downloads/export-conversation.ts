import type { CompactionRecord } from '#server/core/conversation/compactions';
import { blobIdOf } from '#server/core/conversation/part-types/blobs';
import type { Preference } from '#server/core/conversation/preferences';
import type { Message } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import { EXPORT_FORMAT } from '#server/core/conversation/session-export';
import type { Part } from '#server/core/conversation/parts';
import { asToolImage } from '#server/core/conversation/part-types/tool-output';
import type { Services } from '#server/services';

/** Everything that an export of a conversation contains. */
export interface ExportedConversation {
  readonly session: Session;
  /** Newest first. */
  readonly compactions: readonly CompactionRecord[];
  /** Preferences of the conversation. */
  readonly wishes: readonly Preference[];
  /**
   * In order, summaries included. They are read while the file is written, so that a long conversation is never
   * completely in memory.
   */
  readonly messages: AsyncIterable<Message>;
}

/** Number of messages that are read at a time, and are in memory together. */
const PAGE_SIZE = 200;

type Sources = Pick<Services, 'messages' | 'attachments'>;

/** Reads all messages of a session in order, including summaries and superseded ones, page by page on demand. */
export async function* exportedMessages({ messages }: Sources, sessionId: string): AsyncGenerator<Message> {
  let cursor: string | undefined;
  do {
    const query = { cursor, limit: PAGE_SIZE, summaries: true, superseded: true };
    const page = await messages.list(sessionId, query);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Replaces the file addresses in messages by `data:` URLs with the bytes, so that the export needs no other file. */
export async function* withFileBytes(sources: Sources, messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  for await (const message of messages) yield await withFiles(sources, message);
}

async function withFiles({ attachments }: Sources, message: Message): Promise<Message> {
  const parts: Part[] = [];
  const bytesOf = async (id: string) => {
    const { blob, data } = await attachments.read(id);
    return `data:${blob.mediaType};base64,${Buffer.from(data).toString('base64')}`;
  };
  for (const part of message.parts) {
    const id = part.type === 'file' ? blobIdOf(part.content.url) : null;
    if (part.type === 'file' && id !== null) {
      parts.push({ ...part, content: { ...part.content, url: await bytesOf(id) } });
    } else if (part.type === 'tool-result' && part.content.output.type === 'content') {
      const value = [];
      for (const piece of part.content.output.value) {
        const image = asToolImage(piece);
        if (!image) value.push(piece);
        else value.push({ ...image, url: await bytesOf(blobIdOf(image.url)!) });
      }
      parts.push({ ...part, content: { ...part.content, output: { type: 'content', value } } });
    } else {
      parts.push(part);
    }
  }
  return { ...message, parts };
}

/**
 * Writes the conversation as one JSON object `{format, session, wishes, messages, compactions}`, one message per line. Its
 * `messages` are those of GET /messages, with the bytes of their files. POST /import accepts the object, but ignores
 * its compactions.
 */
export async function* exportAsJson({
  session,
  wishes,
  compactions,
  messages,
}: ExportedConversation): AsyncGenerator<string> {
  yield `{"format":${JSON.stringify(EXPORT_FORMAT)},\n"session":${JSON.stringify(session)},\n"wishes":${JSON.stringify(wishes)},\n"messages":[`;
  let separator = '\n';
  for await (const message of messages) {
    yield separator + JSON.stringify(message);
    separator = ',\n';
  }
  yield `\n],\n"compactions":[${compactions.map((record) => `\n${JSON.stringify(record)}`).join(',')}\n]}\n`;
}
