import { AbstractChat, type ChatState, DefaultChatTransport, type UIMessageChunk } from 'ai';
import { api } from '#components/api/api-client';
import type { QueuedReceipt } from '#server/core/turns';
import type { ChatMessage } from '#components/api/chat-message';

/* The AI SDK's half of a conversation: sends and reads streams into its messages. Fetched when there is one to read. */

/** The server shows every 15 s that it is there: after this much silence of an answer it may be gone; ms. */
const MAX_SILENCE = 20_000;

type SendOptions = Parameters<DefaultChatTransport<ChatMessage>['sendMessages']>[0];
type ReconnectOptions = Parameters<DefaultChatTransport<ChatMessage>['reconnectToStream']>[0];

/**
 * Speaks POST /api/chat: only the newest message travels. Its id is also the request's idempotency key, so sending
 * it again after a lost answer runs it once.
 */
class ThroughlineTransport extends DefaultChatTransport<ChatMessage> {
  readonly #hooks: EngineHooks;
  #reading = new AbortController();
  #heardAt = 0;

  constructor(hooks: EngineHooks) {
    super();
    this.#hooks = hooks;
  }

  /** Breaks the stream that is read off, as a lost connection does, where it has been silent for too long. */
  breakOffSilent(): void {
    if (Date.now() - this.#heardAt < MAX_SILENCE) return;
    this.#reading.abort(new TypeError('The server has fallen silent.'));
    this.#reading = new AbortController();
  }

  override async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    const message = options.messages.at(-1);
    if (!message) throw new Error('There is no message to send.');
    const request = { ...options.body, id: options.chatId, message, clientRequestId: message.id };
    const response = await api.chat(request, options.abortSignal).finally(() => this.#hooks.onAnswered());
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

  #chunks({ body }: Response): ReadableStream<UIMessageChunk> {
    if (!body) return emptyStream();
    this.#heardAt = Date.now();
    const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (bytes, controller) => {
        this.#heardAt = Date.now();
        controller.enqueue(bytes);
      },
    });
    return this.processResponseStream(body.pipeThrough(heard, { signal: this.#reading.signal }));
  }
}

function emptyStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

export class ChatEngine extends AbstractChat<ChatMessage> {
  /** See `LiveChat.breakOffSilent`. */
  readonly breakOffSilent: () => void;

  constructor(id: string, state: ChatState<ChatMessage>, hooks: EngineHooks) {
    const transport = new ThroughlineTransport(hooks);
    super({ id, state, transport, onData: hooks.onData, onError: hooks.onError, onFinish: hooks.onFinish });
    this.breakOffSilent = () => transport.breakOffSilent();
  }
}

/** Callbacks of sending and following. */
export interface ChatHooks {
  /** The server has taken the message: started its turn or queued it. */
  onAccepted(message: ChatMessage): void;
  /** The server queued the message because a turn already runs; the stream that follows is that turn's. */
  onQueued(receipt: QueuedReceipt, message: ChatMessage): void;
  /** A turn that was started elsewhere is about to be followed: what came before it has to be on screen. */
  beforeFollow(): Promise<void>;
  readonly onData: (part: { readonly type: string; readonly data: unknown }) => void;
  readonly onError: (error: Error) => void;
  readonly onFinish: () => void;
}

interface EngineHooks extends ChatHooks {
  /** The server has answered a message that was sent, in whatever way. */
  onAnswered(): void;
}
