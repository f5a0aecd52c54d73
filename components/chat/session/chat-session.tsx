import { Chat } from '@ai-sdk/react';
import { Mutex } from 'async-mutex';
import { api } from '#components/api/api-client';
import { ApiError } from '#components/api/api-error';
import {
  asksForApproval,
  type ChatFile,
  type ChatMessage,
  messageText,
  wordsSince,
} from '#components/api/chat-message';
import { connection } from '#components/api/connection';
import type { FollowedEvent } from '#components/api/follow-events';
import { ChatTranscript } from '#components/chat/session/chat-transcript';
import {
  ChatFollower,
  type FollowOptions,
  isRunning,
  ThroughlineTransport,
} from '#components/chat/session/chat-transport';
import {
  keepSent,
  returnedTexts,
  returnToDraft,
  settleSent,
  takeDraft,
  takeReturnedId,
} from '#components/chat/session/drafts';
import { newestTurn, partsToSend } from '#components/chat/session/newest-turn';
import { SessionCompactions } from '#components/chat/session/session-compactions';
import { SessionQueue } from '#components/chat/session/session-queue';
import type { CompactionData, ContextUsage, PruneData, QueueData } from '#server/core/events';
import type { ApprovalDecision, QueuedReceipt } from '#server/core/messages';

/** A message that the server never accepted. */
export interface FailedSend {
  readonly messageId: string;
  readonly reason: string;
  readonly modelId: string | undefined;
}

/** Everything about a conversation that is not in its messages. */
export interface ChatSessionState {
  readonly load: 'loading' | 'ready' | 'failed' | 'missing';
  /** Stored messages before the first one shown. */
  readonly earlier: 'none' | 'there' | 'loading' | 'failed';
  /** The first message that was shown: those before it were asked for. */
  readonly openedAt: string | null;
  readonly queue: QueueData;
  /** The user has stopped the running turn here; it has not ended yet. */
  readonly isStopping: boolean;
  readonly failedSends: readonly FailedSend[];
  /** Epoch ms since when a summary is being made, whoever asked for it; null when none is. */
  readonly compactingSince: number | null;
  /** The newest prune that stands, of those that happened while it was watched. */
  readonly lastPrune: PruneData | null;
  /** Compaction whose details are on screen. */
  readonly shownCompaction: string | null;
  /** The message that the user is changing; null when none is. */
  readonly editing: string | null;
  /** A message is on its way that takes the place of another. */
  readonly isReplacing: boolean;
}

/** Events a conversation reports to the rest of the interface. */
export interface ChatSessionEvents {
  onContext(sessionId: string, usage: ContextUsage): void;
  /** A turn has ended or the stored state may have changed otherwise. */
  onSettled(sessionId: string): void;
}

/**
 * One conversation, independent of any component: it keeps streaming while another one is on screen. Sends, queues
 * while a turn runs, stops turns, follows turns started elsewhere, and recovers after a lost connection. It shows what
 * the server says and guesses nothing.
 */
export class ChatSession {
  readonly id: string;
  readonly chat: Chat<ChatMessage>;
  readonly queue: SessionQueue;
  readonly compactions: SessionCompactions;
  readonly #events: ChatSessionEvents;
  readonly #transport: ThroughlineTransport;
  readonly #transcript: ChatTranscript;
  readonly #follower: ChatFollower;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #state: ChatSessionState = {
    load: 'loading',
    earlier: 'none',
    openedAt: null,
    queue: { items: [], held: false },
    isStopping: false,
    failedSends: [],
    compactingSince: null,
    lastPrune: null,
    shownCompaction: null,
    editing: null,
    isReplacing: false,
  };
  /** A stream was cut off by a lost connection and has to be picked up again. */
  #disconnected = false;
  #opening: Promise<void> | null = null;
  /** Events arrive: they say first what the stream of a turn says too. */
  #isWatched = false;
  /** Two requests may overtake each other: a message leaves when the server has answered what was said before it. */
  readonly #inOrder = new Mutex();
  /** Version of the queue when the newest message left. */
  #queueVersion = 0;

  constructor(id: string, events: ChatSessionEvents) {
    this.id = id;
    this.#events = events;
    this.queue = new SessionQueue(id, (queue) => this.#update({ queue }));
    this.compactions = new SessionCompactions(
      id,
      (compactingSince) => this.#update({ compactingSince }),
      () => this.#refreshView(),
    );
    this.#transport = new ThroughlineTransport({
      onAccepted: (message) => settleSent(id, message.id),
      onQueued: (receipt, message) => this.#moveToQueue(receipt, message),
      beforeFollow: () => this.#follower.beforeFollow(),
    });
    this.chat = new Chat<ChatMessage>({
      id,
      transport: this.#transport,
      onData: (part) => this.#onData(part),
      onError: (error) => this.#onError(error),
      onFinish: () => this.#update({ isStopping: false }),
    });
    this.#transcript = new ChatTranscript(this.chat, (message) => this.#isUnsent(message));
    this.#follower = new ChatFollower(this.chat, this.#transcript, {
      load: () => this.#loadMessages(),
      isCutOff: () => this.#disconnected,
    });
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
    return isRunning(this.chat);
  }

  /** Stops following a deleted conversation, also when the connection returns. */
  close(): void {
    this.#unsubscribe();
    this.compactions.close();
    void this.chat.stop();
  }

  /** Shows what comes before the first message that is shown; that it failed is part of the state. */
  async loadEarlier(): Promise<void> {
    if (this.#state.earlier === 'none' || this.#state.earlier === 'loading') return;
    this.#update({ earlier: 'loading' });
    try {
      await this.#transcript.loadEarlier();
      this.#update({ earlier: this.#earlier });
    } catch {
      this.#update({ earlier: 'failed' });
    }
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
        void this.#refreshQueue();
        void this.compactions.refresh();
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
   * transcript. Rejects with ApiError when it could not be queued; it is then still the caller's. The same sent again
   * next has the same idempotency key.
   */
  async send(text: string, modelId: string | undefined, files: readonly ChatFile[] = []): Promise<void> {
    const parts = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files];
    const message = this.queue.takeGivenBack(parts) ?? {
      id: takeReturnedId(this.id, text) ?? crypto.randomUUID(),
      role: 'user',
      parts,
      metadata: { createdAt: Date.now() },
    };
    this.#keep(message);
    if (this.#isSimple()) void this.#sendNow(message, modelId);
    else await this.#enqueue(message, modelId);
  }

  /**
   * Stops the running turn, wherever it was started; what was written is kept.
   * @returns false where it was told to stop and has not ended yet
   * @throws ApiError
   */
  async stop(): Promise<boolean> {
    if (!this.isRunning || this.#state.isStopping) return true;
    this.#update({ isStopping: true });
    try {
      // A message that is still on its way would start its turn after the stop.
      await this.#inOrder.waitForUnlock();
      await this.#transport.accepted;
      const { cancelled } = await api.cancel(this.id);
      if (!this.isRunning) this.#update({ isStopping: false });
      return cancelled;
    } catch (error) {
      this.#update({ isStopping: false });
      throw error;
    }
  }

  /**
   * Approves or denies waiting calls. Resolves when the transcript shows it.
   * @throws ApiError
   */
  async decide(decisions: readonly ApprovalDecision[]): Promise<void> {
    try {
      // A message that overtook it would deny what is open.
      await this.#inOrder.runExclusive(() => api.decide(this.id, decisions));
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
    this.#keep(message);
    await this.#sendNow(message, failed.modelId);
  }

  /** Removes a message that was not accepted from the transcript. */
  discard(messageId: string): void {
    settleSent(this.id, messageId);
    this.chat.messages = this.chat.messages.filter(({ id }) => id !== messageId);
    this.chat.clearError();
    this.#update({ failedSends: this.#state.failedSends.filter((failed) => failed.messageId !== messageId) });
  }

  /** Opens the newest request for a change, if that can be sent anew. @throws ApiError */
  async edit(): Promise<void> {
    const request = await this.#storedRequest();
    if (request && !this.#state.isReplacing) this.#update({ editing: request.id });
  }

  /** Closes what `edit` opened. */
  endEdit(): void {
    this.#update({ editing: null });
  }

  /**
   * Asks the newest request again in its place. Resolves as `replace` does, and to false while the request is open for
   * editing.
   * @throws ApiError, with nothing changed
   */
  async retry(modelId: string | undefined, undoChanges: boolean): Promise<boolean> {
    const request = await this.#storedRequest();
    // What is being written in its place would be lost.
    if (!request || this.#state.editing === request.id) return false;
    return this.replace(request.id, partsToSend(request), modelId, undoChanges);
  }

  /**
   * Sends something in the place of the newest request, which must be a stored one; its answer goes with it. Resolves
   * to true when the transcript shows it, to false with nothing sent while another message is on its way there.
   * @throws ApiError, with nothing changed
   * @param undoChanges take back what the answer did to the site, or send nothing
   */
  async replace(
    messageId: string,
    parts: ChatMessage['parts'],
    modelId: string | undefined,
    undoChanges: boolean,
  ): Promise<boolean> {
    if (this.#state.isReplacing) return false;
    const message: ChatMessage = { id: crypto.randomUUID(), role: 'user', parts };
    const replaces = { messageId, undoChanges };
    const request = { id: this.id, message, modelId, clientRequestId: message.id, replaces };
    this.#update({ isReplacing: true });
    try {
      const answer = await this.#inOrder.runExclusive(() => api.chat(request));
      // It is followed like one that was started elsewhere: then every message has the id that it is stored with.
      await answer.body?.cancel();
      this.endEdit();
    } finally {
      this.#update({ isReplacing: false });
    }
    this.chat.clearError();
    this.#transcript.markStale();
    if (!this.isRunning) await this.#loadMessages().catch(() => undefined);
    void this.#catchUp({ isLoaded: !this.#transcript.isBehind });
    return true;
  }

  /**
   * Summarizes older messages now. Resolves to false when there is nothing to summarize; throws ApiError.
   * @param instructions what the summary should pay attention to
   */
  async compact(instructions?: string): Promise<boolean> {
    const isDone = await this.compactions.compact(instructions);
    this.#refreshView();
    return isDone;
  }

  /**
   * Undoes a compaction or prune, so that the model sees the same as before.
   * @throws ApiError that says why not
   */
  async undoCompaction(compactionId: string): Promise<void> {
    await this.compactions.undo(compactionId);
    this.#refreshView();
  }

  /** Shows what one compaction made and kept; null: nothing of that any more. */
  showCompaction(compactionId: string | null): void {
    this.#update({ shownCompaction: compactionId });
  }

  /**
   * True if sending starts a turn and changes nothing else, so the message can be shown before the server has answered.
   */
  #isSimple(): boolean {
    const isAsked = this.chat.messages.some(asksForApproval);
    const isFree = !this.isRunning && !this.#inOrder.isLocked() && this.queue.isEmpty;
    return isFree && !isAsked && this.#state.load === 'ready';
  }

  async #sendNow(message: ChatMessage, modelId: string | undefined): Promise<void> {
    this.#transcript.overtake();
    this.#queueVersion = this.queue.version;
    await this.chat.sendMessage(message, { body: modelId === undefined ? {} : { modelId } });
    if (this.chat.status === 'error' && this.chat.error instanceof ApiError) {
      // The page is being left for the one to sign in at, and what only it knows with it.
      if (this.chat.error.status === 401) {
        returnToDraft(this.id, messageText(message));
        this.discard(message.id);
        return;
      }
      const failed = { messageId: message.id, reason: this.chat.error.message, modelId };
      this.#update({ failedSends: [...this.#state.failedSends, failed] });
      return;
    }
    await this.#catchUp();
  }

  /** Its words outlive this page until the server has answered. */
  #keep(message: ChatMessage): void {
    const text = messageText(message);
    const after = this.chat.messages.findLast(({ id }) => id.startsWith('msg_'))?.id ?? '';
    if (text !== '') keepSent(this.id, { id: message.id, text, after });
  }

  /** Removes words from the field that an earlier page sent and that the server turns out to have. */
  #settleReturned(): void {
    for (const { id, text, after } of returnedTexts(this.id)) {
      const isQueued = this.#state.queue.items.some((item) => item.text === text);
      if (!isQueued && !wordsSince(this.chat.messages, after).includes(text)) continue;
      takeDraft(this.id, text);
      settleSent(this.id, id);
    }
  }

  /**
   * The newest request with its stored id; a message sent from here has its own id until it is loaded. Null: nothing
   * can be sent again now.
   */
  async #storedRequest(): Promise<ChatMessage | null> {
    if (this.isRunning) return null;
    if (newestTurn(this.chat.messages)?.isStored === false) await this.#loadMessages();
    const turn = newestTurn(this.chat.messages);
    return turn?.isStored ? turn.request : null;
  }

  async #enqueue(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const request = { sessionId: this.id, message, modelId, clientRequestId: message.id };
    const receipt = await this.#inOrder
      .runExclusive(async () => {
        await this.#transport.accepted;
        return this.queue.add(request);
      })
      // Taken, or its writer's again.
      .finally(() => settleSent(this.id, message.id));
    if (!receipt.queued) this.#transcript.markStale();
    if (!this.isRunning) void this.#catchUp();
  }

  #moveToQueue(receipt: QueuedReceipt, message: ChatMessage): void {
    this.chat.messages = this.chat.messages.filter(({ id }) => id !== message.id);
    this.queue.noteQueued(receipt.id, message, this.#queueVersion);
  }

  async #open(): Promise<void> {
    const queue = this.#refreshQueue();
    // Nobody was told of what has happened since it was on screen last.
    this.#transcript.markStale();
    try {
      await this.#loadMessages();
    } catch (error) {
      if (this.#state.load !== 'ready') this.#update({ load: isMissing(error) ? 'missing' : 'failed' });
      return;
    }
    void queue.then(() => this.#settleReturned());
    await this.#catchUp({ isLoaded: true });
  }

  /** Loads the stored messages and follows the turn that may be running. */
  async #show(): Promise<void> {
    this.#transcript.markStale();
    if (!this.isRunning) await this.#loadMessages().catch(() => undefined);
    void this.#catchUp();
  }

  /** A failure is no matter: it is read again when the connection is back. */
  #refreshQueue(): Promise<void> {
    return this.queue.refresh().catch(() => undefined);
  }

  /** Follows what runs until nothing does, and sees to it that the transcript shows what has happened meanwhile. */
  async #catchUp(options?: FollowOptions): Promise<void> {
    if (this.#follower.isFollowing || this.#state.load === 'missing') return;
    try {
      await this.#follower.follow(options);
    } catch {
      // The stored transcript is loaded again when the connection is back or the conversation is opened next.
    } finally {
      this.#events.onSettled(this.id);
    }
  }

  async #loadMessages(): Promise<void> {
    if (!(await this.#transcript.load())) return;
    const openedAt = this.#state.openedAt ?? this.chat.messages[0]?.id ?? null;
    const earlier = this.#state.earlier === 'loading' ? 'loading' : this.#earlier;
    this.#update({ load: 'ready', earlier, openedAt });
  }

  get #earlier(): 'none' | 'there' {
    return this.#transcript.hasEarlier ? 'there' : 'none';
  }

  #isUnsent({ id }: ChatMessage): boolean {
    return this.#state.failedSends.some((failed) => failed.messageId === id);
  }

  async #recover(): Promise<void> {
    const wasDisconnected = this.#disconnected;
    this.#disconnected = false;
    // Nothing was cut off, but what happened meanwhile may not have been read: a decision whose every answer was lost.
    if (!wasDisconnected && this.#state.load === 'ready' && !this.#transcript.isBehind) return;
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
    if (part.type === 'data-compaction') this.compactions.follow(part.data as CompactionData);
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
        return this.compactions.hear(event);
      case 'compaction:complete':
      case 'compaction:failed':
        this.compactions.hear(event);
        return this.#refreshView();
      case 'compaction:undone':
        if (event.data.compactionId === this.#state.lastPrune?.compactionId) this.#update({ lastPrune: null });
        this.compactions.hear(event);
        return this.#refreshView();
      case 'prune:complete':
        this.#update({ lastPrune: event.data });
        this.compactions.hear(event);
        return this.#refreshView();
      case 'context:usage':
        return this.#events.onContext(this.id, event.data);
      case 'message:queued':
    }
  }

  /** Reloads the transcript and the context after the model's view has changed; while a turn runs, after that turn. */
  #refreshView(): void {
    this.#transcript.markStale();
    this.#events.onSettled(this.id);
    if (!this.isRunning) void this.#catchUp();
  }

  #update(change: Partial<ChatSessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
