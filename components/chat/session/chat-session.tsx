import { Mutex } from 'async-mutex';
import { api } from '#components/api/api-client';
import { ApiError } from '#components/api/api-error';
import { asksForApproval, type ChatFile } from '#components/api/chat-message';
import { connection } from '#components/api/connection';
import type { FollowedEvent } from '#components/api/follow-events';
import { type ChatSessionState, ChatSessionStore } from '#components/chat/session/chat-session-state';
import { ChatTranscript, type MessagePlace } from '#components/chat/session/chat-transcript';
import { ChatFollower, type FollowOptions } from '#components/chat/session/chat-follower';
import { settleSent } from '#components/chat/session/drafts';
import { LiveChat } from '#components/chat/session/live-chat';
import { NewestRequest } from '#components/chat/session/newest-turn';
import { Outbox } from '#components/chat/session/outbox';
import { SessionCompactions, type ViewChange } from '#components/chat/session/session-compactions';
import { SessionQueue } from '#components/chat/session/session-queue';
import type { CompactionData, ContextUsage, PruneData, QueueData, WaitingData } from '#server/core/events';
import type { ApprovalDecision } from '#server/core/approvals';

/** Events a conversation reports to the rest of the interface. */
export interface ChatSessionEvents {
  onContext(sessionId: string, usage: ContextUsage): void;
  /** A turn has ended or the stored state may have changed otherwise. */
  onSettled(sessionId: string): void;
  /** The model sees another view of the same conversation. */
  onViewChanged(sessionId: string, change: ViewChange): void;
  /** A wish was kept or let go. */
  onWishes(sessionId: string): void;
}

/**
 * One conversation, independent of any component: it keeps streaming while another one is on screen. Sends, queues
 * while a turn runs, stops turns, follows turns started elsewhere, and recovers after a lost connection. It shows what
 * the server says and guesses nothing.
 */
export class ChatSession {
  readonly id: string;
  readonly chat: LiveChat;
  readonly queue: SessionQueue;
  readonly compactions: SessionCompactions;
  readonly #events: ChatSessionEvents;
  readonly #state = new ChatSessionStore();
  readonly #transcript: ChatTranscript;
  readonly #follower: ChatFollower;
  /** Messages on their way, and those that were not accepted. */
  readonly outbox: Outbox;
  /** The newest request, to be changed or asked again. */
  readonly newest: NewestRequest;
  readonly #unsubscribe: () => void;
  /** A stream was cut off by a lost connection and has to be picked up again. */
  #disconnected = false;
  #opening: Promise<void> | null = null;
  /** The part of opening that does not wait for the turn that may be running. */
  #loading: Promise<void> | null = null;
  /** Events arrive: they say first what the stream of a turn says too. */
  #isWatched = false;
  /** Two requests may overtake each other: a message leaves when the server has answered what was said before it. */
  readonly #inOrder = new Mutex();

  constructor(id: string, events: ChatSessionEvents) {
    this.id = id;
    this.#events = events;
    this.queue = new SessionQueue(id, (queue) => this.#state.update({ queue }));
    this.compactions = new SessionCompactions(
      id,
      (compactingSince) => this.#state.update({ compactingSince }),
      (change) => this.#refreshView(change),
    );
    this.chat = new LiveChat(id, {
      onAccepted: (message) => settleSent(id, message.id),
      onQueued: (receipt, message) => this.outbox.moveToQueue(receipt, message),
      beforeFollow: () => this.#follower.beforeFollow(),
      onData: (part) => this.#onData(part),
      onError: (error) => this.#onError(error),
      onFinish: () => this.#state.update({ isStopping: false, retryAt: 0 }),
    });
    this.#transcript = new ChatTranscript(this.chat, (message) => this.outbox.isUnsent(message));
    this.#follower = new ChatFollower(this.chat, this.#transcript, {
      load: () => this.#loadMessages(),
      isCutOff: () => this.#disconnected,
    });
    this.outbox = new Outbox({
      chat: this.chat,
      state: this.#state,
      queue: this.queue,
      transcript: this.#transcript,
      inOrder: this.#inOrder,
    });
    this.newest = new NewestRequest(this.chat, this.#state, this.outbox, {
      load: () => this.#loadMessages(),
      onSent: () => void this.#catchUp({ isLoaded: !this.#transcript.isBehind }),
    });
    this.#unsubscribe = connection.subscribe(() => {
      if (connection.state === 'online') void this.#recover();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener);

  readonly getState = (): ChatSessionState => this.#state.current;

  /** A turn runs (as far as this browser follows it). */
  get isRunning(): boolean {
    return this.chat.isRunning;
  }

  /** Stops following a deleted conversation, also when the connection returns. */
  close(): void {
    this.#unsubscribe();
    this.compactions.close();
    void this.chat.close();
  }

  /** Shows what comes before the first message that is shown; that it failed is part of the state. */
  async loadEarlier(): Promise<void> {
    if (this.#state.current.earlier === 'none' || this.#state.current.earlier === 'loading') return;
    this.#state.update({ earlier: 'loading' });
    try {
      await this.#transcript.loadEarlier();
      this.#state.update({ earlier: this.#earlier });
    } catch {
      this.#state.update({ earlier: 'failed' });
    }
  }

  /** Loads as much as it takes to show a message, and asks to show it. False: it is not there. */
  async reach(place: MessagePlace): Promise<boolean> {
    void this.open();
    await this.#loading?.catch(() => undefined);
    const row = (await this.#transcript.loadBackTo(place))?.id;
    this.#state.update({ earlier: this.#earlier, ...(row !== undefined && { wanted: { row } }) });
    return row !== undefined;
  }

  /** What was asked for is in view: whoever comes back later is not led there once more. */
  endReach(wanted: ChatSessionState['wanted']): void {
    if (this.#state.current.wanted === wanted) this.#state.update({ wanted: null });
  }

  /** Shows a conversation that was created just now: there is nothing to load. */
  startEmpty(): void {
    this.#state.update({ load: 'ready' });
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
        // Events came to nothing as well, and do again: whoever slept has woken, or a host is back.
        this.chat.breakOffSilent();
        void this.#refreshQueue();
        void this.compactions.refresh();
        void (this.#state.current.load === 'ready' ? this.#catchUp() : this.open());
      },
      onStart: (afterId) => {
        this.#transcript.hearAfter(afterId);
        if (this.#state.current.load === 'ready') this.#catchUpIfBehind();
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
    const message = this.outbox.compose(text, files);
    if (this.#isSimple()) void this.#followUp(this.outbox.send(message, modelId));
    else {
      await this.outbox.enqueue(message, modelId);
      if (!this.isRunning) void this.#catchUp();
    }
  }

  /** Stops the running turn and keeps what was written. Resolves to false while it has not ended. @throws ApiError */
  async stop(): Promise<boolean> {
    if (!this.isRunning || this.#state.current.isStopping) return true;
    this.#state.update({ isStopping: true });
    try {
      // A message that is still on its way would start its turn after the stop.
      await this.#inOrder.waitForUnlock();
      await this.chat.accepted;
      const { cancelled } = await api.cancel(this.id);
      if (!this.isRunning) this.#state.update({ isStopping: false });
      return cancelled;
    } catch (error) {
      this.#state.update({ isStopping: false });
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
    await this.#followUp(this.outbox.resend(messageId, this.isRunning));
  }

  /** Shows what one compaction made and kept; null: nothing of that any more. */
  showCompaction(compactionId: string | null): void {
    this.#state.update({ shownCompaction: compactionId });
  }

  /**
   * True if sending starts a turn and changes nothing else, so the message can be shown before the server has answered.
   */
  #isSimple(): boolean {
    const isAsked = this.chat.messages.some(asksForApproval);
    const isFree = !this.isRunning && !this.chat.isResuming && !this.#inOrder.isLocked() && this.queue.isEmpty;
    return isFree && !isAsked && this.#state.current.load === 'ready';
  }

  async #followUp(sent: Promise<boolean>): Promise<void> {
    if (await sent) await this.#catchUp();
  }

  async #open(): Promise<void> {
    const queue = this.#refreshQueue();
    // Nobody was told of what has happened since it was on screen last.
    this.#transcript.markStale();
    try {
      await (this.#loading = this.#loadMessages());
    } catch (error) {
      const isMissing = error instanceof ApiError && error.status === 404;
      if (this.#state.current.load !== 'ready') this.#state.update({ load: isMissing ? 'missing' : 'failed' });
      return;
    }
    void queue.then(() => this.outbox.settleReturned());
    await this.#catchUp({ isLoaded: true });
  }

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
    if (this.#follower.isFollowing || this.#state.current.load === 'missing') return;
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
    const openedAtMessage = this.#state.current.openedAtMessage ?? this.chat.messages[0]?.id ?? null;
    const earlier = this.#state.current.earlier === 'loading' ? 'loading' : this.#earlier;
    this.#state.update({ load: 'ready', earlier, openedAtMessage });
  }

  get #earlier(): 'none' | 'there' {
    return this.#transcript.hasEarlier ? 'there' : 'none';
  }

  async #recover(): Promise<void> {
    this.chat.breakOffSilent();
    const wasDisconnected = this.#disconnected;
    this.#disconnected = false;
    // Nothing was cut off, but what happened meanwhile may not have been read: a decision whose every answer was lost.
    if (wasDisconnected || this.#state.current.load !== 'ready' || this.#transcript.isBehind) {
      if (wasDisconnected) this.chat.clearError();
      void this.open();
      await this.#loading?.catch(() => undefined);
    }
    // Behind a turn that runs, and not behind what is written after it.
    await this.#followUp(this.outbox.sendOffline(this.isRunning || this.#follower.isFollowing));
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
    if (part.type === 'data-prune') this.#state.update({ lastPrune: part.data as PruneData });
    if (part.type === 'data-waiting') {
      this.#state.update({ retryAt: Date.now() + (part.data as WaitingData).retryAfterMs });
    }
    if (part.type === 'data-compaction') this.compactions.follow(part.data as CompactionData);
  }

  #onEvent(event: FollowedEvent): void {
    switch (event.name) {
      case 'queue:changed':
        return this.queue.apply(event.data);
      case 'turn:start':
      case 'turn:end':
        // Its end is the last thing that an answer says: one that said nothing for so long says nothing any more.
        this.chat.breakOffSilent();
        this.#transcript.announce(event.data.turnId);
        // Also when its turn is in the transcript: one that goes on after a decision is there as it was before.
        if (event.name === 'turn:start' && !this.isRunning) this.#transcript.markStale();
        return this.#catchUpIfBehind();
      case 'message:dequeued':
        // Messages that waited were sent along with one that is shown alone.
        if (this.isRunning) this.#transcript.markStale();
        return;
      case 'compaction:start':
      case 'compaction:complete':
      case 'compaction:failed':
        return this.compactions.hear(event);
      case 'compaction:undone':
        if (event.data.compactionId === this.#state.current.lastPrune?.compactionId)
          this.#state.update({ lastPrune: null });
        return this.compactions.hear(event);
      case 'prune:complete':
        this.#state.update({ lastPrune: event.data });
        return this.compactions.hear(event);
      case 'wishes:changed':
        return this.#events.onWishes(this.id);
      case 'context:usage':
        return this.#events.onContext(this.id, event.data);
      case 'message:queued':
    }
  }

  #catchUpIfBehind(): void {
    if (!this.isRunning && this.#transcript.isBehind) void this.#catchUp();
  }

  /** Reloads the transcript and the context after the model's view has changed; while a turn runs, after that turn. */
  #refreshView(change: ViewChange): void {
    this.#transcript.markStale();
    this.#events.onViewChanged(this.id, change);
    if (!this.isRunning) void this.#catchUp();
  }
}
