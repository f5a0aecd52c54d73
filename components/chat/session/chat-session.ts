import { Chat } from '@ai-sdk/react';
import { Mutex } from 'async-mutex';
import { atom } from 'nanostores';
import { api } from '#components/api/api-client.ts';
import { ApiError } from '#components/api/api-error.ts';
import { asksForApproval, type ChatFile, type ChatMessage } from '#components/api/chat-message.ts';
import { connection } from '#components/api/connection.ts';
import type { FollowedEvent } from '#components/api/follow-events.ts';
import {
  type ChatSessionState,
  ChatSessionStore,
  isRunning as isTurnRunning,
} from '#components/chat/session/chat-session-state.ts';
import { createChatTransport, type SendOutcome } from '#components/chat/session/chat-transport.ts';
import { settleSent } from '#components/chat/session/drafts.ts';
import {
  keepUnchanged,
  findPlace,
  foldTranscript,
  type MessagePlace,
} from '#components/chat/session/fold-transcript.ts';
import { newestTurn, partsToSend } from '#components/chat/parts/newest-turn.ts';
import { Outbox } from '#components/chat/session/outbox.ts';
import { here } from '#components/workspace/current-view.ts';
import type { ApprovalDecision } from '#server/core/conversation/approvals';
import type { ContextUsage, PruneData, SessionEventData, WaitingData } from '#server/core/conversation/events';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';

/** A finished compaction, prune or undo of a conversation. */
export type CompactionNotice =
  | { readonly kind: 'compacted'; readonly data: SessionEventData['compaction:complete'] }
  | { readonly kind: 'pruned'; readonly data: PruneData }
  | { readonly kind: 'undone'; readonly data: SessionEventData['compaction:undone'] };

/** Change of the model's view: tool results were cleared, or messages were replaced by a summary. */
export type ViewChange = 'pruned' | 'summarized';

/** Events a conversation reports to the rest of the interface. */
export interface ChatSessionEvents {
  onContext(sessionId: string, usage: ContextUsage): void;
  /** A turn has ended, or the stored state may have changed in another way. */
  onSettled(sessionId: string): void;
  /** The model's view of the conversation has changed. */
  onViewChanged(sessionId: string, change: ViewChange): void;
  /** A preference was stored or removed. */
  onPreferences(sessionId: string): void;
}

/** Messages per request for earlier ones. */
const EARLIER = 100;
/** The same while the user waits for a message; limit of the server. */
const MOST = 1_000;
/** Pause before the stream of a turn that has not ended is read again; ms. */
const READ_AGAIN = 1_000;
/** Interval of checks whether a compaction still runs, because its process may have died; ms. */
const LOOK_EVERY = 5_000;

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/**
 * One conversation. Its `chat` holds the messages: the chunk stream of the running turn writes the running answer, the
 * events of the feed all other messages. The feed also tells whether a turn runs and what is queued. What the server has
 * not accepted yet is in the outbox. Only a conversation on screen is connected.
 */
export class ChatSession {
  readonly id: string;
  readonly chat: Chat<ChatMessage>;
  readonly outbox: Outbox;
  readonly #events: ChatSessionEvents;
  readonly #state = new ChatSessionStore();
  readonly #transport: ReturnType<typeof createChatTransport>;
  readonly #notice = atom<CompactionNotice | null>(null);
  readonly #unsubscribe: () => void;
  /** Connects to the feed; null while the conversation is not on screen. */
  #connect: (() => void) | null = null;
  /** Requests can overtake each other: one that changes the conversation waits until those before it are answered. */
  readonly #inOrder = new Mutex();
  /** Response to the newest message. */
  #answer = Promise.withResolvers<SendOutcome>();
  #isFollowing = false;
  /** Resolves at the next start or end of a turn. */
  #turnChange = Promise.withResolvers<void>();
  #look: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, events: ChatSessionEvents) {
    this.id = id;
    this.#events = events;
    this.#transport = createChatTransport((outcome) => this.#answer.resolve(outcome));
    this.chat = new Chat<ChatMessage>({
      id,
      transport: this.#transport,
      onData: (part) => {
        if (part.type === 'data-waiting') this.#onWaiting(part.data as WaitingData);
      },
      onError: (error) => {
        // A TypeError means an interrupted stream; an ApiError means that the request was not accepted.
        if (error instanceof TypeError) connection.reportLost();
      },
    });
    this.outbox = new Outbox({
      sessionId: id,
      state: this.#state,
      messages: () => this.chat.messages,
      send: (message, modelId) => this.#deliver(message, modelId),
    });
    this.#unsubscribe = connection.subscribe(() => {
      if (connection.state === 'online') void this.#recover();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener);

  readonly getState = (): ChatSessionState => this.#state.current;

  /** True while a turn runs. */
  get isRunning(): boolean {
    return isTurnRunning(this.#state.current);
  }

  /** Shows a conversation that was just created, without loading anything. */
  startEmpty(): void {
    this.#state.update({ load: 'ready', isNew: true });
  }

  /** Follows the conversation until the returned function is called. */
  watch(): () => void {
    let ending = new AbortController();
    this.#connect = () => {
      ending.abort();
      ending = new AbortController();
      let hasSnapshot = false;
      api.events(this.id, {
        signal: ending.signal,
        needsSnapshot: () => !hasSnapshot,
        onOpen: () => void this.#readAnew(),
        onRefused: (status) => this.#onRefused(status),
        onEvent: (event) => {
          hasSnapshot = true;
          this.#onEvent(event);
        },
      });
    };
    this.#connect();
    return () => {
      this.#connect = null;
      ending.abort();
      clearTimeout(this.#look);
      this.#state.update({ isNew: false });
      void this.leave();
    };
  }

  /** Reads no stream any more unless it is on screen, once the server has answered a message that is on its way. */
  async leave(): Promise<void> {
    await this.#inOrder.waitForUnlock();
    if (this.#connect === null) await this.chat.stop();
  }

  /** Loads the conversation again after a failure. */
  retry(): void {
    if (this.#state.current.load === 'ready') return;
    this.#state.update({ load: 'loading' });
    this.#connect?.();
  }

  /** Ends all connections of a deleted conversation. */
  close(): void {
    this.#unsubscribe();
    this.#connect = null;
    clearTimeout(this.#look);
    void this.chat.stop();
  }

  /** Calls `listener` once for each notice while the conversation is watched. Returns the unsubscribe function. */
  onNotice(listener: (notice: CompactionNotice) => void): () => void {
    return this.#notice.listen((notice) => {
      if (notice) listener(notice);
    });
  }

  /** Loads the messages before the first one displayed; a failure becomes part of the state. */
  async loadEarlier(): Promise<void> {
    if (this.#state.current.earlier !== 'loading') await this.#loadPage(EARLIER).catch(() => undefined);
  }

  /** Loads as many messages as needed to show one, and scrolls to it. False if it does not exist. @throws ApiError */
  async reach(place: MessagePlace): Promise<boolean> {
    await this.#state.until(({ load }) => load !== 'loading');
    const isMissing = () => findPlace(this.chat.messages, place) === undefined;
    while (isMissing() && this.#state.current.nextCursor !== null) {
      await this.#state.until(({ earlier }) => earlier !== 'loading');
      if (isMissing()) await this.#loadPage(MOST);
    }
    const row = findPlace(this.chat.messages, place)?.id;
    if (row !== undefined) this.#state.update({ wanted: { row } });
    return row !== undefined;
  }

  /** The requested message is in view; the request ends, so that a later visit does not scroll to it again. */
  endReach(wanted: ChatSessionState['wanted']): void {
    if (this.#state.current.wanted === wanted) this.#state.update({ wanted: null });
  }

  /**
   * Sends now, or queues while a turn runs. Resolves when the text is accepted or, if it may have been refused, is in
   * the transcript. Rejects with ApiError if it could not be queued; the caller then keeps it.
   */
  async send(text: string, modelId: string | undefined, files: readonly ChatFile[] = []): Promise<void> {
    const message = this.outbox.compose(text, files);
    if (this.#isFree) return void this.#start(message, modelId);
    try {
      await this.#enqueue(message, modelId);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'network') return this.#fail(message, modelId, error);
      settleSent(this.id, message.id);
      throw error;
    }
  }

  /**
   * Stops the running turn and keeps what it has written. Resolves to false if the turn has not ended yet. @throws
   * ApiError
   */
  async stop(): Promise<boolean> {
    if (!this.isRunning || this.#state.current.isStopping) return true;
    this.#state.update({ isStopping: true });
    try {
      // A message that is still being sent would start its turn after the stop.
      await this.#inOrder.waitForUnlock();
      const { cancelled } = await api.cancel(this.id);
      if (!this.isRunning) this.#state.update({ isStopping: false });
      return cancelled;
    } catch (error) {
      this.#state.update({ isStopping: false });
      throw error;
    }
  }

  /**
   * Approves or denies waiting calls. Resolves when the transcript shows the decision.
   * @throws ApiError
   */
  async decide(decisions: readonly ApprovalDecision[]): Promise<void> {
    // A message that overtook the decision would deny the open calls.
    await this.#inOrder.runExclusive(() => api.decide(this.id, decisions));
    const ids = new Set(decisions.map(({ approvalId }) => approvalId));
    await this.#state.until(
      ({ turn, approvals }) => turn?.status === 'running' || !approvals.some(({ approvalId }) => ids.has(approvalId)),
    );
  }

  /** Makes a request that changes the queue. Resolves when the queue shows the change. @throws ApiError */
  async changeQueue(request: () => Promise<unknown>): Promise<void> {
    const before = await this.#inOrder.runExclusive(async () => {
      const { queue } = this.#state.current;
      await request();
      return queue;
    });
    await this.#state.until(({ queue }) => queue !== before);
  }

  /**
   * Summarizes now. Resolves to false if there is nothing to summarize. @throws ApiError, with `cancelled` if it was
   * cancelled
   */
  async compact(instructions?: string): Promise<boolean> {
    const { status } = await api.compact(this.id, instructions === undefined ? {} : { instructions });
    return status !== 'skipped';
  }

  /** Opens the details of one compaction; null closes them. */
  showCompaction(compactionId: string | null): void {
    this.#state.update({ shownCompaction: compactionId });
  }

  /** Opens the newest request for editing, if it can be sent again now. */
  edit(): void {
    const { isReplacing } = this.#state.current;
    const request = this.isRunning || isReplacing ? undefined : newestTurn(this.chat.messages)?.request;
    if (request) this.#state.update({ editing: request.id });
  }

  /** Closes what `edit` opened. */
  endEdit(): void {
    this.#state.update({ editing: null });
  }

  /**
   * Sends the newest request again. Resolves as `replace` does, and to false while it is being edited.
   * @throws ApiError, with nothing changed
   */
  async retryNewest(modelId: string | undefined, undoChanges: boolean): Promise<boolean> {
    const request = this.isRunning ? undefined : newestTurn(this.chat.messages)?.request;
    // The edit would be lost.
    if (!request || this.#state.current.editing === request.id) return false;
    return this.replace(request.id, partsToSend(request), modelId, undoChanges);
  }

  /**
   * Sends a replacement for the newest request; its answer is removed too. Resolves to true when the transcript shows
   * it, or to false, without sending, while another replacement is being sent.
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
    const request = { id: this.id, message, here: here(), modelId, clientRequestId: message.id, replaces };
    this.#state.update({ isReplacing: true });
    try {
      const answer = await this.#inOrder.runExclusive(() => api.chat(request));
      // The feed reports the replacement, and its turn is followed like one that was started elsewhere.
      await answer.body?.cancel();
      await this.#state.until(() => !this.chat.messages.some(({ id }) => id === messageId));
      this.#state.update({ editing: null });
      return true;
    } finally {
      this.#state.update({ isReplacing: false });
    }
  }

  async #loadPage(limit: number): Promise<void> {
    const { nextCursor: cursor } = this.#state.current;
    if (cursor === null) return;
    this.#state.update({ earlier: 'loading' });
    try {
      const { items, nextCursor } = await api.readMessages(this.id, { cursor, limit });
      // Otherwise the transcript was loaded again during the request, and may begin elsewhere.
      if (this.#state.current.nextCursor === cursor) {
        this.chat.messages = [...items, ...this.chat.messages];
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

  /** True if a message only starts a turn, so that it can be shown before the server has answered. */
  get #isFree(): boolean {
    const { load, queue } = this.#state.current;
    const isIdle = !this.isRunning && !this.#inOrder.isLocked() && queue.items.length === 0;
    return load === 'ready' && isIdle && !this.chat.messages.some(asksForApproval);
  }

  /** Sends a message in the way that is possible now; one that is not accepted goes back to the outbox. */
  async #deliver(message: ChatMessage, modelId: string | undefined): Promise<void> {
    if (this.#isFree) return this.#start(message, modelId);
    try {
      await this.#enqueue(message, modelId);
    } catch (error) {
      this.#fail(message, modelId, error as ApiError);
    }
  }

  /** Sends a message that starts a turn, and reads its answer. */
  async #start(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const body = { here: here(), ...(modelId !== undefined && { modelId }) };
    const turnInOrder = this.#inOrder.acquire();
    this.#state.update({ isSending: true, turnError: null });
    const release = await turnInOrder;
    const answer = (this.#answer = Promise.withResolvers<SendOutcome>());
    const answered = this.#untilAnswered(answer.promise, message.id, release);
    // The SDK reads one stream at a time; that of another turn is read again afterwards.
    if (this.#state.current.isReading) await this.chat.stop();
    await this.#read(() => this.chat.sendMessage(message, { body }));
    answer.resolve('refused');
    const outcome = await answered;
    if (outcome !== 'started') this.chat.messages = this.chat.messages.filter(({ id }) => id !== message.id);
    const { error } = this.chat;
    if (outcome === 'refused' && error instanceof ApiError) {
      this.#fail(message, modelId, error);
      this.chat.clearError();
    }
    void this.#follow(true);
  }

  /** Lets the next request go once the server has responded to a message. */
  async #untilAnswered(answer: Promise<SendOutcome>, messageId: string, release: () => void): Promise<SendOutcome> {
    const outcome = await answer;
    if (outcome !== 'refused') settleSent(this.id, messageId);
    this.#state.update({ isSending: false });
    release();
    return outcome;
  }

  #fail(message: ChatMessage, modelId: string | undefined, error: ApiError): void {
    this.outbox.fail(message, modelId, error);
    // The server may have been found again by now.
    if (connection.state === 'online') this.outbox.resendOffline();
  }

  /** Adds a message to the queue; if no turn runs, it starts one. @throws ApiError */
  async #enqueue(message: ChatMessage, modelId: string | undefined): Promise<void> {
    const request = { sessionId: this.id, message, here: here(), modelId, clientRequestId: message.id };
    await this.#inOrder.runExclusive(() => api.queue.add(request));
    settleSent(this.id, message.id);
  }

  /**
   * Reads the stream of the running turn until it has ended, and those of the turns after it.
   * @param isAgain waits first: the end of a stream can arrive before that of its turn
   */
  async #follow(isAgain = false): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    try {
      for (let waits = isAgain; this.#canFollow; waits = true) {
        if (waits) await Promise.race([pause(READ_AGAIN), this.#turnChange.promise]);
        await this.#inOrder.waitForUnlock();
        if (this.#canFollow) await this.#read(() => this.chat.resumeStream());
      }
    } finally {
      this.#isFollowing = false;
    }
  }

  get #canFollow(): boolean {
    const { turn, isReading } = this.#state.current;
    const isReachable = this.#connect !== null && connection.state === 'online';
    return isReachable && turn?.status === 'running' && !isReading;
  }

  async #read(request: () => Promise<void>): Promise<void> {
    this.#state.update({ isReading: true });
    try {
      await request();
    } finally {
      const hasEnded = this.#state.current.turn?.status !== 'running';
      this.#state.update({ isReading: false, retryAt: 0, waiting: null, ...(hasEnded && { isStopping: false }) });
    }
  }

  /** Gives up a stream that has been silent for too long, and reads that of the running turn. */
  async #readAnew(): Promise<void> {
    if (this.#state.current.isReading && this.#transport.isSilent) await this.chat.stop();
    await this.#follow();
  }

  async #recover(): Promise<void> {
    this.#connect?.();
    this.outbox.resendOffline();
    await this.#readAnew();
  }

  #onRefused(status: number): void {
    if (this.#state.current.load !== 'ready') this.#state.update({ load: status === 404 ? 'missing' : 'failed' });
  }

  #onWaiting(waiting: WaitingData): void {
    this.#state.update(waiting.reason ? { waiting } : { retryAt: Date.now() + waiting.retryAfterMs });
  }

  #onEvent(event: FollowedEvent): void {
    // The SDK also writes a message while its status is still `submitted`.
    const isWriting = this.chat.status === 'streaming' || this.chat.status === 'submitted';
    const live = isWriting ? this.chat.lastMessage : undefined;
    const isEndOfLive = event.name === 'turn:end' && live?.metadata?.turnId === event.data.turnId;
    // The stored answer takes the place of the streamed one, which is no longer written.
    if (isEndOfLive) void this.chat.stop();
    const liveId = live?.role === 'assistant' && !isEndOfLive ? live.id : null;
    const before = { ...this.#state.current, messages: this.chat.messages };
    const { messages, turn, queue, approvals, compactingSince, context, nextCursor } = foldTranscript(
      before,
      event,
      liveId,
    );
    if (messages.length !== before.messages.length || messages.some((message, at) => message !== before.messages[at]))
      this.chat.messages = [...messages];
    this.#state.update({ turn, queue, approvals, compactingSince, context, nextCursor });
    this.outbox.settleAccepted();
    this.#report(event);
    this.#watchCompaction();
  }

  #report(event: FollowedEvent): void {
    switch (event.name) {
      case 'snapshot': {
        const { turn, openedAtMessage, earlier } = this.#state.current;
        this.#state.update({
          load: 'ready',
          openedAtMessage: openedAtMessage ?? this.chat.messages[0]?.id ?? null,
          earlier: earlier === 'loading' ? earlier : this.#earlier,
          ...(turn?.status !== 'running' && { isStopping: false }),
        });
        this.outbox.settleReturned();
        this.#onTurnChange();
        return this.#events.onSettled(this.id);
      }
      case 'turn:start':
        this.#state.update({ turnError: null });
        return this.#onTurnChange();
      case 'turn:end':
        this.#state.update({ isStopping: false, turnError: event.data.error });
        this.#onTurnChange();
        return this.#events.onSettled(this.id);
      case 'compaction:complete':
        return this.#notify({ kind: 'compacted', data: event.data }, 'summarized');
      case 'compaction:failed':
        return this.#events.onViewChanged(this.id, 'summarized');
      case 'compaction:undone': {
        const { compactionId, strategy } = event.data;
        if (compactionId === this.#state.current.lastPrune?.compactionId) this.#state.update({ lastPrune: null });
        if (!event.data.messages?.length) void this.#readShown();
        return this.#notify(
          { kind: 'undone', data: event.data },
          strategy === PRUNE_STRATEGY ? 'pruned' : 'summarized',
        );
      }
      case 'prune:complete':
        this.#state.update({ lastPrune: event.data });
        if (!event.data.messages?.length) void this.#readShown();
        return this.#notify({ kind: 'pruned', data: event.data }, 'pruned');
      case 'wishes:changed':
        return this.#events.onPreferences(this.id);
      case 'context:usage':
        return this.#events.onContext(this.id, event.data);
      default:
    }
  }

  /** Reads the shown messages again, because events carry only messages of turns: imported ones have none. */
  async #readShown(): Promise<void> {
    const read = await api.readMessages(this.id, { cursor: null, limit: MOST }).catch(() => null);
    if (!read || this.isRunning) return;
    const fresh = new Map(read.items.map((message) => [message.id, message]));
    const { messages } = this.chat;
    this.chat.messages = [
      ...keepUnchanged(
        messages,
        messages.map((message) => fresh.get(message.id) ?? message),
        null,
      ),
    ];
  }

  #onTurnChange(): void {
    this.#turnChange.resolve();
    this.#turnChange = Promise.withResolvers();
    void this.#readAnew();
  }

  #notify(notice: CompactionNotice, change: ViewChange): void {
    this.#notice.set(notice);
    this.#events.onViewChanged(this.id, change);
  }

  /** No event reports the end of a compaction whose process has died. */
  #watchCompaction(): void {
    clearTimeout(this.#look);
    const { compactingSince } = this.#state.current;
    if (compactingSince === null || this.#connect === null) return;
    this.#look = setTimeout(() => void this.#checkCompaction(compactingSince), LOOK_EVERY);
  }

  async #checkCompaction(since: number): Promise<void> {
    const session = await api.readSession(this.id).catch(() => null);
    if (this.#state.current.compactingSince !== since) return;
    if (!session || session.currentlyCompacting) return this.#watchCompaction();
    this.#state.update({ compactingSince: null });
    this.#events.onViewChanged(this.id, 'summarized');
  }
}
