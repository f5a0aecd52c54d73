import { createHash } from 'node:crypto';
import { z } from 'zod';
import { openAIMessageSchema } from '#server/conversation/import/openai-messages';
import { InvalidInputError } from '#server/core/errors';
import { jsonProblem, parseJson } from '#server/core/json';
import { JsonValueCounter } from '#server/core/json-scan';
import type { ChatCompletionBody } from '#server/integrations/openai/chat-completion-body';

/* The content of an item of the type `compaction`, which clients keep and send back unread. */

type ChatMessage = ChatCompletionBody['messages'][number];

/** Not the engine's own label: a client could write anything under it. */
const INTRODUCTION = 'Summary of the conversation before this point:';

/** Messages of one item. As many as a body has at most. */
const MAX_MESSAGES = 20_000;
/** Items of one request; clients send the newest, because it stands for the older ones. */
const MAX_ITEMS = 100;
/** JSON values of all items of one request: they are not counted with its body. As many as a body has at most. */
const MAX_VALUES = 200_000;

const contentSchema = z.object({
  summary: z.string().nullable(),
  replaced: z.array(z.string()).max(MAX_MESSAGES),
  messages: z.array(openAIMessageSchema).max(MAX_MESSAGES),
});

/** What a compacted conversation consists of, apart from the user's older messages. */
export interface CompactedMessages {
  /** Words of the user that the summary quotes: they stand before the item for others to read, and are not sent twice. */
  readonly replaced: readonly string[];
  /** Replaces older messages; null: nothing was old enough. */
  readonly summary: string | null;
  /** The messages that follow, word for word. */
  readonly messages: readonly ChatMessage[];
}

/**
 * Writes the content of an item. It is encoded and not encrypted: a client could write every message of a conversation
 * anyway.
 */
export function encodeCompaction({ replaced, ...content }: CompactedMessages): string {
  return Buffer.from(JSON.stringify({ ...content, replaced: replaced.map(hashOf) })).toString('base64');
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64').slice(0, 16);

/** The words of a user's message; null for one with files, or of another role. */
export function textOfUser(message: ChatMessage): string | null {
  if (message.role !== 'user') return null;
  if (typeof message.content === 'string') return message.content;
  const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === message.content.length ? texts.join('\n') : null;
}

/** Reads the items of one request, up to a number of items and of JSON values. */
export class CompactionDecoder {
  #items = 0;
  /** Hashes of the user's messages, which every item looks up. */
  readonly #hashes = new Map<ChatMessage, string | null>();
  #remaining = MAX_VALUES;

  /**
   * The conversation up to an item: the messages before it without those that its summary replaces, the summary as a
   * message of the user, and the messages of the item.
   * @throws InvalidInputError for a text that another server wrote: without it the conversation would lose its beginning
   */
  decode(before: readonly ChatMessage[], encoded: string): ChatMessage[] {
    if ((this.#items += 1) > MAX_ITEMS) throw refused(`occurs more than ${MAX_ITEMS} times: send the newest only`);
    const bytes = Buffer.from(encoded, 'base64');
    const counter = new JsonValueCounter();
    counter.add(bytes);
    this.#remaining -= counter.count;
    if (this.#remaining < 0) throw refused('is too long: send fewer items');
    const value = parseJson(bytes.toString('utf8'));
    const isSound = value !== undefined && jsonProblem(value) === null;
    const { data } = isSound ? contentSchema.safeParse(value) : {};
    if (!data) throw refused('is none of this server: send the items that it replaces');
    const { summary, messages } = data;
    const replaced = new Set(data.replaced);
    const isReplaced = (message: ChatMessage) => replaced.has(this.#hashOf(message) ?? '');
    const kept = replaced.size === 0 ? before : before.filter((message) => !isReplaced(message));
    if (summary === null) return [...kept, ...messages];
    return [...kept, { role: 'user', content: `${INTRODUCTION}\n\n${summary}` }, ...messages];
  }

  /** Null for a message without words of the user. */
  #hashOf(message: ChatMessage): string | null {
    const known = this.#hashes.get(message);
    if (known !== undefined) return known;
    const text = textOfUser(message);
    const hash = text === null ? null : hashOf(text);
    this.#hashes.set(message, hash);
    return hash;
  }
}

function refused(message: string): InvalidInputError {
  return new InvalidInputError(`Invalid body, "input": a compaction ${message}.`, {
    details: { issues: [{ path: 'input', message: `a compaction ${message}` }] },
  });
}
