import type { Mutex } from 'async-mutex';
import { api } from '#components/api/api-client';
import { ApiError } from '#components/api/api-error';
import { type ChatFile, type ChatMessage, countOfPart, messageText, originalTexts } from '#components/api/chat-message';
import type { ChatSessionStore } from '#components/chat/session/chat-session-state';
import { here } from '#components/desk/here';
import type { QueuedReceipt } from '#server/core/turns';
import type { ChatTranscript } from '#components/chat/session/chat-transcript';
import type { LiveChat } from '#components/chat/session/live-chat';
import {
  keepSent,
  returnedTexts,
  returnToDraft,
  settleSent,
  takeDraft,
  takeReturnedId,
} from '#components/chat/session/drafts';
import type { SessionQueue } from '#components/chat/session/session-queue';

interface OutboxParts {
  readonly chat: LiveChat;
  readonly state: ChatSessionStore;
  readonly queue: SessionQueue;
  readonly transcript: ChatTranscript;
  /** Held while something is said to the server that a message must not overtake. */
  readonly inOrder: Mutex;
}

/**
 * The messages of a conversation on their way to the server. Each has one idempotency key until it is answered, and its
 * words outlive the page.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #sessionId: string;
  /** Version of the queue when the newest message left. */
  #queueVersion = 0;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#sessionId = parts.chat.id;
  }

  /** A message of these words and files; the same that could not be sent before has its idempotency key again. */
  compose(text: string, files: readonly ChatFile[]): ChatMessage {
    const content = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files];
    const message = this.#parts.queue.takeGivenBack(content) ?? {
      id: takeReturnedId(this.#sessionId, text) ?? crypto.randomUUID(),
      role: 'user',
      parts: content,
      metadata: { createdAt: Date.now() },
    };
    this.#keep(message);
    return message;
  }

  /** Sends a message that starts a turn. Resolves to false when the server did not accept it. */
  async send(message: ChatMessage, modelId: string | undefined): Promise<boolean> {
    const { chat, queue, transcript } = this.#parts;
    transcript.overtake();
    this.#queueVersion = queue.version;
    // As it is at this moment: what sends may have to be fetched, and what was chosen goes with one message only.
    await chat.sendMessage(message, { body: { here: here(), ...(modelId !== undefined && { modelId }) } });
    // What went wrong by then is of the turn that it waits for.
    if (chat.acceptedId === message.id) return true;
    if (chat.status !== 'error' || !(chat.error instanceof ApiError)) return true;
    return this.#refuse(message, modelId, chat.error);
  }

  /** Says at a message that is in the transcript why it could not be sent. */
  #refuse(message: ChatMessage, modelId: string | undefined, { status, code, message: reason }: ApiError): false {
    const { state } = this.#parts;
    // Who was asked to sign in again would not: its words are theirs again.
    if (status === 401) {
      this.takeBack(message.id);
      return false;
    }
    const failed = { messageId: message.id, reason, modelId, isOffline: code === 'network' };
    state.update({ failedSends: [...state.current.failedSends, failed] });
    return false;
  }

  /** Adds a message to the queue, after the one on its way. @throws ApiError */
  async enqueue(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const { inOrder, queue, transcript } = this.#parts;
    const request = { sessionId: this.#sessionId, message, here: here(), modelId, clientRequestId: message.id };
    const receipt = await inOrder
      .runExclusive(async () => {
        await this.#parts.chat.accepted;
        return queue.add(request);
      })
      // Taken, or its writer's again.
      .finally(() => settleSent(this.#sessionId, message.id));
    if (!receipt.queued) transcript.markStale();
  }

  /** Moves a message to the queue that the server queued though it was to start a turn. */
  moveToQueue(receipt: QueuedReceipt, message: ChatMessage): void {
    this.#takeOut(message.id);
    this.#parts.queue.noteQueued(receipt.id, message, this.#queueVersion);
  }

  /**
   * Sends a message that was not accepted again, under its idempotency key, or puts it in line behind the turn that runs.
   * Resolves as `send`.
   */
  async resend(messageId: string, inLine = false): Promise<boolean> {
    const { chat, state, queue } = this.#parts;
    const failed = state.current.failedSends.find((candidate) => candidate.messageId === messageId);
    const message = chat.messages.find(({ id }) => id === messageId);
    if (!failed || !message) return false;
    this.discard(messageId);
    this.#keep(message);
    if (!inLine) return this.send(message, failed.modelId);
    try {
      await this.enqueue(message, failed.modelId);
      return true;
    } catch (error) {
      // Here again, with its files: the same words written once more are another message.
      queue.takeGivenBack([]);
      chat.messages = [...chat.messages, message];
      this.#keep(message);
      return this.#refuse(message, failed.modelId, error as ApiError);
    }
  }

  /**
   * Sends what could not be sent while the server was gone: the first as it is, where nothing runs, and the others in
   * line behind it. Resolves as `send`.
   */
  async sendOffline(isRunning: boolean): Promise<boolean> {
    const waiting = this.#parts.state.current.failedSends.filter(({ isOffline }) => isOffline);
    const first = isRunning ? undefined : waiting.shift();
    const sent = first && this.resend(first.messageId);
    let isTaken = false;
    for (const { messageId } of waiting) isTaken = (await this.resend(messageId, true)) || isTaken;
    return sent ?? isTaken;
  }

  /** Takes a message that was not accepted out of the transcript, its words back into the field. */
  takeBack(messageId: string): void {
    const message = this.#parts.chat.messages.find(({ id }) => id === messageId);
    this.discard(messageId);
    if (message) returnToDraft(this.#sessionId, messageText(message));
  }

  /** Removes a message that was not accepted from the transcript. */
  discard(messageId: string): void {
    const { chat, state } = this.#parts;
    settleSent(this.#sessionId, messageId);
    this.#takeOut(messageId);
    chat.clearError();
    state.update({ failedSends: state.current.failedSends.filter((failed) => failed.messageId !== messageId) });
  }

  /**
   * Sends something in the place of the stored message `messageId`, whose answer goes with it. Resolves to false, with
   * nothing sent, while another message is on its way there. @throws ApiError, with nothing changed
   */
  async replace(
    messageId: string,
    parts: ChatMessage['parts'],
    modelId: string | undefined,
    undoChanges: boolean,
  ): Promise<boolean> {
    const { chat, state, transcript, inOrder } = this.#parts;
    if (state.current.isReplacing) return false;
    const message: ChatMessage = { id: crypto.randomUUID(), role: 'user', parts };
    const replaces = { messageId, undoChanges };
    const request = { id: this.#sessionId, message, here: here(), modelId, clientRequestId: message.id, replaces };
    state.update({ isReplacing: true });
    try {
      const answer = await inOrder.runExclusive(() => api.chat(request));
      // It is followed like one that was started elsewhere: then every message has the id that it is stored with.
      await answer.body?.cancel();
      state.update({ editing: null });
    } finally {
      state.update({ isReplacing: false });
    }
    chat.clearError();
    transcript.markStale();
    return true;
  }

  /** True for a message that the server did not accept. */
  isUnsent({ id }: ChatMessage): boolean {
    return this.#parts.state.current.failedSends.some((failed) => failed.messageId === id);
  }

  /** Removes words from the field that an earlier page sent and that the server turns out to have. */
  settleReturned(): void {
    const { chat, state } = this.#parts;
    for (const { id, text, after } of returnedTexts(this.#sessionId)) {
      const isQueued = state.current.queue.items.some((item) => item.text === text);
      if (!isQueued && !wordsSince(chat.messages, after).includes(text)) continue;
      takeDraft(this.#sessionId, text);
      settleSent(this.#sessionId, id);
    }
  }

  /** Keeps the words beyond this page until the server has answered. */
  #keep(message: ChatMessage): void {
    const text = messageText(message);
    const after = this.#parts.chat.messages.findLast(({ id }) => id.startsWith('msg_'))?.id ?? '';
    if (text !== '') keepSent(this.#sessionId, { id: message.id, text, after });
  }

  #takeOut(messageId: string): void {
    const { chat } = this.#parts;
    chat.messages = chat.messages.filter(({ id }) => id !== messageId);
  }
}

/**
 * User texts after the message `after` (from the start where it is not there), also in the middle of it; those that the
 * server joined are apart again.
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
