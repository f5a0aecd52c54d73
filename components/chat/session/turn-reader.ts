import type { ThroughlineChatTransport } from '#examples/use-chat/throughline-chat-transport';
import { Chat } from '@ai-sdk/react';
import type { Mutex } from 'async-mutex';
import { ApiError } from '#components/api/api-error.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { connection } from '#components/api/connection.ts';
import type { ChatSessionStore } from '#components/chat/session/chat-session-state.ts';
import { createChatTransport, type SendOutcome } from '#components/chat/session/chat-transport.ts';
import type { WaitingData } from '#server/core/conversation/events';

/** Pause before the stream of a turn that has not ended is read again; ms. */
const READ_AGAIN = 1_000;

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/**
 * Reads the chunk streams of a conversation into its `chat`: the stream of a message that was sent from here, and, while
 * the conversation is on screen, that of every running turn. The SDK reads one stream at a time.
 */
export class TurnReader {
  readonly chat: Chat<ChatMessage>;
  readonly #state: ChatSessionStore;
  readonly #transport: ThroughlineChatTransport<ChatMessage>;
  readonly #inOrder: Mutex;
  /** Response to the newest message. */
  #answer = Promise.withResolvers<SendOutcome>();
  #isFollowing = false;
  /** Resolves at the next start or end of a turn. */
  #turnChange = Promise.withResolvers<void>();

  /** @param inOrder locked while a request that changes the conversation waits for its response */
  constructor(sessionId: string, state: ChatSessionStore, inOrder: Mutex) {
    this.#state = state;
    this.#inOrder = inOrder;
    this.#transport = createChatTransport((outcome) => this.#answer.resolve(outcome));
    this.chat = new Chat<ChatMessage>({
      id: sessionId,
      transport: this.#transport,
      onData: (part) => {
        if (part.type === 'data-waiting') this.#onWaiting(part.data as WaitingData);
      },
      onError: (error) => {
        // A TypeError means an interrupted stream; an ApiError means that the request was not accepted.
        if (error instanceof TypeError) connection.reportLost();
      },
    });
  }

  /** The message that the stream is writing; undefined: none. */
  get liveMessage(): ChatMessage | undefined {
    // The SDK also writes a message while its status is still `submitted`.
    const isWriting = this.chat.status === 'streaming' || this.chat.status === 'submitted';
    return isWriting ? this.chat.lastMessage : undefined;
  }

  /**
   * Sends a message that starts a turn, and reads its answer. Resolves when the stream has ended.
   * @param onAnswer called when the server has responded, before its answer is read
   * @returns the response, and the error of a message that was not accepted
   */
  async send(
    message: ChatMessage,
    body: object,
    onAnswer: (outcome: SendOutcome) => void,
  ): Promise<{ readonly outcome: SendOutcome; readonly error: ApiError | null }> {
    const answer = (this.#answer = Promise.withResolvers<SendOutcome>());
    const answered = answer.promise.then((outcome) => {
      onAnswer(outcome);
      return outcome;
    });
    // The stream of another turn is read again afterwards.
    if (this.#state.current.isReading) await this.chat.stop();
    await this.#read(() => this.chat.sendMessage(message, { body }));
    answer.resolve('refused');
    const outcome = await answered;
    if (outcome !== 'started') this.chat.messages = this.chat.messages.filter(({ id }) => id !== message.id);
    const { error } = this.chat;
    if (outcome !== 'refused' || !(error instanceof ApiError)) return { outcome, error: null };
    this.chat.clearError();
    return { outcome, error };
  }

  /**
   * Reads the stream of the running turn until it has ended, and those of the turns after it.
   * @param isAgain waits first: the end of a stream can arrive before that of its turn
   */
  async follow(isAgain = false): Promise<void> {
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

  /** Gives up a stream that has been silent for too long, and reads that of the running turn. */
  async readAgain(): Promise<void> {
    if (this.#state.current.isReading && this.#transport.isSilent) await this.chat.stop();
    await this.follow();
  }

  /** Called after the start or the end of a turn. */
  noteTurnChange(): void {
    this.#turnChange.resolve();
    this.#turnChange = Promise.withResolvers();
    void this.readAgain();
  }

  get #canFollow(): boolean {
    const { turn, isReading, isWatched } = this.#state.current;
    return isWatched && connection.state === 'online' && turn?.status === 'running' && !isReading;
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

  #onWaiting(waiting: WaitingData): void {
    this.#state.update(waiting.reason ? { waiting } : { retryAt: Date.now() + waiting.retryAfterMs });
  }
}
