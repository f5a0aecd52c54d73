import { atom } from 'nanostores';
import type { ChatMessage } from '#components/api/chat-message.ts';
import type { ConversationStatus } from '#server/core/conversation/conversation-state';
import type { PruneData, WaitingData } from '#server/core/conversation/events';
import type { CodedMessage } from '#server/core/coded-message';

/** A message that the server did not accept. */
export interface FailedSend {
  readonly message: ChatMessage;
  readonly reason: string;
  readonly modelId: string | undefined;
  /** True if no server answered; the message is sent once the server is back. */
  readonly isOffline: boolean;
}

/** Everything about a conversation that is not in its messages: what the feed reports, and the state of this tab. */
export interface ChatSessionState extends ConversationStatus {
  readonly load: 'loading' | 'ready' | 'failed' | 'missing';
  /** State of the stored messages before the first one displayed. */
  readonly earlier: 'none' | 'there' | 'loading' | 'failed';
  /**
   * Id of the first message displayed when the conversation was opened; earlier ones were loaded on request. Null
   * before the first load.
   */
  readonly openedAtMessage: string | null;
  /** True for a conversation that was created here and is still on screen, so that all its changes are new. */
  readonly isNew: boolean;
  /** The conversation is on screen, so it is connected to the server. */
  readonly isWatched: boolean;
  /** A message that starts a turn is on its way to the server. */
  readonly isSending: boolean;
  /** This tab reads the chunk stream of a turn. */
  readonly isReading: boolean;
  /** The user has stopped the running turn in this browser; it has not ended yet. */
  readonly isStopping: boolean;
  /** Reason why the newest turn failed while the conversation was on screen. */
  readonly turnError: { readonly text: string; readonly message: CodedMessage | null } | null;
  readonly failedSends: readonly FailedSend[];
  /** The newest prune since this conversation was opened here; null if there was none or it was undone. */
  readonly lastPrune: PruneData | null;
  /** Time of the next attempt after a provider requested a pause, in epoch ms; may be past. */
  readonly retryAt: number;
  /** What the running turn's request waits for; null if unknown or nothing. */
  readonly waiting: WaitingData | null;
  /** Message to scroll to, or the newest line (`row` is null); a new object for each request. Null: none. */
  readonly wanted: { readonly row: string | null } | null;
  /** Compaction whose details are open. */
  readonly shownCompaction: string | null;
  /** The message that the user is editing; null: none. */
  readonly editing: string | null;
  /** True while a replacement for another message is being sent. */
  readonly isReplacing: boolean;
}

const INITIAL: ChatSessionState = {
  turn: null,
  queue: { items: [], held: false },
  approvals: [],
  compactingSince: null,
  context: null,
  nextCursor: null,
  load: 'loading',
  earlier: 'none',
  openedAtMessage: null,
  isNew: false,
  isWatched: false,
  isSending: false,
  isReading: false,
  isStopping: false,
  turnError: null,
  failedSends: [],
  lastPrune: null,
  retryAt: 0,
  waiting: null,
  wanted: null,
  shownCompaction: null,
  editing: null,
  isReplacing: false,
};

/** True while a turn runs, or is about to be started from here. */
export function isRunning({ turn, isSending, isReading }: ChatSessionState): boolean {
  return turn?.status === 'running' || isSending || isReading;
}

/** Holds the state of a conversation. */
export class ChatSessionStore {
  readonly #state = atom(INITIAL);

  /** Calls `listener` after every change. Returns the unsubscribe function. */
  readonly subscribe = (listener: () => void): (() => void) => this.#state.listen(() => listener());

  get current(): ChatSessionState {
    return this.#state.get();
  }

  update(change: Partial<ChatSessionState>): void {
    this.#state.set({ ...this.#state.get(), ...change });
  }

  /** Resolves once the state fulfils a condition. */
  async until(isTrue: (state: ChatSessionState) => boolean): Promise<void> {
    if (isTrue(this.current)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = this.#state.listen((state) => isTrue(state) && resolve());
    await promise.finally(end);
  }
}
