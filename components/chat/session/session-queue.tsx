import { Mutex } from 'async-mutex';
import { api, type QueueRequest } from '#components/api/api-client';
import type { QueueReceipt } from '#server/core/turns';
import { type ChatMessage, messageFiles, messageText } from '#components/api/chat-message';
import type { QueueData } from '#server/core/events';
import { toast } from '#components/toast';
import { ApiError, messageOf } from '#components/api/api-error';
import { queueStrings } from '#components/chat/session/words';
import { reportFailure } from '#components/ui/toasts';

const EMPTY: QueueData = { items: [], held: false };

/**
 * The queue of a session as the server reports it. Changes from this browser show once the server has accepted them,
 * unless a newer report has arrived meanwhile. Every method throws ApiError, after reading the queue again.
 */
export class SessionQueue {
  readonly #sessionId: string;
  readonly #onChange: (data: QueueData) => void;
  #data = EMPTY;
  /** Counts what the server has said, asked or not. */
  #version = 0;
  /** Counts what it has said of itself. */
  #told = 0;
  #readings = 0;
  #newestReading = 0;
  /** The server may have it all the same: its answer may have been lost. A refused one's key is as good as new. */
  #givenBack: ChatMessage | null = null;
  /** Two changes may overtake each other: then older or removed words would be sent, or new ones be cleared away. */
  readonly #inOrder = new Mutex();

  constructor(sessionId: string, onChange: (data: QueueData) => void) {
    this.#sessionId = sessionId;
    this.#onChange = onChange;
  }

  /** Changes whenever the server has reported something. */
  get version(): number {
    return this.#version;
  }

  get isEmpty(): boolean {
    return this.#data.items.length === 0;
  }

  /** Handles a queue event from the server. */
  apply(data: QueueData): void {
    this.#told += 1;
    this.#hear(data);
  }

  async refresh(): Promise<void> {
    const told = this.#told;
    const reading = (this.#readings += 1);
    const data = await api.queue.list(this.#sessionId);
    if (this.#told !== told || reading < this.#newestReading) return;
    this.#newestReading = reading;
    this.#hear(data);
  }

  /** Queues a message; where nothing runs it starts a turn instead, which the receipt says. */
  async add(request: QueueRequest): Promise<QueueReceipt> {
    try {
      return await this.#change(
        () => api.queue.add(request),
        (data, receipt) => (receipt.queued ? this.#with(data, receipt.id, request.message) : data),
      );
    } catch (error) {
      this.#givenBack = request.message;
      throw error;
    }
  }

  /**
   * The message that could not be added, to be sent under its idempotency key; null unless these are its parts and
   * nothing else was sent or changed here since: then it is another one with the same words.
   */
  takeGivenBack(parts: ChatMessage['parts']): ChatMessage | null {
    const message = this.#givenBack;
    this.#givenBack = null;
    return JSON.stringify(message?.parts) === JSON.stringify(parts) ? message : null;
  }

  /**
   * Shows a message that the server queued though it was to be sent at once.
   * @param version what it was when the message left: by now it may wait no longer
   */
  noteQueued(id: string, message: ChatMessage, version: number): void {
    if (this.#version === version) this.#show(this.#with(this.#data, id, message));
    else this.refresh().catch(() => undefined);
  }

  async edit(id: string, text: string): Promise<void> {
    await this.#change(
      () => api.queue.edit(id, { role: 'user', parts: [{ type: 'text', text }] }),
      (data) => ({ ...data, items: data.items.map((item) => (item.id === id ? { ...item, text } : item)) }),
    );
  }

  async remove(id: string): Promise<void> {
    await this.#change(
      () => api.queue.remove(id),
      (data) => ({ ...data, items: data.items.filter((item) => item.id !== id) }),
    );
  }

  async clear(): Promise<void> {
    await this.#change(
      () => api.queue.clear(this.#sessionId),
      () => EMPTY,
    );
  }

  /** Puts a message first in line; where nothing runs it is sent at once, alone. Resolves to whether it was. */
  async sendOne(id: string): Promise<boolean> {
    const { started } = await this.#change(
      () => api.queue.send(id),
      (data, receipt) => {
        const [chosen, others] = [
          data.items.filter((item) => item.id === id),
          data.items.filter((item) => item.id !== id),
        ];
        return { ...data, items: receipt.started ? others : [...chosen, ...others] };
      },
    );
    return started;
  }

  /** Sends what was held back after a stop. Resolves to whether a turn was started for it. */
  async sendAll(): Promise<boolean> {
    const { started } = await this.#change(
      () => api.queue.release(this.#sessionId),
      (data, receipt) => (receipt.started ? EMPTY : { ...data, held: false }),
    );
    return started;
  }

  #with(data: QueueData, id: string, message: ChatMessage): QueueData {
    if (data.items.some((item) => item.id === id)) return data;
    const { createdAt = Date.now() } = message.metadata ?? {};
    return {
      held: false,
      items: [...data.items, { id, text: messageText(message), files: messageFiles(message), createdAt }],
    };
  }

  #change<T>(request: () => Promise<T>, change: (data: QueueData, result: T) => QueueData): Promise<T> {
    return this.#inOrder.runExclusive(async () => {
      const before = this.#version;
      try {
        const result = await request();
        this.#givenBack = null;
        if (this.#version === before) this.#show(change(this.#data, result));
        return result;
      } catch (error) {
        await this.refresh().catch(() => undefined);
        throw error;
      }
    });
  }

  #hear(data: QueueData): void {
    this.#version += 1;
    this.#show(data);
  }

  #show(data: QueueData): void {
    this.#data = data;
    this.#onChange(data);
  }
}

/** Reports a failure about a waiting message: usually it is no longer waiting. */
export function reportQueueFailure(error: unknown): void {
  if (error instanceof ApiError && error.status === 404) toast(queueStrings.gone);
  else reportFailure(error);
}

/** Tells the user why a message could not be sent. The caller keeps its text. */
export function reportUnsent(error: unknown): void {
  toast.error(queueStrings.failed(messageOf(error)));
}
