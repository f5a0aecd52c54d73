import type { PartWriter } from '#server/agent/stream-processor';
import { withTokens } from '#server/context/part-tokens';
import { createId } from '#server/core/ids';
import type { Message, MessageStatus, NewMessage, Usage } from '#server/core/messages';
import { CANCELLED, type Turn } from '#server/core/turns';
import type { NewPart, Part, PartState } from '#server/core/parts';

/**
 * The assistant's messages of one turn, one for each step. The chat shows them as one, which has the id of the first.
 */
export class TurnAnswer {
  readonly #messages: MessageWriter;
  readonly #turn: Turn;
  readonly #streamId: string;
  #nextId: string;
  #modelId: string | null = null;
  /** The running step's message. */
  #open: AnswerWriter | null = null;
  /** The last step's message; null when that step said nothing. */
  #last: { readonly id: string; readonly hasCalls: boolean } | null = null;

  /** @param firstId of a turn that goes on after a pause, its first message */
  constructor(messages: MessageWriter, turn: Turn, firstId: string | null = null) {
    this.#messages = messages;
    this.#turn = turn;
    this.#nextId = createId('msg');
    this.#streamId = firstId ?? this.#nextId;
  }

  /** Id of the message that the chat shows. */
  get streamId(): string {
    return this.#streamId;
  }

  /** The message of a new step, by this model. */
  begin(modelId: string): AnswerWriter {
    this.#last = null;
    this.#modelId = modelId;
    this.#open = new AnswerWriter(this.#messages, this.#turn.sessionId, this.#draft('streaming'));
    return this.#open;
  }

  /** Ends a step's message, if it has said anything. */
  async end(
    { messageId }: AnswerWriter,
    changes: Parameters<MessageWriter['updateMessage']>[1],
    hasCalls: boolean,
  ): Promise<void> {
    if (messageId !== null) await this.#messages.updateMessage(messageId, changes);
    this.#open = null;
    if (messageId === null) return;
    this.#last = { id: messageId, hasCalls };
    this.#nextId = createId('msg');
  }

  /** A step that has not begun says nothing: what comes next does not belong to the one before. */
  forgetLast(): void {
    this.#last = null;
  }

  /** Words of the engine in the user's role; they never count as a request. */
  async addNote(text: string): Promise<void> {
    await this.#messages.append(this.#turn.sessionId, {
      role: 'user',
      parentId: this.#turn.userMessageId,
      turnId: this.#turn.id,
      parts: [withTokens({ type: 'text', content: { text } })],
    });
  }

  /** Kept with what the last step said, or broke off in, or as a message of its own. */
  async storeError(error: string, isFailure: boolean): Promise<void> {
    const said = this.#last?.id ?? this.#open?.messageId;
    const id = said ?? (await this.#append(isFailure ? 'failed' : 'complete')).id;
    await this.#messages.updateMessage(id, { error });
  }

  /**
   * The user stopped the turn: what was being said ends there; behind calls, and before any word, an empty message says
   * it.
   */
  async storeCancelled(): Promise<void> {
    const id = this.#last && !this.#last.hasCalls ? this.#last.id : (await this.#append('interrupted')).id;
    await this.#messages.updateMessage(id, { status: 'interrupted', finishReason: CANCELLED });
  }

  #append(status: MessageStatus): Promise<Message> {
    return this.#messages.append(this.#turn.sessionId, { ...this.#draft(status), parts: [] });
  }

  #draft(status: MessageStatus): Omit<NewMessage, 'parts'> {
    const { id: turnId, userMessageId: parentId } = this.#turn;
    return { id: this.#nextId, role: 'assistant', status, parentId, turnId, modelId: this.#modelId };
  }
}

/** Writes of a conversation. Each throws NotFoundError for a session, message or part that is gone. */
export interface MessageWriter {
  /** @param order `ahead` of other writes: the model cannot be asked before. Default: in its turn */
  append(sessionId: string, message: NewMessage, order?: 'ahead'): Promise<Message>;
  /** Adds a part behind the message's others. */
  addPart(messageId: string, part: NewPart): Promise<Part>;
  /**
   * The content must fit the part's type, which cannot change.
   * @param order see `append`
   */
  updatePart(
    partId: string,
    changes: { content?: NewPart['content']; state?: PartState; tokens?: number },
    order?: 'ahead',
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
