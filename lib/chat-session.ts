import { Chat } from '@ai-sdk/react';
import { ApiError } from '#lib/api-error';
import { api } from '#lib/api-client';
import type { QueuedReceipt } from '#lib/api-client';
import { messageText } from '#lib/chat-message';
import type { ChatMessage } from '#lib/chat-message';
import { ThroughlineTransport } from '#lib/chat-transport';
import { connection } from '#lib/connection';
import type { ContextUsage, PruneData, QueueData } from '#server/core/events';

export interface QueueItem {
  readonly id: string;
  readonly text: string;
}

/** A message that the server never accepted. */
export interface FailedSend {
  readonly messageId: string;
  readonly reason: string;
  readonly modelId: string | undefined;
}

/** Everything about a conversation that is not in its messages. */
export interface ChatSessionState {
  readonly load: 'loading' | 'ready' | 'failed' | 'missing';
  readonly queue: readonly QueueItem[];
  readonly failedSends: readonly FailedSend[];
  /** Epoch ms since when a summary asked for by hand is being made; null when none is. */
  readonly compactingSince: number | null;
  readonly lastPrune: PruneData | null;
}

/** What a conversation tells the rest of the interface. */
export interface ChatSessionEvents {
  onContext(sessionId: string, usage: ContextUsage): void;
  /** A turn has ended or the stored state may have changed otherwise. */
  onSettled(sessionId: string): void;
}

/**
 * How often, and how many ms apart, we look for the turn of a queued message, or for the rest of an answer whose turn
 * has just ended: longer than the server takes to settle a turn whose process died.
 */
const FOLLOW_ATTEMPTS = 24;
const FOLLOW_PAUSE = 250;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One conversation, independent of any component: it goes on streaming while another one is on screen. Sends,
 * queues while a turn runs, follows the turns of queued messages, and finds its way back after the server was gone.
 */
export class ChatSession {
  readonly id: string;
  readonly chat: Chat<ChatMessage>;
  readonly #events: ChatSessionEvents;
  readonly #listeners = new Set<() => void>();
  #state: ChatSessionState = {
    load: 'loading',
    queue: [],
    failedSends: [],
    compactingSince: null,
    lastPrune: null,
  };
  /** A stream was cut off by a lost connection and has to be picked up again. */
  #disconnected = false;
  #following = false;
  #opening: Promise<void> | null = null;
  /** How many requests the transcript had when a message was queued, by queue id: it comes up behind them. */
  readonly #queuedAfter = new Map<string, number>();
  /** The transcript was loaded just now; following a turn need not load it again. */
  #isFresh = false;

  constructor(id: string, events: ChatSessionEvents) {
    this.id = id;
    this.#events = events;
    this.chat = new Chat<ChatMessage>({
      id,
      transport: new ThroughlineTransport({
        onQueued: (receipt, message) => this.#moveToQueue(receipt, message),
        beforeFollow: () => this.#beforeFollow(),
      }),
      onData: (part) => this.#onData(part),
      onError: (error) => this.#onError(error),
    });
    connection.subscribe(() => {
      if (connection.state === 'online') void this.#recover();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = (): ChatSessionState => this.#state;

  /** A turn runs (as far as this browser follows it). */
  get isRunning(): boolean {
    return this.chat.status === 'submitted' || this.chat.status === 'streaming';
  }

  /** Shows a conversation that was created just now: there is nothing to load. */
  startEmpty(): void {
    this.#update({ load: 'ready' });
  }

  /** Loads the stored messages and follows the turn that may be running. */
  async open(): Promise<void> {
    if (this.isRunning) return;
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    await this.#opening;
  }

  async #open(): Promise<void> {
    try {
      await this.#loadMessages();
    } catch (error) {
      if (this.#state.load !== 'ready') this.#update({ load: isMissing(error) ? 'missing' : 'failed' });
      return;
    }
    this.#isFresh = true;
    await this.#afterTurn();
    this.#isFresh = false;
  }

  /** Sends now, or queues while a turn runs. Rejects only when queueing failed; the text is then still the caller's. */
  async send(text: string, modelId: string | undefined): Promise<void> {
    const message: ChatMessage = {
      id: crypto.randomUUID(),
      role: 'user',
      parts: [{ type: 'text', text }],
      metadata: { createdAt: Date.now() },
    };
    if (this.isRunning) await this.#enqueue(message, modelId);
    else await this.#sendNow(message, modelId);
  }

  /** Sends a message that was not accepted once more, under the same idempotency key. */
  async resend(messageId: string): Promise<void> {
    const failed = this.#state.failedSends.find((candidate) => candidate.messageId === messageId);
    const message = this.chat.messages.find(({ id }) => id === messageId);
    if (!failed || !message || this.isRunning) return;
    this.discard(messageId);
    await this.#sendNow(message, failed.modelId);
  }

  /** Takes a message that was not accepted out of the transcript. */
  discard(messageId: string): void {
    this.chat.messages = this.chat.messages.filter(({ id }) => id !== messageId);
    this.chat.clearError();
    this.#update({ failedSends: this.#state.failedSends.filter((failed) => failed.messageId !== messageId) });
  }

  /** Summarizes older messages now. Resolves to false when there is nothing to summarize; throws ApiError. */
  async compact(): Promise<boolean> {
    this.#update({ compactingSince: Date.now() });
    try {
      const outcome = await api.compact(this.id);
      if (outcome.status === 'skipped') return false;
      await this.#loadMessages();
      return true;
    } finally {
      this.#update({ compactingSince: null });
      this.#events.onSettled(this.id);
    }
  }

  async #sendNow(message: ChatMessage, modelId: string | undefined): Promise<void> {
    await this.chat.sendMessage(message, { body: modelId === undefined ? {} : { modelId } });
    if (this.chat.status === 'error' && this.chat.error instanceof ApiError && !this.#disconnected) {
      const failed = { messageId: message.id, reason: this.chat.error.message, modelId };
      this.#update({ failedSends: [...this.#state.failedSends, failed] });
      return;
    }
    await this.#afterTurn();
  }

  async #enqueue(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const response = await api.chat({ id: this.id, message, modelId, clientRequestId: message.id });
    if (response.status === 202) {
      this.#addToQueue((await response.json()) as QueuedReceipt, message);
      return;
    }
    // The running turn had ended meanwhile and this message started the next one, which is followed from its start.
    await response.body?.cancel();
    this.#addToQueue({ queued: true, position: 1, id: message.id }, message);
    if (!this.isRunning) await this.#afterTurn();
  }

  #moveToQueue(receipt: QueuedReceipt, message: ChatMessage): void {
    this.chat.messages = this.chat.messages.filter(({ id }) => id !== message.id);
    this.#addToQueue(receipt, message);
  }

  #addToQueue(receipt: QueuedReceipt, message: ChatMessage): void {
    if (this.#state.queue.some(({ id }) => id === receipt.id)) return;
    this.#queuedAfter.set(receipt.id, requestsOf(this.chat.messages.filter((sent) => !this.#isUnsent(sent))).length);
    this.#update({ queue: [...this.#state.queue, { id: receipt.id, text: messageText(message) }] });
  }

  /** Follows the turns that come after the one that ended (queued here or elsewhere) until there is none. */
  async #afterTurn(): Promise<void> {
    if (this.#following) return;
    this.#following = true;
    try {
      await this.#followWhileTurnsRun();
    } catch {
      // The stored transcript is loaded again when the connection is back or the conversation is opened next.
    } finally {
      this.#following = false;
      this.#events.onSettled(this.id);
    }
  }

  async #followWhileTurnsRun(): Promise<void> {
    for (let misses = 0; misses < FOLLOW_ATTEMPTS;) {
      if (this.#disconnected) return;
      // A failed turn is kept in the transcript; it must not hold up the ones that wait behind it.
      if (this.chat.status === 'error' && this.#state.queue.length === 0) return;
      const hasTurn = await api.hasRunningTurn(this.id);
      // The user was faster: what they sent follows up by itself when it has ended.
      if (this.isRunning) return;
      if (hasTurn) {
        await this.chat.resumeStream();
        continue;
      }
      if (this.#state.queue.length === 0 && !this.#isUnfinished(misses)) return;
      misses += 1;
      await pause(FOLLOW_PAUSE);
      if (!this.isRunning) await this.#loadMessages();
    }
  }

  /** The transcript was loaded in mid-turn, and the turn may have ended before it could be followed. */
  #isUnfinished(misses: number): boolean {
    const last = this.chat.messages.at(-1);
    if (!last || this.#isUnsent(last)) return false;
    // A request without an answer may also be all there is: that is worth one more look, not more.
    return last.metadata?.status === 'streaming' || (last.role === 'user' && misses === 0);
  }

  async #beforeFollow(): Promise<void> {
    if (!this.#isFresh) await this.#loadMessages();
    this.#isFresh = false;
  }

  /** Replaces the transcript by the stored one; messages that were never accepted stay at its end. */
  async #loadMessages(): Promise<void> {
    const stored: ChatMessage[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: readonly ChatMessage[]; nextCursor: string | null } = await api.readMessages(
        this.id,
        cursor,
      );
      stored.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    this.chat.messages = [...stored, ...this.chat.messages.filter((message) => this.#isUnsent(message))];
    this.#update({ load: 'ready', queue: this.#stillWaiting(requestsOf(stored)) });
  }

  /** Queued messages that are not among the stored requests yet; the server takes them up in their order. */
  #stillWaiting(requests: readonly string[]): QueueItem[] {
    let next = 0;
    return this.#state.queue.filter(({ id, text }) => {
      const from = Math.max(next, this.#queuedAfter.get(id) ?? 0);
      const index = requests.findIndex((request, at) => at >= from && request.includes(text));
      if (index === -1) return true;
      // A request that says more than this may hold the next one too.
      next = requests[index] === text ? index + 1 : index;
      return false;
    });
  }

  #isUnsent({ id }: ChatMessage): boolean {
    return this.#state.failedSends.some((failed) => failed.messageId === id);
  }

  async #recover(): Promise<void> {
    const wasDisconnected = this.#disconnected;
    this.#disconnected = false;
    if (!wasDisconnected && this.#state.load === 'ready') return;
    if (wasDisconnected) this.chat.clearError();
    await this.open();
  }

  #onError(error: Error): void {
    // A TypeError is a stream that broke off; an ApiError says that the request was not accepted.
    if (!(error instanceof TypeError)) return;
    this.#disconnected = true;
    connection.reportLost();
  }

  #onData(part: { readonly type: string; readonly data: unknown }): void {
    if (part.type === 'data-context') this.#events.onContext(this.id, part.data as ContextUsage);
    if (part.type === 'data-queue') this.#update({ queue: (part.data as QueueData).items });
    if (part.type === 'data-prune') this.#update({ lastPrune: part.data as PruneData });
  }

  #update(change: Partial<ChatSessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** What the user said, oldest first. */
function requestsOf(messages: readonly ChatMessage[]): string[] {
  return messages.filter(({ role }) => role === 'user').map(messageText);
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
