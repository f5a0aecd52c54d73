import type { Mutex } from 'async-mutex';
import { api } from '#components/api/api-client.ts';
import { ApiError } from '#components/api/api-error.ts';
import {
  asksForApproval,
  type ChatFile,
  type ChatMessage,
  countOfPart,
  isStored,
  messageText,
  originalTexts,
} from '#components/api/chat-message.ts';
import { connection } from '#components/api/connection.ts';
import { type ChatSessionStore, isRunning } from '#components/chat/session/chat-session-state.ts';
import {
  keepSent,
  returnedTexts,
  returnToDraft,
  settleSent,
  takeDraft,
  takeReturnedId,
} from '#components/chat/session/drafts.ts';
import type { TurnReader } from '#components/chat/session/turn-reader.ts';
import { here } from '#components/workspace/current-view.ts';

/**
 * Sends the messages of a conversation, and keeps those that the server has not accepted yet. Each has one idempotency
 * key, and the browser stores its text, so that a reload does not lose it.
 */
export class Outbox {
  readonly #state: ChatSessionStore;
  readonly #reader: TurnReader;
  readonly #inOrder: Mutex;

  /** @param inOrder locked while a request that changes the conversation waits for its response */
  constructor(state: ChatSessionStore, reader: TurnReader, inOrder: Mutex) {
    this.#state = state;
    this.#reader = reader;
    this.#inOrder = inOrder;
  }

  /**
   * Sends now, or queues while a turn runs. Resolves when the text is accepted or, if it may have been refused, is in
   * the transcript. Rejects with ApiError if it could not be queued; the caller then keeps it.
   */
  async send(text: string, modelId: string | undefined, files: readonly ChatFile[] = []): Promise<void> {
    const message = this.#compose(text, files);
    if (this.#isFree) return void this.#start(message, modelId);
    try {
      await this.#enqueue(message, modelId);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'network') return this.#fail(message, modelId, error);
      settleSent(this.#sessionId, message.id);
      throw error;
    }
  }

  /** Gives up what the server has received after all, although its response was lost. */
  settleAccepted(): void {
    const { failedSends } = this.#state.current;
    if (failedSends.length === 0) return;
    const accepted = new Set(this.#messages.flatMap(({ metadata }) => metadata?.clientRequestIds ?? []));
    for (const { message } of failedSends) if (accepted.has(message.id)) this.discard(message.id);
  }

  /** Sends a message again, with its idempotency key. Resolves when it was accepted and its answer has ended. */
  async resend(messageId: string): Promise<void> {
    const failed = this.#find(messageId);
    if (!failed) return;
    this.#remove(messageId);
    await this.#deliver(failed.message, failed.modelId);
  }

  /** Sends, in order, the messages that failed while the server was unreachable. */
  resendOffline(): void {
    const { failedSends } = this.#state.current;
    for (const { message, isOffline } of failedSends) if (isOffline) void this.resend(message.id);
  }

  /** Puts the text of a message that was not accepted back into the field. */
  takeBack(messageId: string): void {
    const failed = this.#find(messageId);
    this.discard(messageId);
    if (failed) returnToDraft(this.#sessionId, messageText(failed.message));
  }

  /** Gives up a message that was not accepted. */
  discard(messageId: string): void {
    settleSent(this.#sessionId, messageId);
    this.#remove(messageId);
  }

  /** Removes from the field what an earlier page sent without seeing a response, if the server did receive it. */
  settleReturned(): void {
    for (const { id, text, after } of returnedTexts(this.#sessionId)) {
      const isQueued = this.#state.current.queue.items.some((item) => item.text === text);
      if (!isQueued && !wordsSince(this.#messages, after).includes(text)) continue;
      takeDraft(this.#sessionId, text);
      settleSent(this.#sessionId, id);
    }
  }

  get #sessionId(): string {
    return this.#reader.chat.id;
  }

  /** The messages that the server has, as far as loaded, and the one that is being sent. */
  get #messages(): readonly ChatMessage[] {
    return this.#reader.chat.messages;
  }

  /** True if a message only starts a turn, so that it can be shown before the server has answered. */
  get #isFree(): boolean {
    const { load, queue } = this.#state.current;
    const isIdle = !isRunning(this.#state.current) && !this.#inOrder.isLocked() && queue.items.length === 0;
    return load === 'ready' && isIdle && !this.#messages.some(asksForApproval);
  }

  /** Sends a message again in the way that is possible now; one that is not accepted is kept. */
  async #deliver(message: ChatMessage, modelId: string | undefined): Promise<void> {
    if (this.#isFree) return this.#start(message, modelId);
    try {
      await this.#enqueue(message, modelId);
    } catch (error) {
      this.#fail(message, modelId, error as ApiError);
    }
  }

  /** Sends a message that starts a turn, and reads its answer. */
  async #start(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const body = { here: here(), ...(modelId !== undefined && { modelId }) };
    const turnInOrder = this.#inOrder.acquire();
    this.#state.update({ isSending: true, turnError: null });
    const release = await turnInOrder;
    const { error } = await this.#reader.send(message, body, (outcome) => {
      if (outcome !== 'refused') settleSent(this.#sessionId, message.id);
      this.#state.update({ isSending: false });
      release();
    });
    if (error) this.#fail(message, modelId, error);
    void this.#reader.follow(true);
  }

  /** Adds a message to the queue; if no turn runs, it starts one. @throws ApiError */
  async #enqueue(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const request = { sessionId: this.#sessionId, message, here: here(), modelId, clientRequestId: message.id };
    await this.#inOrder.runExclusive(() => api.queue.add(request));
    settleSent(this.#sessionId, message.id);
  }

  /** Shows a message at the end of the transcript, with the reason why it was not accepted. */
  #fail(message: ChatMessage, modelId: string | undefined, { status, code, message: reason }: ApiError): void {
    // The user declined to sign in again: the text returns to the field.
    if (status === 401) {
      settleSent(this.#sessionId, message.id);
      return returnToDraft(this.#sessionId, messageText(message));
    }
    const failed = { message, reason, modelId, isOffline: code === 'network' };
    this.#state.update({ failedSends: [...this.#state.current.failedSends, failed] });
    this.settleAccepted();
    // The server may have been found again by now.
    if (connection.state === 'online') this.resendOffline();
  }

  /** Creates a message; a text that an earlier page sent without seeing a response keeps its idempotency key. */
  #compose(text: string, files: readonly ChatFile[]): ChatMessage {
    const message: ChatMessage = {
      id: takeReturnedId(this.#sessionId, text) ?? crypto.randomUUID(),
      role: 'user',
      parts: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files],
      metadata: { createdAt: Date.now() },
    };
    // Stored beyond this page until the server has responded.
    const after = this.#messages.findLast(isStored)?.id ?? '';
    if (text !== '') keepSent(this.#sessionId, { id: message.id, text, after });
    return message;
  }

  #find(messageId: string) {
    return this.#state.current.failedSends.find(({ message }) => message.id === messageId);
  }

  #remove(messageId: string): void {
    const failedSends = this.#state.current.failedSends.filter(({ message }) => message.id !== messageId);
    this.#state.update({ failedSends });
  }
}

/**
 * User texts after the message `after` (from the start if that is missing), including those sent during an answer;
 * joined messages are separated again.
 */
export function wordsSince(messages: readonly ChatMessage[], after: string): string[] {
  const known = messages.findIndex(({ id }) => id === after);
  const textsOf = (message: ChatMessage, count: number | undefined) => {
    const text = messageText(message);
    return originalTexts(text, count)?.map((original) => original.trim()) ?? [text];
  };
  return messages.slice(Math.max(0, known)).flatMap((message) => {
    if (message.role === 'user') return message.id === after ? [] : textsOf(message, message.metadata?.messageCount);
    return message.parts.flatMap((part) =>
      part.type === 'steering-message' ? textsOf({ ...message, parts: part.parts }, countOfPart(part.parts)) : [],
    );
  });
}
