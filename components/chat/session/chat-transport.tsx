import type { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessageChunk } from 'ai';
import { api } from '#components/api/api-client';
import { here } from '#components/desk/here';
import type { QueuedReceipt } from '#server/core/messages';
import { ApiError } from '#components/api/api-error';
import type { ChatMessage } from '#components/api/chat-message';
import type { ChatTranscript } from '#components/chat/session/chat-transcript';

type SendOptions = Parameters<DefaultChatTransport<ChatMessage>['sendMessages']>[0];
type ReconnectOptions = Parameters<DefaultChatTransport<ChatMessage>['reconnectToStream']>[0];

/** Callbacks of the transport. */
export interface TransportHooks {
  /** The server has taken the message: started its turn or queued it. */
  onAccepted(message: ChatMessage): void;
  /** The server queued the message because a turn already runs; the stream that follows is that turn's. */
  onQueued(receipt: QueuedReceipt, message: ChatMessage): void;
  /** A turn that was started elsewhere is about to be followed: what came before it has to be on screen. */
  beforeFollow(): Promise<void>;
}

/**
 * Speaks POST /api/chat: only the newest message travels. Its id is also the request's idempotency key, so sending
 * it again after a lost answer runs it once.
 */
export class ThroughlineTransport extends DefaultChatTransport<ChatMessage> {
  readonly #hooks: TransportHooks;
  #accepted: Promise<unknown> = Promise.resolve();

  constructor(hooks: TransportHooks) {
    super();
    this.#hooks = hooks;
  }

  /** Resolves once no message is on its way: the server has answered the newest one, in whatever way. */
  get accepted(): Promise<unknown> {
    return this.#accepted;
  }

  override async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    const message = options.messages.at(-1);
    if (!message) throw new Error('There is no message to send.');
    const request = { ...options.body, id: options.chatId, message, here: here(), clientRequestId: message.id };
    const answer = api.chat(request, options.abortSignal);
    this.#accepted = answer.catch(() => undefined);
    const response = await answer;
    this.#hooks.onAccepted(message);
    if (response.status !== 202) return this.#chunks(response);
    this.#hooks.onQueued((await response.json()) as QueuedReceipt, message);
    const { chatId, abortSignal } = options;
    return (await this.reconnectToStream({ chatId, ...(abortSignal ? { abortSignal } : {}) })) ?? emptyStream();
  }

  override async reconnectToStream(options: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    const response = await api.followChat(options.chatId, options.abortSignal);
    if (response.status === 204) return null;
    await this.#hooks.beforeFollow();
    return this.#chunks(response);
  }

  #chunks(response: Response): ReadableStream<UIMessageChunk> {
    return response.body ? this.processResponseStream(response.body) : emptyStream();
  }
}

function emptyStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

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

/** A turn runs, as far as this browser follows it. */
export function isRunning({ status }: Pick<Chat<ChatMessage>, 'status'>): boolean {
  return status === 'submitted' || status === 'streaming';
}

/** Follows the turns of a conversation, wherever they were started, until none runs and the transcript shows them. */
export class ChatFollower {
  readonly #chat: Chat<ChatMessage>;
  readonly #transcript: ChatTranscript;
  readonly #hooks: FollowerHooks;
  #isFollowing = false;
  #isLoaded = false;

  constructor(chat: Chat<ChatMessage>, transcript: ChatTranscript, hooks: FollowerHooks) {
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
      if (isRunning(this.#chat)) return;
      if (hasTurn) {
        await this.#chat.resumeStream();
        if (this.#chat.error instanceof ApiError) return;
      } else if (this.#transcript.isBehind) {
        await this.#hooks.load();
      } else if (this.#transcript.hasOpenAnswer || (this.#transcript.hasOpenRequest && misses === 0)) {
        // A request without an answer may be all there is: that is worth one more look, not more.
        misses += 1;
        await pause(PAUSE);
        if (!isRunning(this.#chat)) await this.#hooks.load();
      } else {
        return;
      }
    }
  }
}
