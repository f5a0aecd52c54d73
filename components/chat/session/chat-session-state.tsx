import type { PruneData, QueueData } from '#server/core/events';

/** A message that the server never accepted. */
export interface FailedSend {
  readonly messageId: string;
  readonly reason: string;
  readonly modelId: string | undefined;
  /** True if no server answered: it is sent as soon as the server is back. */
  readonly isOffline: boolean;
}

/** Everything about a conversation that is not in its messages. */
export interface ChatSessionState {
  readonly load: 'loading' | 'ready' | 'failed' | 'missing';
  /** Stored messages before the first one shown. */
  readonly earlier: 'none' | 'there' | 'loading' | 'failed';
  /** Id of the first message shown when the conversation was opened; the user asked for those before it. Null: none yet. */
  readonly openedAtMessage: string | null;
  readonly queue: QueueData;
  /** The user has stopped the running turn here; it has not ended yet. */
  readonly isStopping: boolean;
  readonly failedSends: readonly FailedSend[];
  /** Epoch ms since when a summary is being made, whoever asked for it; null when none is. */
  readonly compactingSince: number | null;
  /** The newest prune since this conversation was opened here; null when there was none, or it was undone. */
  readonly lastPrune: PruneData | null;
  /** Epoch ms of the next try of a provider that asked for a pause; it may be past. */
  readonly retryAt: number;
  /** Message that somebody asked to see; another object for each time. Null: none. */
  readonly wanted: { readonly row: string } | null;
  /** Compaction whose details are on screen. */
  readonly shownCompaction: string | null;
  /** The message that the user is changing; null when none is. */
  readonly editing: string | null;
  /** A message is on its way that takes the place of another. */
  readonly isReplacing: boolean;
}

const INITIAL: ChatSessionState = {
  load: 'loading',
  earlier: 'none',
  openedAtMessage: null,
  queue: { items: [], held: false },
  isStopping: false,
  failedSends: [],
  compactingSince: null,
  lastPrune: null,
  retryAt: 0,
  wanted: null,
  shownCompaction: null,
  editing: null,
  isReplacing: false,
};

/** Holds the state of a conversation and tells its listeners of every change. */
export class ChatSessionStore {
  readonly #listeners = new Set<() => void>();
  #state = INITIAL;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get current(): ChatSessionState {
    return this.#state;
  }

  update(change: Partial<ChatSessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
