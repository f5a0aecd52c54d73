import { createId } from '#server/core/ids';
import type { Message, MessageStatus, NewMessage } from '#server/core/messages';
import { CANCELLED, type Turn } from '#server/core/turns';
import { withTokens } from '#server/context/part-tokens';
import { AnswerWriter, type MessageWriter } from '#server/agent/answer-writer';

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
  /** What the last step has said; null when it said nothing. */
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

  /** The user stopped the turn: what was being said ends there; behind calls, and before any word, an empty message says it. */
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
