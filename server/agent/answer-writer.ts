import { TurnLostError } from '#server/core/errors';
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
 * nothing behind. Parts are stored in the order in which they are added.
 */
export class AnswerWriter implements PartWriter {
  readonly #messages: MessageWriter;
  readonly #sessionId: string;
  readonly #draft: Omit<NewMessage, 'parts'>;
  #messageId: string | null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param messageId of a message that exists already and is continued */
  constructor(
    messages: MessageWriter,
    sessionId: string,
    draft: Omit<NewMessage, 'parts'>,
    messageId: string | null = null,
  ) {
    this.#messages = messages;
    this.#sessionId = sessionId;
    this.#draft = draft;
    this.#messageId = messageId;
  }

  /** Null until a part was added. */
  get messageId(): string | null {
    return this.#messageId;
  }

  addPart(part: NewPart): Promise<Part> {
    const added = this.#last.then(() => this.#add(part));
    // Whoever added it is told of the failure; the next one is a try of its own.
    this.#last = added.catch(() => undefined);
    return added;
  }

  updatePart(partId: string, changes: Parameters<MessageWriter['updatePart']>[1]): Promise<void> {
    return this.#messages.updatePart(partId, changes);
  }

  async #add(part: NewPart): Promise<Part> {
    if (this.#messageId !== null) return this.#messages.addPart(this.#messageId, part);
    const message = await this.#messages.append(this.#sessionId, { ...this.#draft, parts: [part] });
    this.#messageId = message.id;
    const [stored] = message.parts;
    if (!stored) throw new Error(`Message ${message.id} was stored without its part.`);
    return stored;
  }
}

/**
 * What one turn writes with: `onWrite` is called behind every write, `onLost` when one was refused because the turn is
 * somebody else's by now.
 */
export function turnWriter(messages: MessageWriter, onWrite: () => void, onLost: () => void): MessageWriter {
  const told = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const result = await write;
      onWrite();
      return result;
    } catch (error) {
      if (error instanceof TurnLostError) onLost();
      throw error;
    }
  };
  return {
    append: (...args) => told(messages.append(...args)),
    addPart: (...args) => told(messages.addPart(...args)),
    updatePart: (...args) => told(messages.updatePart(...args)),
    updateMessage: (...args) => told(messages.updateMessage(...args)),
  };
}
