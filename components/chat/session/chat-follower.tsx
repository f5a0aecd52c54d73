import { api } from '#components/api/api-client';
import { ApiError } from '#components/api/api-error';
import type { ChatTranscript } from '#components/chat/session/chat-transcript';
import type { LiveChat } from '#components/chat/session/live-chat';

/**
 * Number of attempts, and ms between them, to read the rest of an answer that is stored as unfinished though nothing
 * runs. Together longer than the server takes to settle a turn whose process died.
 */
const ATTEMPTS = 24;
const PAUSE = 250;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Functions the follower needs from its conversation. */
export interface FollowerHooks {
  /** Shows what is stored. @throws ApiError */
  readonly load: () => Promise<void>;
  /** The connection is lost; it is followed anew when that is back. */
  readonly isCutOff: () => boolean;
}

export interface FollowOptions {
  /** The transcript was loaded just now: following the turn it shows need not load it again. Default false. */
  readonly isLoaded?: boolean;
}

/** Follows the turns of a conversation, wherever they were started, until none runs and the transcript shows them. */
export class ChatFollower {
  readonly #chat: LiveChat;
  readonly #transcript: ChatTranscript;
  readonly #hooks: FollowerHooks;
  #isFollowing = false;
  #isLoaded = false;

  constructor(chat: LiveChat, transcript: ChatTranscript, hooks: FollowerHooks) {
    this.#chat = chat;
    this.#transcript = transcript;
    this.#hooks = hooks;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Follows running turns; not while it does so already. Rejects when the server cannot be reached. */
  async follow({ isLoaded = false }: FollowOptions = {}): Promise<void> {
    this.#isFollowing = true;
    this.#isLoaded = isLoaded;
    try {
      await this.#followWhileTurnsRun();
    } finally {
      this.#isFollowing = false;
      this.#isLoaded = false;
    }
  }

  /** Loads the messages before a turn that was started elsewhere; called before its stream is read. */
  async beforeFollow(): Promise<void> {
    const showsTurn = this.#transcript.hasOpenAnswer || this.#transcript.hasOpenRequest;
    if (!this.#isLoaded || !showsTurn) await this.#hooks.load();
    this.#isLoaded = false;
  }

  async #followWhileTurnsRun(): Promise<void> {
    for (let misses = 0; misses <= ATTEMPTS;) {
      if (this.#hooks.isCutOff()) return;
      const hasTurn = await api.hasRunningTurn(this.#chat.id);
      // The user was faster: what they sent follows up by itself when it has ended.
      if (this.#chat.isRunning) return;
      if (hasTurn) {
        await this.#chat.resumeStream();
        if (this.#chat.error instanceof ApiError) return;
      } else if (this.#transcript.isBehind) {
        await this.#hooks.load();
      } else if (this.#transcript.hasOpenAnswer || (this.#transcript.hasOpenRequest && misses === 0)) {
        // A request without an answer may be all there is: that is worth one more look, not more.
        misses += 1;
        await pause(PAUSE);
        if (!this.#chat.isRunning) await this.#hooks.load();
      } else {
        return;
      }
    }
  }
}
