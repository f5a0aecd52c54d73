import type { Chat } from '@ai-sdk/react';
import { Mutex } from 'async-mutex';
import { atom } from 'nanostores';
import { api } from '#components/api/api-client.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { connection } from '#components/api/connection.ts';
import type { FollowedEvent } from '#components/api/follow-events.ts';
import {
  type ChatSessionState,
  ChatSessionStore,
  isRunning as isTurnRunning,
} from '#components/chat/session/chat-session-state.ts';
import { foldTranscript } from '#components/chat/session/fold-transcript.ts';
import { MessagePages } from '#components/chat/session/message-pages.ts';
import { NewestRequest } from '#components/chat/session/newest-request.ts';
import { Outbox } from '#components/chat/session/outbox.ts';
import { TurnReader } from '#components/chat/session/turn-reader.ts';
import type { ApprovalDecision } from '#server/core/conversation/approvals';
import type { ContextUsage, PruneData, SessionEventData } from '#server/core/conversation/events';
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

/** Interval of checks whether a compaction still runs, because its process may have died; ms. */
const LOOK_EVERY = 5_000;

/** The error of a turn that has ended; null if it ended without one. */
function turnErrorOf({ error, errorMessage = null }: SessionEventData['turn:end']) {
  return error === null ? null : { text: error, message: errorMessage };
}

/**
 * One conversation. Its `chat` holds the messages: the chunk stream of the running turn writes the running answer, the
 * events of the feed all other messages. The feed also tells whether a turn runs and what is queued. What the server has
 * not accepted yet is in the outbox. Only a conversation on screen is connected.
 */
export class ChatSession {
  readonly id: string;
  readonly outbox: Outbox;
  readonly pages: MessagePages;
  readonly newestRequest: NewestRequest;
  readonly #events: ChatSessionEvents;
  readonly #state = new ChatSessionStore();
  readonly #reader: TurnReader;
  readonly #notice = atom<CompactionNotice | null>(null);
  readonly #unsubscribe: () => void;
  /** Connects to the feed; null while the conversation is not on screen. */
  #connect: (() => void) | null = null;
  /** Requests can overtake each other: one that changes the conversation waits until those before it are answered. */
  readonly #inOrder = new Mutex();
  #look: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, events: ChatSessionEvents) {
    this.id = id;
    this.#events = events;
    this.#reader = new TurnReader(id, this.#state, this.#inOrder);
    this.outbox = new Outbox(this.#state, this.#reader, this.#inOrder);
    this.pages = new MessagePages(this.chat, this.#state);
    this.newestRequest = new NewestRequest(this.chat, this.#state, this.#inOrder);
    this.#unsubscribe = connection.subscribe(() => {
      if (connection.state === 'online') void this.#recover();
    });
  }

  /** The messages, and the state of the stream that writes the running answer. */
  get chat(): Chat<ChatMessage> {
    return this.#reader.chat;
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
    this.#state.update({ isWatched: true });
    this.#connect = () => {
      ending.abort();
      ending = new AbortController();
      let hasSnapshot = false;
      api.events(this.id, {
        signal: ending.signal,
        needsSnapshot: () => !hasSnapshot,
        onOpen: () => void this.#reader.readAgain(),
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
      this.#state.update({ isNew: false, isWatched: false });
      void this.leave();
    };
  }

  /** Reads no stream any more unless it is on screen, once the server has answered a message that is on its way. */
  async leave(): Promise<void> {
    await this.#inOrder.waitForUnlock();
    if (!this.#state.current.isWatched) await this.chat.stop();
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
    this.#state.update({ isWatched: false });
    clearTimeout(this.#look);
    void this.chat.stop();
  }

  /** Calls `listener` once for each notice while the conversation is watched. Returns the unsubscribe function. */
  onNotice(listener: (notice: CompactionNotice) => void): () => void {
    return this.#notice.listen((notice) => {
      if (notice) listener(notice);
    });
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

  async #recover(): Promise<void> {
    this.#connect?.();
    this.outbox.resendOffline();
    await this.#reader.readAgain();
  }

  #onRefused(status: number): void {
    if (this.#state.current.load !== 'ready') this.#state.update({ load: status === 404 ? 'missing' : 'failed' });
  }

  #onEvent(event: FollowedEvent): void {
    const live = this.#reader.liveMessage;
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
        const isEnded = this.#state.current.turn?.status !== 'running';
        this.pages.noteSnapshot();
        this.#state.update({ load: 'ready', ...(isEnded && { isStopping: false }) });
        this.outbox.settleReturned();
        this.#reader.noteTurnChange();
        return this.#events.onSettled(this.id);
      }
      case 'queue:changed':
        return this.outbox.settleReturned();
      case 'turn:start':
        this.outbox.settleReturned();
        this.#state.update({ turnError: null });
        return this.#reader.noteTurnChange();
      case 'turn:end':
        this.#state.update({ isStopping: false, turnError: turnErrorOf(event.data) });
        this.#reader.noteTurnChange();
        return this.#events.onSettled(this.id);
      case 'compaction:complete':
        return this.#notify({ kind: 'compacted', data: event.data }, 'summarized');
      case 'compaction:failed':
        return this.#events.onViewChanged(this.id, 'summarized');
      case 'compaction:undone': {
        const { compactionId, strategy } = event.data;
        if (compactionId === this.#state.current.lastPrune?.compactionId) this.#state.update({ lastPrune: null });
        return this.#notify(
          { kind: 'undone', data: event.data },
          strategy === PRUNE_STRATEGY ? 'pruned' : 'summarized',
        );
      }
      case 'prune:complete':
        this.#state.update({ lastPrune: event.data });
        return this.#notify({ kind: 'pruned', data: event.data }, 'pruned');
      case 'wishes:changed':
        return this.#events.onPreferences(this.id);
      case 'context:usage':
        return this.#events.onContext(this.id, event.data);
      default:
    }
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
