import type { Message, MessageStatus, NewMessage, Usage } from '#server/core/messages';
import type { NewPart, Part, PartState } from '#server/core/parts';
import type { PartWriter } from '#server/agent/stream-processor';

/** What of the message repository a turn writes with. */
export interface MessageWriter {
  append(sessionId: string, message: NewMessage): Promise<Message>;
  addPart(messageId: string, part: NewPart): Promise<Part>;
  updatePart(
    partId: string,
    changes: { content?: NewPart['content']; state?: PartState; tokens?: number },
  ): Promise<void>;
  updateMessage(
    messageId: string,
    changes: { status?: MessageStatus; finishReason?: string | null; error?: string | null; usage?: Usage | null },
  ): Promise<void>;
}

/**
 * One message that comes into being with its first part, so that a step that fails before it says anything leaves
 * nothing behind.
 */
export class AnswerWriter implements PartWriter {
  readonly #messages: MessageWriter;
  readonly #sessionId: string;
  readonly #draft: Omit<NewMessage, 'parts'>;
  #messageId: string | null = null;

  constructor(messages: MessageWriter, sessionId: string, draft: Omit<NewMessage, 'parts'>) {
    this.#messages = messages;
    this.#sessionId = sessionId;
    this.#draft = draft;
  }

  /** Null until a part was added. */
  get messageId(): string | null {
    return this.#messageId;
  }

  async addPart(part: NewPart): Promise<Part> {
    if (this.#messageId !== null) return this.#messages.addPart(this.#messageId, part);
    const message = await this.#messages.append(this.#sessionId, { ...this.#draft, parts: [part] });
    this.#messageId = message.id;
    const [stored] = message.parts;
    if (!stored) throw new Error(`Message ${message.id} was stored without its part.`);
    return stored;
  }

  updatePart(partId: string, changes: Parameters<MessageWriter['updatePart']>[1]): Promise<void> {
    return this.#messages.updatePart(partId, changes);
  }
}
