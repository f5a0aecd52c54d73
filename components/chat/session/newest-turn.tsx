import type { ChatMessage, ChatPart } from '#components/api/chat-message';
import type { LiveChat } from '#components/chat/session/live-chat';
import type { ChatSessionStore } from '#components/chat/session/chat-session-state';
import type { Outbox } from '#components/chat/session/outbox';
import { countWrites } from '#components/chat/session/tool-entry';

/** The end of a conversation that can be sent anew. */
interface NewestTurn {
  readonly request: ChatMessage;
  /** The message that it can be asked again at: its answer, or itself where it has none. */
  readonly lastId: string;
  /** Number of changes the answer made to the site. */
  readonly changes: number;
  /** False: sent from here and not loaded since, its id is not the stored one. */
  readonly isStored: boolean;
}

/** Null when nothing was asked yet, or something in the request cannot be sent twice. */
export function newestTurn(messages: readonly ChatMessage[]): NewestTurn | null {
  const index = messages.findLastIndex(({ role }) => role === 'user');
  const request = messages[index];
  if (!request || partsToSend(request).length < request.parts.length) return null;
  const turn = messages.slice(index);
  return {
    request,
    lastId: turn.at(-1)!.id,
    changes: turn.reduce((sum, message) => sum + countWrites(message), 0),
    isStored: request.id.startsWith('msg_'),
  };
}

/** Parts of a message that can be sent again: text and stored files. */
export function partsToSend({ parts }: ChatMessage): ChatMessage['parts'] {
  return parts.filter((part) => part.type === 'text' || isAttachment(part));
}

function isAttachment(part: ChatPart): boolean {
  return part.type === 'file' && 'url' in part && part.url.startsWith('/api/attachments/');
}

interface NewestRequestEffects {
  /** Loads the stored messages. @throws ApiError */
  readonly load: () => Promise<void>;
  /** Something was sent in the request's place. */
  readonly onSent: () => void;
}

/** The newest request of a conversation, which can be changed or asked again in its place. */
export class NewestRequest {
  readonly #chat: LiveChat;
  readonly #state: ChatSessionStore;
  readonly #outbox: Outbox;
  readonly #effects: NewestRequestEffects;

  constructor(chat: LiveChat, state: ChatSessionStore, outbox: Outbox, effects: NewestRequestEffects) {
    this.#chat = chat;
    this.#state = state;
    this.#outbox = outbox;
    this.#effects = effects;
  }

  /** Opens it for a change, if it can be sent anew. @throws ApiError */
  async edit(): Promise<void> {
    const request = await this.#stored();
    if (request && !this.#state.current.isReplacing) this.#state.update({ editing: request.id });
  }

  /** Closes what `edit` opened. */
  endEdit(): void {
    this.#state.update({ editing: null });
  }

  /**
   * Asks it again. Resolves as `replace` does, and to false while it is open for a change.
   * @throws ApiError, with nothing changed
   */
  async retry(modelId: string | undefined, undoChanges: boolean): Promise<boolean> {
    const request = await this.#stored();
    // What is being written in its place would be lost.
    if (!request || this.#state.current.editing === request.id) return false;
    return this.replace(request.id, partsToSend(request), modelId, undoChanges);
  }

  /**
   * Sends something in its place, which must be a stored one; see `Outbox.replace`. Resolves to true when the transcript
   * shows it.
   * @param undoChanges undo what the answer did to the site, or send nothing
   */
  async replace(
    messageId: string,
    parts: ChatMessage['parts'],
    modelId: string | undefined,
    undoChanges: boolean,
  ): Promise<boolean> {
    if (!(await this.#outbox.replace(messageId, parts, modelId, undoChanges))) return false;
    if (!this.#chat.isRunning) await this.#effects.load().catch(() => undefined);
    this.#effects.onSent();
    return true;
  }

  /** With its stored id; a message sent from here has its own id until it is loaded. Null: it cannot be sent again now. */
  async #stored(): Promise<ChatMessage | null> {
    if (this.#chat.isRunning) return null;
    if (newestTurn(this.#chat.messages)?.isStored === false) await this.#effects.load();
    const turn = newestTurn(this.#chat.messages);
    return turn?.isStored ? turn.request : null;
  }
}
