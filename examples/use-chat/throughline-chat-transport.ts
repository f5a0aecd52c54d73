import { DefaultChatTransport, type HttpChatTransportInitOptions, type UIMessage, type UIMessageChunk } from 'ai';

/** The server sends at least a comment every 15 s; after this much silence the connection is probably dead; ms. */
const MAX_SILENCE_MS = 20_000;

/** Options of the AI SDK's transport, and the server. */
export type ThroughlineChatTransportOptions<Message extends UIMessage> = HttpChatTransportInitOptions<Message> & {
  /** Address of the Throughline server, without a slash at the end. Default: the origin of the page */
  readonly baseUrl?: string;
};

/**
 * Connects `useChat` to Throughline. Compared with the AI SDK's own transport it sends the newest message instead of the
 * whole history, stops turns on the server, and tells when a connection is dead.
 */
export class ThroughlineChatTransport<Message extends UIMessage = UIMessage> extends DefaultChatTransport<Message> {
  #heardAt = 0;

  constructor({ baseUrl = '', ...options }: ThroughlineChatTransportOptions<Message> = {}) {
    super({
      api: `${baseUrl}/api/chat`,
      // The server has the history, and earlier files would be sent again with it.
      prepareSendMessagesRequest: ({ id, messages, body, trigger, messageId }) => ({
        body: { ...body, id, messages: messages.slice(-1), trigger, messageId },
      }),
      ...options,
    });
  }

  override sendMessages(
    ...[options]: Parameters<DefaultChatTransport<Message>['sendMessages']>
  ): Promise<ReadableStream<UIMessageChunk>> {
    this.#heardAt = Date.now();
    return super.sendMessages(options);
  }

  override reconnectToStream(
    ...[options]: Parameters<DefaultChatTransport<Message>['reconnectToStream']>
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    this.#heardAt = Date.now();
    return super.reconnectToStream(options);
  }

  /**
   * Stops the running turn. Its stream then ends, and the hook is ready again. The hook's own `stop` only closes the
   * connection, and the hook also calls it when its component unmounts: the turn continues.
   * @param chatId id of the chat, which is the id of the session
   * @returns false if the turn has not ended within 10 seconds, for example because a tool is still writing
   * @throws Error if the server refuses the request
   */
  async stopTurn(chatId: string): Promise<boolean> {
    const fetch = this.fetch ?? globalThis.fetch;
    const credentials = await valueOf(this.credentials);
    const response = await fetch(`${this.api}/${encodeURIComponent(chatId)}/cancel`, {
      method: 'POST',
      headers: new Headers((await valueOf(this.headers)) ?? {}),
      ...(credentials && { credentials }),
    });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { readonly cancelled: boolean }).cancelled;
  }

  /**
   * True if nothing has arrived for 20 s, not even a comment: the connection is dead although the browser has not
   * noticed. Call the hook's `stop` and `resumeStream` then.
   */
  get isSilent(): boolean {
    return Date.now() - this.#heardAt >= MAX_SILENCE_MS;
  }

  protected override processResponseStream(stream: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        this.#heardAt = Date.now();
        controller.enqueue(bytes);
      },
    });
    return super.processResponseStream(stream.pipeThrough(heard));
  }
}

/** An option of the AI SDK may be a value, a promise, or a function that returns one. */
async function valueOf<T>(option: T | PromiseLike<T> | (() => T | PromiseLike<T>) | undefined): Promise<T | undefined> {
  return typeof option === 'function' ? (option as () => T | PromiseLike<T>)() : option;
}
