import type { Chat } from '@ai-sdk/react';
import type { Mutex } from 'async-mutex';
import { api } from '#components/api/api-client.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { newestTurn, partsToSend } from '#components/chat/parts/newest-turn.ts';
import { type ChatSessionStore, isRunning } from '#components/chat/session/chat-session-state.ts';
import { here } from '#components/workspace/current-view.ts';

/** Edits the newest request of a conversation, and sends it again. */
export class NewestRequest {
  readonly #chat: Chat<ChatMessage>;
  readonly #state: ChatSessionStore;
  readonly #inOrder: Mutex;

  /** @param inOrder locked while a request that changes the conversation waits for its response */
  constructor(chat: Chat<ChatMessage>, state: ChatSessionStore, inOrder: Mutex) {
    this.#chat = chat;
    this.#state = state;
    this.#inOrder = inOrder;
  }

  /** Opens the request for editing, if it can be sent again now. */
  edit(): void {
    const request = this.#state.current.isReplacing ? undefined : this.#message;
    if (request) this.#state.update({ editing: request.id });
  }

  /** Closes what `edit` opened. */
  endEdit(): void {
    this.#state.update({ editing: null });
  }

  /**
   * Sends the request again. Resolves as `replace` does, and to false while it is being edited.
   * @throws ApiError, with nothing changed
   */
  async retry(modelId: string | undefined, undoChanges: boolean): Promise<boolean> {
    const request = this.#message;
    // The edit would be lost.
    if (!request || this.#state.current.editing === request.id) return false;
    return this.replace(request.id, partsToSend(request), modelId, undoChanges);
  }

  /**
   * Sends a replacement for the request; its answer is removed too. Resolves to true when the transcript shows it, or to
   * false, without sending, while another replacement is being sent.
   * @param undoChanges true: first undo the answer's changes to the site; if one cannot be undone, nothing is sent
   * @throws ApiError, with nothing changed
   */
  async replace(
    messageId: string,
    parts: ChatMessage['parts'],
    modelId: string | undefined,
    undoChanges: boolean,
  ): Promise<boolean> {
    if (this.#state.current.isReplacing) return false;
    const message: ChatMessage = { id: crypto.randomUUID(), role: 'user', parts };
    const replaces = { messageId, undoChanges };
    const request = { id: this.#chat.id, message, here: here(), modelId, clientRequestId: message.id, replaces };
    this.#state.update({ isReplacing: true });
    try {
      const answer = await this.#inOrder.runExclusive(() => api.chat(request));
      // The feed reports the replacement, and its turn is followed like one that was started elsewhere.
      await answer.body?.cancel();
      await this.#state.until(() => !this.#chat.messages.some(({ id }) => id === messageId));
      this.#state.update({ editing: null });
      return true;
    } finally {
      this.#state.update({ isReplacing: false });
    }
  }

  /** Undefined while a turn runs. */
  get #message(): ChatMessage | undefined {
    return isRunning(this.#state.current) ? undefined : newestTurn(this.#chat.messages)?.request;
  }
}
