import type { Chat } from '@ai-sdk/react';
import { api } from '#lib/api-client';
import type { Page } from '#lib/api-client';
import type { ChatMessage } from '#lib/chat-message';

async function readAll(sessionId: string): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<ChatMessage> = await api.readMessages(sessionId, cursor);
    messages.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return messages;
}

/** `next` with the very objects of `shown` where nothing has changed, so that these are not drawn again. */
function keepUnchanged(shown: readonly ChatMessage[], next: readonly ChatMessage[]): ChatMessage[] {
  const known = new Map(shown.map((message) => [message.id, message]));
  return next.map((message) => {
    const old = known.get(message.id);
    return old && JSON.stringify(old) === JSON.stringify(message) ? old : message;
  });
}

/** The messages of a conversation as they are stored, and what of them is not on screen yet. */
export class ChatTranscript {
  readonly #chat: Chat<ChatMessage>;
  /** Messages that the server never accepted: they stay at the end. */
  readonly #isUnsent: (message: ChatMessage) => boolean;
  #isStale = false;
  /** Turns that were told of; each has to be in the transcript when nothing runs any more. */
  readonly #announced = new Set<string>();
  /** Counts what changes the transcript as a whole: a loading that was overtaken is void. */
  #version = 0;

  constructor(chat: Chat<ChatMessage>, isUnsent: (message: ChatMessage) => boolean) {
    this.#chat = chat;
    this.#isUnsent = isUnsent;
  }

  /** Something is stored that is not shown. */
  get isBehind(): boolean {
    for (const turnId of this.#announced) if (this.#shows(turnId)) this.#announced.delete(turnId);
    return this.#isStale || this.#announced.size > 0;
  }

  /** The newest answer is not complete: it was loaded while its turn ran. */
  get hasOpenAnswer(): boolean {
    return this.#chat.messages.at(-1)?.metadata?.status === 'streaming';
  }

  /** The newest request has no answer (yet). */
  get hasOpenRequest(): boolean {
    const last = this.#chat.messages.at(-1);
    return last?.role === 'user' && !this.#isUnsent(last);
  }

  /** A turn was told of, begun or ended. */
  announce(turnId: string): void {
    this.#announced.add(turnId);
  }

  /** What is stored has changed otherwise. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Something is shown that what is being loaded does not know. */
  overtake(): void {
    this.#version += 1;
  }

  /** Replaces what is shown by what is stored. Resolves to false when it was overtaken. @throws ApiError */
  async load(): Promise<boolean> {
    this.#version += 1;
    const version = this.#version;
    const announced = [...this.#announced];
    this.#isStale = false;
    const stored = await readAll(this.#chat.id).catch((error: unknown) => {
      this.#isStale = true;
      throw error;
    });
    if (this.#version !== version) {
      this.#isStale = true;
      return false;
    }
    for (const turnId of announced) this.#announced.delete(turnId);
    const shown = this.#chat.messages;
    const next = [...keepUnchanged(shown, stored), ...shown.filter(this.#isUnsent)];
    const isSame = next.length === shown.length && next.every((message, at) => message === shown[at]);
    if (!isSame) this.#chat.messages = next;
    return true;
  }

  #shows(turnId: string): boolean {
    const answer = this.#chat.messages.findLast(({ role, metadata }) => role !== 'user' && metadata?.turnId === turnId);
    return answer !== undefined && answer.metadata?.status !== 'streaming';
  }
}
