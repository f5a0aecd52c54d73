import { Chat } from '@ai-sdk/react';
import { ApiError } from '#lib/api-error';
import { api } from '#lib/api-client';
import type { QueuedReceipt } from '#lib/api-client';
import { asksForApproval } from '#lib/chat-message';
import type { ChatMessage } from '#lib/chat-message';
import { ChatTranscript } from '#lib/chat-transcript';
import { ThroughlineTransport } from '#lib/chat-transport';
import { connection } from '#lib/connection';
import { SessionQueue } from '#lib/session-queue';
import type { FollowedEvent } from '#lib/follow-events';
import type { ContextUsage, PruneData, QueueData } from '#server/core/events';
import type { ApprovalDecision } from '#server/core/turns';

/** A message that the server never accepted. */
export interface FailedSend {
  readonly messageId: string;
  readonly reason: string;
  readonly modelId: string | undefined;
}

/** Everything about a conversation that is not in its messages. */
export interface ChatSessionState {
  readonly load: 'loading' | 'ready' | 'failed' | 'missing';
  readonly queue: QueueData;
  /** The user has stopped the running turn here; it has not ended yet. */
  readonly isStopping: boolean;
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
 * How often, and how many ms apart, we look for the rest of an answer that is stored as unfinished though nothing runs:
 * longer than the server takes to settle a turn whose process died.
 */
const FOLLOW_ATTEMPTS = 24;
const FOLLOW_PAUSE = 250;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One conversation, independent of any component: it goes on streaming while another one is on screen. Sends, queues
 * while a turn runs, stops it, follows turns that were started elsewhere, and finds its way back after the server was
 * gone. What it shows is what the server says; it guesses nothing.
 */
export class ChatSession {
  readonly id: string;
  readonly chat: Chat<ChatMessage>;
  readonly queue: SessionQueue;
  readonly #events: ChatSessionEvents;
  readonly #transport: ThroughlineTransport;
  readonly #transcript: ChatTranscript;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #state: ChatSessionState = {
    load: 'loading',
    queue: { items: [], held: false },
    isStopping: false,
    failedSends: [],
    compactingSince: null,
    lastPrune: null,
  };
  /** A stream was cut off by a lost connection and has to be picked up again. */
  #disconnected = false;
  #following = false;
  #opening: Promise<void> | null = null;
  /** Events arrive: they say first what the stream of a turn says too. */
  #isWatched = false;
  /** A summary is being made that was asked for here. */
  #isCompacting = false;
  /** The transcript was loaded just now; following the turn it shows need not load it again. */
  #isFresh = false;

  constructor(id: string, events: ChatSessionEvents) {
    this.id = id;
    this.#events = events;
    this.queue = new SessionQueue(id, (queue) => this.#update({ queue }));
    this.#transport = new ThroughlineTransport({
      onQueued: (receipt, message) => this.#moveToQueue(receipt, message),
      beforeFollow: () => this.#beforeFollow(),
    });
    this.chat = new Chat<ChatMessage>({
      id,
      transport: this.#transport,
      onData: (part) => this.#onData(part),
      onError: (error) => this.#onError(error),
      onFinish: () => this.#update({ isStopping: false }),
    });
    this.#transcript = new ChatTranscript(this.chat, (message) => this.#isUnsent(message));
    this.#unsubscribe = connection.subscribe(() => {
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

  /** It was deleted: it is not loaded again when the connection comes back. */
  close(): void {
    this.#unsubscribe();
    void this.chat.stop();
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

  /** Keeps in step with what happens elsewhere (another tab, another client) until the returned function is called. */
  watch(): () => void {
    const ending = new AbortController();
    api.events(this.id, {
      signal: ending.signal,
      onOpen: () => {
        this.#isWatched = true;
        this.#refreshQueue();
        void (this.#state.load === 'ready' ? this.#catchUp() : this.open());
      },
      onEvent: (event) => this.#onEvent(event),
    });
    return () => {
      this.#isWatched = false;
      ending.abort();
    };
  }

  /**
   * Sends now, or queues while a turn runs. Resolves when the text is taken or, where it may have been refused, is in the
   * transcript. Rejects with ApiError when it could not be queued; it is then still the caller's.
   */
  async send(text: string, modelId: string | undefined): Promise<void> {
    const message: ChatMessage = {
      id: crypto.randomUUID(),
      role: 'user',
      parts: [{ type: 'text', text }],
      metadata: { createdAt: Date.now() },
    };
    if (this.#isSimple()) void this.#sendNow(message, modelId);
    else await this.#enqueue(message, modelId);
  }

  /** Stops the running turn, wherever it was started; what was written is kept. @throws ApiError */
  async stop(): Promise<void> {
    if (!this.isRunning || this.#state.isStopping) return;
    this.#update({ isStopping: true });
    try {
      // A message that is still on its way would start its turn after the stop.
      await this.#transport.accepted;
      await api.cancel(this.id);
      if (!this.isRunning) this.#update({ isStopping: false });
    } catch (error) {
      this.#update({ isStopping: false });
      throw error;
    }
  }

  /** Lets calls run that wait for the user's word, or not. Resolves when the transcript shows it. @throws ApiError */
  async decide(decisions: readonly ApprovalDecision[]): Promise<void> {
    try {
      await api.decide(this.id, decisions);
    } finally {
      // Also when it was refused: somebody else may have decided.
      await this.#show();
    }
  }

  /** Puts a waiting message first in line, or sends it where nothing runs. @throws ApiError */
  async sendQueued(id: string): Promise<void> {
    if (await this.queue.sendOne(id)) await this.#show();
  }

  /** Sends what waits since a stop. @throws ApiError */
  async sendHeld(): Promise<void> {
    if (await this.queue.sendAll()) await this.#show();
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
    this.#isCompacting = true;
    this.#update({ compactingSince: Date.now() });
    try {
      const outcome = await api.compact(this.id);
      if (outcome.status === 'skipped') return false;
      await this.#loadMessages();
      return true;
    } finally {
      this.#isCompacting = false;
      this.#update({ compactingSince: null });
      this.#events.onSettled(this.id);
    }
  }

  /** What is sent starts a turn and changes nothing else: it can be shown before the server has answered. */
  #isSimple(): boolean {
    const isAsked = this.chat.messages.some(asksForApproval);
    return !this.isRunning && !isAsked && this.queue.isEmpty && this.#state.load === 'ready';
  }

  async #sendNow(message: ChatMessage, modelId: string | undefined): Promise<void> {
    this.#transcript.overtake();
    await this.chat.sendMessage(message, { body: modelId === undefined ? {} : { modelId } });
    if (this.chat.status === 'error' && this.chat.error instanceof ApiError && !this.#disconnected) {
      const failed = { messageId: message.id, reason: this.chat.error.message, modelId };
      this.#update({ failedSends: [...this.#state.failedSends, failed] });
      return;
    }
    await this.#catchUp();
  }

  async #enqueue(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const request = { sessionId: this.id, message, modelId, clientRequestId: message.id };
    const receipt = await this.queue.add(request);
    if (!receipt.queued) this.#transcript.markStale();
    if (!this.isRunning) void this.#catchUp();
  }

  #moveToQueue(receipt: QueuedReceipt, message: ChatMessage): void {
    this.chat.messages = this.chat.messages.filter(({ id }) => id !== message.id);
    this.queue.noteQueued(receipt.id, message);
  }

  async #open(): Promise<void> {
    this.#refreshQueue();
    try {
      await this.#loadMessages();
    } catch (error) {
      if (this.#state.load !== 'ready') this.#update({ load: isMissing(error) ? 'missing' : 'failed' });
      return;
    }
    this.#isFresh = true;
    await this.#catchUp();
    this.#isFresh = false;
  }

  /** What is stored, and then the turn that may run. */
  async #show(): Promise<void> {
    this.#transcript.markStale();
    if (!this.isRunning) await this.#loadMessages().catch(() => undefined);
    void this.#catchUp();
  }

  /** A failure is no matter: it is read again when the connection is back. */
  #refreshQueue(): void {
    this.queue.refresh().catch(() => undefined);
  }

  /** Follows what runs until nothing does, and sees to it that the transcript shows what has happened meanwhile. */
  async #catchUp(): Promise<void> {
    if (this.#following || this.#state.load === 'missing') return;
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
    for (let misses = 0; misses <= FOLLOW_ATTEMPTS;) {
      if (this.#disconnected) return;
      const hasTurn = await api.hasRunningTurn(this.id);
      // The user was faster: what they sent follows up by itself when it has ended.
      if (this.isRunning) return;
      if (hasTurn) {
        await this.chat.resumeStream();
        if (this.chat.error instanceof ApiError) return;
      } else if (this.#transcript.isBehind) {
        await this.#loadMessages();
      } else if (this.#transcript.hasOpenAnswer || (this.#transcript.hasOpenRequest && misses === 0)) {
        // A request without an answer may be all there is: that is worth one more look, not more.
        misses += 1;
        await pause(FOLLOW_PAUSE);
        if (!this.isRunning) await this.#loadMessages();
      } else {
        return;
      }
    }
  }

  async #beforeFollow(): Promise<void> {
    const showsTurn = this.#transcript.hasOpenAnswer || this.#transcript.hasOpenRequest;
    if (!this.#isFresh || !showsTurn) await this.#loadMessages();
    this.#isFresh = false;
  }

  async #loadMessages(): Promise<void> {
    if (await this.#transcript.load()) this.#update({ load: 'ready' });
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
    if (part.type === 'data-queue' && !this.#isWatched) this.queue.apply(part.data as QueueData);
    if (part.type === 'data-prune') this.#update({ lastPrune: part.data as PruneData });
  }

  #onEvent(event: FollowedEvent): void {
    switch (event.name) {
      case 'queue:changed':
        return this.queue.apply(event.data);
      case 'turn:start':
      case 'turn:end':
        this.#transcript.announce(event.data.turnId);
        // Also when its turn is in the transcript: one that goes on after a decision is there as it was before.
        if (event.name === 'turn:start' && !this.isRunning) this.#transcript.markStale();
        if (!this.isRunning && this.#transcript.isBehind) void this.#catchUp();
        return;
      case 'message:dequeued':
        // Messages that waited were sent along with one that is shown alone.
        if (this.isRunning) this.#transcript.markStale();
        return;
      case 'compaction:start':
        if (event.data.reason === 'manual' && !this.#isCompacting) this.#update({ compactingSince: Date.now() });
        return;
      case 'compaction:complete':
      case 'compaction:failed':
        if (this.#isCompacting || this.#state.compactingSince === null) return;
        this.#update({ compactingSince: null });
        void this.#show();
        return;
      case 'prune:complete':
        return this.#update({ lastPrune: event.data });
      case 'context:usage':
        return this.#events.onContext(this.id, event.data);
      case 'message:queued':
    }
  }

  #update(change: Partial<ChatSessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
