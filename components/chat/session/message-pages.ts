import type { Chat } from '@ai-sdk/react';
import { api } from '#components/api/api-client.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';
import type { ChatSessionState, ChatSessionStore } from '#components/chat/session/chat-session-state.ts';
import { findPlace, type MessagePlace } from '#components/chat/session/fold-transcript.ts';

/** Messages per request for earlier ones. */
const EARLIER = 100;
/** The same while the user waits for a message; limit of the server. */
const MOST = 1_000;

/** Loads the messages before those that the snapshot of the feed contains. */
export class MessagePages {
  readonly #chat: Chat<ChatMessage>;
  readonly #state: ChatSessionStore;

  constructor(chat: Chat<ChatMessage>, state: ChatSessionStore) {
    this.#chat = chat;
    this.#state = state;
  }

  /** Loads the messages before the first one displayed; a failure becomes part of the state. */
  async loadEarlier(): Promise<void> {
    if (this.#state.current.earlier !== 'loading') await this.#load(EARLIER).catch(() => undefined);
  }

  /**
   * Loads as many messages as needed to show one, and scrolls to it once the conversation is on screen. False if it does
   * not exist. @throws ApiError
   */
  async reach(place: MessagePlace): Promise<boolean> {
    await this.#state.until(({ load }) => load === 'ready' || load === 'missing');
    const isMissing = () => findPlace(this.#chat.messages, place) === undefined;
    while (isMissing() && this.#state.current.nextCursor !== null) {
      await this.#state.until(({ earlier }) => earlier !== 'loading');
      if (isMissing()) await this.#load(MOST);
    }
    const row = findPlace(this.#chat.messages, place)?.id;
    if (row !== undefined) this.#state.update({ wanted: { row } });
    return row !== undefined;
  }

  /** Scrolls to the newest line of the conversation, and follows new ones. */
  showNewest(): void {
    this.#state.update({ wanted: { row: null } });
  }

  /** The requested message is in view; the request ends, so that a later visit does not scroll to it again. */
  endReach(wanted: ChatSessionState['wanted']): void {
    if (this.#state.current.wanted === wanted) this.#state.update({ wanted: null });
  }

  /** Called when the messages were loaded again. */
  noteSnapshot(): void {
    const { earlier, openedAtMessage } = this.#state.current;
    this.#state.update({
      openedAtMessage: openedAtMessage ?? this.#chat.messages[0]?.id ?? null,
      earlier: earlier === 'loading' ? earlier : this.#earlier,
    });
  }

  async #load(limit: number): Promise<void> {
    const { nextCursor: cursor } = this.#state.current;
    if (cursor === null) return;
    this.#state.update({ earlier: 'loading' });
    try {
      const { items, nextCursor } = await api.readMessages(this.#chat.id, { cursor, limit });
      // Otherwise the transcript was loaded again during the request, and may begin elsewhere.
      if (this.#state.current.nextCursor === cursor) {
        this.#chat.messages = [...items, ...this.#chat.messages];
        this.#state.update({ nextCursor });
      }
      this.#state.update({ earlier: this.#earlier });
    } catch (error) {
      this.#state.update({ earlier: 'failed' });
      throw error;
    }
  }

  get #earlier(): 'none' | 'there' {
    return this.#state.current.nextCursor === null ? 'none' : 'there';
  }
}
