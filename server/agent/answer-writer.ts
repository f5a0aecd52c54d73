import { ThroughlineError, TurnLostError } from '#server/core/errors';
import type { Message, MessageStatus, NewMessage, Usage } from '#server/core/messages';
import type { NewPart, Part, PartState } from '#server/core/parts';
import type { StorePatience } from '#server/agent/store-patience';
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

/** The store would not take what a turn had to write, ever; its message is for the user, its cause for the log. */
export class NotStoredError extends Error {
  constructor(cause: unknown) {
    super(
      'The answer could not be stored in full: the database did not accept it. Words that are not stored disappear when the page is loaded again: copy what you need, then ask again.',
      { cause },
    );
    this.name = 'NotStoredError';
  }
}

/** What hears of a turn's writes. */
interface TurnWriterListener {
  /** Called behind every write. */
  readonly onWrite: () => void;
  /** Called when one was refused because the turn is somebody else's by now. */
  readonly onLost: () => void;
}

/** What one turn writes with. Where the store never takes a write, it throws NotStoredError. */
export function turnWriter(
  messages: MessageWriter,
  patience: StorePatience,
  { onWrite, onLost }: TurnWriterListener,
): MessageWriter {
  const told = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      const result = await patience.write(write);
      onWrite();
      return result;
    } catch (error) {
      if (error instanceof TurnLostError) onLost();
      const isForeseen = error instanceof ThroughlineError && error.code !== 'store_busy';
      throw isForeseen ? error : new NotStoredError(error);
    }
  };
  return {
    append: (...args) => told(() => messages.append(...args)),
    addPart: (...args) => told(() => messages.addPart(...args)),
    updatePart: (...args) => told(() => messages.updatePart(...args)),
    updateMessage: (...args) => told(() => messages.updateMessage(...args)),
  };
}
