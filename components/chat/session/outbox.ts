import type { ApiError } from '#components/api/api-error.ts';
import {
  type ChatFile,
  type ChatMessage,
  countOfPart,
  isStored,
  messageText,
  originalTexts,
} from '#components/api/chat-message.ts';
import type { ChatSessionStore } from '#components/chat/session/chat-session-state.ts';
import {
  keepSent,
  returnedTexts,
  returnToDraft,
  settleSent,
  takeDraft,
  takeReturnedId,
} from '#components/chat/session/drafts.ts';

interface OutboxOptions {
  readonly sessionId: string;
  readonly state: ChatSessionStore;
  /** The messages that the server has, as far as loaded, and the one that is being sent. */
  readonly messages: () => readonly ChatMessage[];
  /** Sends a message again; one that fails again is passed to `fail`. */
  readonly send: (message: ChatMessage, modelId: string | undefined) => Promise<void>;
}

/**
 * The messages of a conversation that the server has not accepted yet. Each keeps one idempotency key, and the browser
 * stores its text, so that a reload does not lose it.
 */
export class Outbox {
  readonly #options: OutboxOptions;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Creates a message; a text that an earlier page sent without seeing a response keeps its idempotency key. */
  compose(text: string, files: readonly ChatFile[]): ChatMessage {
    const message: ChatMessage = {
      id: takeReturnedId(this.#options.sessionId, text) ?? crypto.randomUUID(),
      role: 'user',
      parts: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files],
      metadata: { createdAt: Date.now() },
    };
    this.#keep(message);
    return message;
  }

  /** Shows a message at the end of the transcript, with the reason why it was not accepted. */
  fail(message: ChatMessage, modelId: string | undefined, { status, code, message: reason }: ApiError): void {
    const { sessionId, state } = this.#options;
    // The user declined to sign in again: the text returns to the field.
    if (status === 401) {
      settleSent(sessionId, message.id);
      return returnToDraft(sessionId, messageText(message));
    }
    const failed = { message, reason, modelId, isOffline: code === 'network' };
    state.update({ failedSends: [...state.current.failedSends, failed] });
    this.settleAccepted();
  }

  /** Gives up what the server has received after all, although its response was lost. */
  settleAccepted(): void {
    const { state, messages } = this.#options;
    if (state.current.failedSends.length === 0) return;
    const accepted = new Set(messages().flatMap(({ metadata }) => metadata?.clientRequestIds ?? []));
    for (const { message } of state.current.failedSends) if (accepted.has(message.id)) this.discard(message.id);
  }

  /** Sends a message again, with its idempotency key. Resolves when it was accepted and its answer has ended. */
  async resend(messageId: string): Promise<void> {
    const failed = this.#find(messageId);
    if (!failed) return;
    this.#remove(messageId);
    await this.#options.send(failed.message, failed.modelId);
  }

  /** Sends, in order, the messages that failed while the server was unreachable. */
  resendOffline(): void {
    const { failedSends } = this.#options.state.current;
    for (const { message, isOffline } of failedSends) if (isOffline) void this.resend(message.id);
  }

  /** Puts the text of a message that was not accepted back into the field. */
  takeBack(messageId: string): void {
    const failed = this.#find(messageId);
    this.discard(messageId);
    if (failed) returnToDraft(this.#options.sessionId, messageText(failed.message));
  }

  /** Gives up a message that was not accepted. */
  discard(messageId: string): void {
    settleSent(this.#options.sessionId, messageId);
    this.#remove(messageId);
  }

  /** Removes from the field what an earlier page sent without seeing a response, if the server did receive it. */
  settleReturned(): void {
    const { sessionId, state, messages } = this.#options;
    for (const { id, text, after } of returnedTexts(sessionId)) {
      const isQueued = state.current.queue.items.some((item) => item.text === text);
      if (!isQueued && !wordsSince(messages(), after).includes(text)) continue;
      takeDraft(sessionId, text);
      settleSent(sessionId, id);
    }
  }

  #find(messageId: string) {
    return this.#options.state.current.failedSends.find(({ message }) => message.id === messageId);
  }

  #remove(messageId: string): void {
    const { state } = this.#options;
    state.update({ failedSends: state.current.failedSends.filter(({ message }) => message.id !== messageId) });
  }

  /** Stores the text beyond this page until the server has responded. */
  #keep(message: ChatMessage): void {
    const text = messageText(message);
    const after = this.#options.messages().findLast(isStored)?.id ?? '';
    if (text !== '') keepSent(this.#options.sessionId, { id: message.id, text, after });
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
