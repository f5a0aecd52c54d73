import type { PartWriter, Stored } from '#server/conversation/step/stream-writer';
import { withTokens } from '#server/context/part-tokens';
import { createId } from '#server/core/ids';
import type { MessageDraft, MessageStatus, NewMessage, Usage } from '#server/core/conversation/messages';
import { CANCELLED, type Turn } from '#server/core/conversation/turns';
import type { NewPart, PartState } from '#server/core/conversation/parts';
import type { CodedMessage, ServerText } from '#server/core/coded-message';
import { messageOfText } from '#server/core/message-data';

/** The assistant's messages of one turn, one per step. The chat shows them as one message with the id of the first. */
export class TurnAnswer {
  readonly #messages: MessageWriter;
  readonly #turn: Turn;
  readonly #streamId: string;
  #nextId: string;
  #modelId: string | null = null;
  /** The running step's message. */
  #open: AnswerWriter | null = null;
  /** The last step's message; null if that step wrote nothing. */
  #last: { readonly id: string; readonly hasCalls: boolean } | null = null;

  /** @param firstId first message of a turn that continues after a pause */
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

  /** Creates the message of a new step by this model. */
  begin(modelId: string): AnswerWriter {
    this.#last = null;
    this.#modelId = modelId;
    this.#open = new AnswerWriter(this.#messages, this.#turn.sessionId, this.#draft('streaming'));
    return this.#open;
  }

  /** Ends a step's message, if it has any content. */
  async end({ messageId }: AnswerWriter, changes: MessageChanges, hasCalls: boolean): Promise<void> {
    if (messageId !== null) await this.#messages.updateMessage(messageId, changes);
    this.#open = null;
    if (messageId === null) return;
    this.#last = { id: messageId, hasCalls };
    this.#nextId = createId('msg');
  }

  /** Begins a step: an error or a cancellation is no longer stored with the message of the previous step. */
  startStep(): void {
    this.#last = null;
  }

  /** Text of the engine in the user's role; it never counts as a request. */
  async addNote(text: string): Promise<void> {
    await this.#messages.append(this.#turn.sessionId, {
      role: 'user',
      parentId: this.#turn.userMessageId,
      turnId: this.#turn.id,
      parts: [withTokens({ type: 'text', content: { text } })],
    });
  }

  /** Stores the error with the message of the last step or of the interrupted one, or as a new message. */
  async storeError(error: ServerText, isFailure: boolean): Promise<void> {
    const said = this.#last?.id ?? this.#open?.messageId;
    const id = said ?? (await this.#append(isFailure ? 'failed' : 'complete')).id;
    await this.#messages.updateMessage(id, { error: error.text, errorMessage: messageOfText(error) });
  }

  /** Marks the answer as stopped by the user. After calls, and before any text, an empty message stores this. */
  async storeCancelled(): Promise<void> {
    const id = this.#last && !this.#last.hasCalls ? this.#last.id : (await this.#append('interrupted')).id;
    await this.#messages.updateMessage(id, { status: 'interrupted', finishReason: CANCELLED });
  }

  #append(status: MessageStatus): Promise<Stored> {
    return this.#messages.append(this.#turn.sessionId, { ...this.#draft(status), parts: [] });
  }

  #draft(status: MessageStatus): MessageDraft {
    const { id: turnId, userMessageId: parentId } = this.#turn;
    return { id: this.#nextId, role: 'assistant', status, parentId, turnId, modelId: this.#modelId };
  }
}

/** A message that was stored with its parts. */
interface AppendedMessage extends Stored {
  readonly parts: readonly Stored[];
}

/** Adds messages, and completes their parts. */
export interface NoteWriter extends StoredPartWriter {
  /** @param order `ahead` of other writes, because the model call waits for it. Default: in order */
  append(sessionId: string, message: NewMessage, order?: 'ahead'): Promise<AppendedMessage>;
}

/** Replaces the content of stored parts. */
interface StoredPartWriter {
  /**
   * The content must fit the part's type, which cannot change.
   * @param order see `NoteWriter.append`
   */
  updatePart(partId: string, changes: PartChanges, order?: 'ahead'): Promise<void>;
}

/** Replaces fields of stored messages and parts. */
export interface ChangeWriter extends StoredPartWriter {
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
}

/** Writes of a conversation. Each throws NotFoundError if the session, message or part was deleted. */
export interface MessageWriter extends NoteWriter, ChangeWriter {
  /** Adds a part after the message's other parts. */
  addPart(messageId: string, part: NewPart): Promise<Stored>;
}

/** Fields of a stored part to replace; an omitted field stays. */
export interface PartChanges {
  readonly content?: NewPart['content'];
  readonly state?: PartState;
  readonly tokens?: number;
}

/** Fields of a stored message to replace; an omitted field stays. */
export interface MessageChanges {
  readonly status?: MessageStatus;
  readonly finishReason?: string | null;
  readonly error?: string | null;
  readonly errorMessage?: CodedMessage | null;
  readonly usage?: Usage | null;
}

/**
 * A message that is created with its first part, so that a step that fails before any output leaves nothing in the
 * store. Parts are stored in the order in which they are added.
 */
export class AnswerWriter implements PartWriter {
  readonly #messages: MessageWriter;
  readonly #sessionId: string;
  readonly #draft: MessageDraft;
  #messageId: string | null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param messageId of an existing message that is continued */
  constructor(messages: MessageWriter, sessionId: string, draft: MessageDraft, messageId: string | null = null) {
    this.#messages = messages;
    this.#sessionId = sessionId;
    this.#draft = draft;
    this.#messageId = messageId;
  }

  /** Null until the first part is added. */
  get messageId(): string | null {
    return this.#messageId;
  }

  addPart(part: NewPart): Promise<Stored> {
    const added = this.#last.then(() => this.#add(part));
    // The caller that added the part receives the failure; the next write is tried independently.
    this.#last = added.catch(() => undefined);
    return added;
  }

  updatePart(partId: string, changes: PartChanges): Promise<void> {
    return this.#messages.updatePart(partId, changes);
  }

  async #add(part: NewPart): Promise<Stored> {
    if (this.#messageId !== null) return this.#messages.addPart(this.#messageId, part);
    const message = await this.#messages.append(this.#sessionId, { ...this.#draft, parts: [part] });
    this.#messageId = message.id;
    const [stored] = message.parts;
    if (!stored) throw new Error(`Message ${message.id} was stored without its part.`);
    return stored;
  }
}
