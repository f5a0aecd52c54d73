import type { ChatState, ChatStatus } from 'ai';
import { toast } from '#components/toast';
import { ApiError } from '#components/api/api-error';
import type { ChatMessage } from '#components/api/chat-message';
import { connection } from '#components/api/connection';
import type { ChatEngine, ChatHooks } from '#components/chat/session/chat-engine';
import { strings } from '#components/words';

let fetched: Promise<typeof import('#components/chat/session/chat-engine')> | null = null;

/** Fetches what reads an answer, which the first look at a page does without. One that failed is tried again. */
export function fetchEngine(): Promise<typeof import('#components/chat/session/chat-engine')> {
  fetched ??= import('#components/chat/session/chat-engine').catch((error: unknown) => {
    fetched = null;
    throw error;
  });
  return fetched;
}

/** The messages and state of a conversation, as the SDK keeps them, with listeners that are told of every change. */
class ChatMemory implements ChatState<ChatMessage> {
  readonly #listeners = new Set<() => void>();
  #messages: ChatMessage[] = [];
  #status: ChatStatus = 'ready';
  #error: Error | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get messages(): ChatMessage[] {
    return this.#messages;
  }

  set messages(messages: readonly ChatMessage[]) {
    this.#messages = [...messages];
    this.#tell();
  }

  get status(): ChatStatus {
    return this.#status;
  }

  set status(status: ChatStatus) {
    this.#status = status;
    this.#tell();
  }

  get error(): Error | undefined {
    return this.#error;
  }

  set error(error: Error | undefined) {
    this.#error = error;
    this.#tell();
  }

  readonly pushMessage = (message: ChatMessage): void => {
    this.messages = [...this.#messages, message];
  };

  readonly popMessage = (): void => {
    this.messages = this.#messages.slice(0, -1);
  };

  readonly replaceMessage = (index: number, message: ChatMessage): void => {
    this.messages = this.#messages.with(index, this.snapshot(message));
  };

  /** The SDK goes on writing into the parts of a message that it has handed over. */
  readonly snapshot = <T,>(value: T): T => {
    if (typeof value !== 'object' || value === null || !('parts' in value) || !Array.isArray(value.parts)) return value;
    const parts = value.parts.map((part: object) => ({ ...part }));
    return { ...value, parts, ...('metadata' in value && { metadata: { ...(value.metadata as object) } }) };
  };

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * The messages of a conversation as this browser has them, and whether an answer to them is on its way. It sends and
 * follows by the AI SDK, which is fetched for the first of both.
 */
export class LiveChat {
  readonly id: string;
  readonly #hooks: ChatHooks;
  readonly #memory = new ChatMemory();
  #engine: ChatEngine | null = null;
  #isClosed = false;
  #isResuming = false;
  #acceptedId: string | null = null;
  #accepted = Promise.withResolvers<void>();

  constructor(id: string, hooks: ChatHooks) {
    this.id = id;
    this.#hooks = hooks;
    this.#accepted.resolve();
  }

  /** Told of every change. Returns a function that ends it. */
  readonly subscribe = (listener: () => void): (() => void) => this.#memory.subscribe(listener);

  get messages(): ChatMessage[] {
    return this.#memory.messages;
  }

  set messages(messages: readonly ChatMessage[]) {
    this.#memory.messages = messages;
  }

  get status(): ChatStatus {
    return this.#memory.status;
  }

  get error(): Error | undefined {
    return this.#memory.error;
  }

  /** A turn runs, as far as this browser follows it. */
  get isRunning(): boolean {
    return this.status === 'submitted' || this.status === 'streaming';
  }

  /** A turn is about to be followed: what comes of that sets the status, also of a message that is on its way by then. */
  get isResuming(): boolean {
    return this.#isResuming;
  }

  /** Resolves once no message is on its way: the server has answered the newest one, in whatever way. */
  get accepted(): Promise<void> {
    return this.#accepted.promise;
  }

  /** Id of the newest message that was sent from here and the server has taken: its turn has started, or it waits. */
  get acceptedId(): string | null {
    return this.#acceptedId;
  }

  /** Shows a message and sends it; resolves when its answer has ended. What went wrong is in `status` and `error`. */
  async sendMessage(message: ChatMessage, options: { readonly body: object }): Promise<void> {
    // Before anything is awaited: what comes next may come at once.
    const accepted = (this.#accepted = Promise.withResolvers());
    this.#acceptedId = null;
    try {
      await this.#send(message, options);
    } finally {
      accepted.resolve();
    }
  }

  async #send(message: ChatMessage, options: { readonly body: object }): Promise<void> {
    const memory = this.#memory;
    if (!this.#engine) {
      memory.pushMessage(message);
      memory.status = 'submitted';
      const engine = await this.#open().catch(async (error: unknown) => this.#fail(await whyNotFetched(error)));
      if (!engine || this.#isClosed) return;
      // The engine shows it itself, in the same breath.
      memory.messages = memory.messages.filter(({ id }) => id !== message.id);
      memory.status = 'ready';
    }
    await this.#engine?.sendMessage(message, options);
  }

  /** Follows the turn that runs. @throws where what reads its answer cannot be fetched, and once it is closed */
  async resumeStream(): Promise<void> {
    const engine = await this.#open().catch(async (error: unknown) => {
      const reason = await whyNotFetched(error);
      if (reason.code === NOT_FETCHED) toast.error(reason.message, { id: 'not-fetched' });
      throw reason;
    });
    if (this.#isClosed) throw new DOMException('Nobody follows this conversation any more.', 'AbortError');
    if (this.isRunning) return;
    this.#isResuming = true;
    await engine.resumeStream().finally(() => (this.#isResuming = false));
  }

  /**
   * Breaks an answer off that nothing came of for so long that the server must be gone: nobody would be told of its end.
   * It is followed anew like any that was cut off.
   */
  breakOffSilent(): void {
    this.#engine?.breakOffSilent();
  }

  /** Follows no longer, for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#engine?.stop();
  }

  clearError(): void {
    if (this.status !== 'error') return;
    this.#memory.error = undefined;
    this.#memory.status = 'ready';
  }

  async #open(): Promise<ChatEngine> {
    const { ChatEngine } = await fetchEngine();
    this.#engine ??= new ChatEngine(this.id, this.#memory, {
      ...this.#hooks,
      onAnswered: () => this.#accepted.resolve(),
      onAccepted: (message) => {
        this.#acceptedId = message.id;
        this.#hooks.onAccepted(message);
      },
    });
    return this.#engine;
  }

  #fail(error: Error): null {
    this.#memory.status = 'error';
    this.#memory.error = error;
    this.#hooks.onError(error);
    return null;
  }
}

const NOT_FETCHED = 'not_fetched';

/** No server answers, or it is a newer one that has that code no longer: waiting for the connection would not help. */
async function whyNotFetched(cause: unknown): Promise<ApiError> {
  if (!(await connection.check())) return ApiError.network(cause);
  return new ApiError(NOT_FETCHED, strings.common.notFetched, 0, { cause });
}
