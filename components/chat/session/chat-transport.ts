import { DefaultChatTransport, type UIMessageChunk } from 'ai';
import { api } from '#components/api/api-client.ts';
import type { ChatMessage } from '#components/api/chat-message.ts';

/** The server sends a sign of life every 15 s; after this much silence of a stream it may be gone; ms. */
const MAX_SILENCE = 20_000;

type SendOptions = Parameters<DefaultChatTransport<ChatMessage>['sendMessages']>[0];
type ReconnectOptions = Parameters<DefaultChatTransport<ChatMessage>['reconnectToStream']>[0];

/** Response to a message: its turn has started, it waits behind the running turn, or it was not accepted. */
export type SendOutcome = 'started' | 'queued' | 'refused';

/**
 * Transport of the AI SDK for our routes: POST /api/chat with the newest message only, and the stream of the running
 * turn. The message id is also the idempotency key, so that sending it again after a lost response runs it once.
 */
export class ThroughlineTransport extends DefaultChatTransport<ChatMessage> {
  readonly #onAnswer: (outcome: SendOutcome) => void;
  #heardAt = 0;

  /** @param onAnswer called when the server has responded to a message, before its answer is read */
  constructor(onAnswer: (outcome: SendOutcome) => void) {
    super();
    this.#onAnswer = onAnswer;
  }

  /** True if the current request has been silent for so long that its server must be gone. */
  get isSilent(): boolean {
    return Date.now() - this.#heardAt >= MAX_SILENCE;
  }

  override async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    const message = options.messages.at(-1);
    if (!message) throw new Error('There is no message to send.');
    const request = { ...options.body, id: options.chatId, message, clientRequestId: message.id };
    this.#heardAt = Date.now();
    try {
      const response = await api.chat(request, options.abortSignal);
      this.#onAnswer(response.status === 202 ? 'queued' : 'started');
      if (response.status !== 202) return this.#chunks(response);
      await response.body?.cancel();
      return emptyStream();
    } catch (error) {
      this.#onAnswer('refused');
      throw error;
    }
  }

  override async reconnectToStream(options: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    this.#heardAt = Date.now();
    const response = await api.followChat(options.chatId, options.abortSignal);
    return response.status === 204 ? null : this.#chunks(response);
  }

  #chunks({ body }: Response): ReadableStream<UIMessageChunk> {
    if (!body) return emptyStream();
    const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (bytes, controller) => {
        this.#heardAt = Date.now();
        controller.enqueue(bytes);
      },
    });
    return this.processResponseStream(body.pipeThrough(heard));
  }
}

function emptyStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({ start: (controller) => controller.close() });
}
