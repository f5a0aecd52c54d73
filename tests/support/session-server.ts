import { setImmediate as nextTick } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { vi } from 'vitest';
import { type ChatFile, type ChatMessage, messageText } from '#components/api/chat-message.ts';
import { attachmentSchema } from '#server/core/conversation/part-types/blobs';
import { queueSchema } from '#server/core/conversation/events';
import type { Session } from '#server/core/conversation/sessions';
import { scopesOfRole } from '#server/core/admin/access-rights';
import type { Services } from '#server/services';
import { pngImage } from '#tests/support/attached-files';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { finish, scriptedModel, textBlock, toolCall } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';

const MODEL_ID = 'test/scripted';

/** A request to the model that is being answered. */
interface ModelCall {
  readonly write: (part: LanguageModelV4StreamPart) => void;
  readonly end: () => void;
}

/** The connection that carries one stream of events to the browser. */
interface EventConnection {
  readonly request: string;
  /** Nothing is sent any more, and it stays open. */
  isSilent: boolean;
  readonly close: () => void;
  readonly fail: (error: Error) => void;
}

/** What the browser has sent. */
interface SentMessage {
  readonly id: string;
  readonly text: string;
}

/**
 * The routes and services of this process with one session. A test decides what the model answers, and can hold back,
 * lose or refuse requests and break connections.
 */
export class SessionServer {
  readonly services: Services;
  readonly session: Session;
  /** Messages that reached the server, in any way, with their idempotency keys. */
  readonly sent: SentMessage[] = [];
  /** Every request: `GET /api/...`. */
  readonly requests: string[] = [];
  /** What requests of a kind wait for: `POST /api/chat`. */
  readonly gates = new Map<string, () => Promise<void>>();
  /** Requests that the server receives once while their response is lost. */
  readonly lost = new Set<string>();
  /** Responses to the next request of a kind instead of the server's. */
  readonly answers = new Map<string, () => Response>();
  /** The next request that is not a GET is refused with this status. */
  refusesNext: number | null = null;
  readonly #connections = new Set<EventConnection>();
  readonly #nextCall: () => Promise<ModelCall>;
  /** Everything a test has told the server to do, in order. */
  #script: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<Promise<Response>>();
  #isStopped = false;
  /** Set while events are held back. */
  #delay: PromiseWithResolvers<void> | null = null;

  private constructor(services: Services, session: Session, nextCall: () => Promise<ModelCall>) {
    this.services = services;
    this.session = session;
    this.#nextCall = nextCall;
  }

  static async start(): Promise<SessionServer> {
    let call = Promise.withResolvers<ModelCall>();
    const { model } = scriptedModel(
      ...Array.from(
        { length: 100 },
        () =>
          (write: ModelCall['write'], { abortSignal }: { abortSignal?: AbortSignal }) => {
            const ended = Promise.withResolvers<void>();
            const open = call;
            const done = () => {
              if (call === open) call = Promise.withResolvers();
            };
            abortSignal?.addEventListener('abort', () => {
              done();
              ended.reject(abortSignal.reason as Error);
            });
            open.resolve({
              write,
              end: () => {
                done();
                ended.resolve();
              },
            });
            return ended.promise;
          },
      ),
    );
    const services = await serve(
      startTestServices({ CONTEXT_WINDOW: '32000', DEFAULT_MODEL: MODEL_ID }, { models: { [MODEL_ID]: model } }),
    );
    const session = await services.sessions.create({ ownerId: 'own_local', modelId: MODEL_ID });
    return new SessionServer(services, session, () => call.promise);
  }

  /** Later requests get no response. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#delay?.resolve();
    await Promise.allSettled(this.#running);
    await stopServing();
  }

  get listenerCount(): number {
    return [...this.#connections].filter(({ request }) => request.endsWith('/events')).length;
  }

  readonly fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? 'GET';
    const request = `${method} ${address.split('?')[0] ?? ''}`;
    this.requests.push(request);
    await this.gates.get(request)?.();
    if (this.refusesNext !== null && method !== 'GET') {
      const status = this.refusesNext;
      this.refusesNext = null;
      return Response.json({ error: { code: 'unavailable', message: 'Not now.' } }, { status });
    }
    const replaced = this.answers.get(request);
    this.answers.delete(request);
    if (replaced) return replaced();
    this.#noteSent(request, init.body);
    const response = await this.#call(method, address, {
      ...(typeof init.body === 'string' && { body: init.body }),
      headers: Object.fromEntries(new Headers(init.headers)),
    });
    if (this.lost.delete(request)) {
      await response.body?.cancel();
      throw new TypeError('Failed to fetch');
    }
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return isStream && response.body ? this.#connect(request, response, init.signal ?? undefined) : response;
  };

  /** Another client sends a message. */
  startTurn(text: string): void {
    this.#then(() => this.#enqueue(text));
  }

  /** The model says this. */
  say(text: string): void {
    this.#answer(({ write }) => textBlock(text, text).forEach(write));
  }

  /** The model says this and ends its turn. */
  endTurn(text: string): void {
    this.#answer(({ write, end }) => {
      [...textBlock(text, text), finish()].forEach(write);
      end();
    });
  }

  /** The model calls a tool that only reads; the queue is taken into the turn before its next step. */
  look(): void {
    this.#answer(({ write, end }) => {
      [...toolCall('call_look', 'get_settings', '{}'), finish('tool-calls')].forEach(write);
      end();
    });
  }

  /** The model asks to delete a page, which needs an approval. */
  askToDelete(): void {
    this.#then(async () => {
      const { entry } = await this.services.builtIn.content.create(
        { type: 'page', title: 'Pricing', slug: 'pricing' },
        { actor: 'user' },
      );
      const { write, end } = await this.#nextCall();
      [...toolCall('call_1', 'delete_content', JSON.stringify({ ref: entry.id })), finish('tool-calls')].forEach(write);
      end();
    });
  }

  /** Ends the turn with this text just before a client can follow it. */
  endBeforeFollowing(text: string): void {
    const request = `GET /api/chat/${this.session.id}/stream`;
    this.gates.set(request, async () => {
      this.gates.delete(request);
      this.endTurn(text);
      await this.done();
    });
  }

  /** A queue that is held: another client has sent a message, queued this one, and stopped the turn. */
  async holdQueue(text: string): Promise<void> {
    await this.#enqueue('Before');
    await this.#enqueue(text);
    await this.services.chat.cancel(this.session.id);
  }

  /** A picture that was attached to the conversation. */
  async attach(): Promise<ChatFile> {
    const body = new Uint8Array(pngImage(8, 8));
    const response = await callRoute('POST', `/api/sessions/${this.session.id}/attachments`, { body });
    const { url, mediaType } = attachmentSchema.parse(await response.json());
    return { type: 'file', url, mediaType };
  }

  async queue(): Promise<string[]> {
    const response = await callRoute('GET', `/api/message/queue?sessionId=${this.session.id}`);
    return queueSchema.parse(await response.json()).items.map(({ text }) => text);
  }

  /** The conversation as the chat shows it. */
  transcript(): Promise<readonly ChatMessage[]> {
    return this.services.transcript(this.session.id) as Promise<readonly unknown[]> as Promise<readonly ChatMessage[]>;
  }

  /** Resolves when the server has done everything that it was told. */
  async done(): Promise<void> {
    await this.#script;
    await vi.waitUntil(async () => (await this.services.turns.running(this.session.id)) === null);
  }

  isRunning(): Promise<boolean> {
    return this.services.turns.running(this.session.id).then((turn) => turn !== null);
  }

  /** Breaks every connection that follows a turn; the turn continues. */
  breakStreams(): void {
    for (const connection of this.#connections)
      if (!connection.request.endsWith('/events')) connection.fail(new TypeError('network error'));
  }

  /** Lets every connection that follows a turn stay open without sending anything more. */
  silenceStreams(): void {
    for (const connection of this.#connections) if (!connection.request.endsWith('/events')) connection.isSilent = true;
  }

  /** Ends every connection that reports events, as a restart would. */
  dropListeners(): void {
    for (const connection of this.#connections) if (connection.request.endsWith('/events')) connection.close();
  }

  /** Holds back all events until the returned function is called. */
  delayEvents(): () => void {
    const delay = (this.#delay = Promise.withResolvers());
    return () => {
      this.#delay = null;
      delay.resolve();
    };
  }

  #answer(write: (call: ModelCall) => void): void {
    this.#then(async () => write(await this.#nextCall()));
  }

  #then(act: () => Promise<unknown>): void {
    this.#script = this.#script.then(act);
  }

  async #enqueue(text: string): Promise<void> {
    const session = await this.services.sessions.get(this.session.id);
    const scopes = scopesOfRole.admin;
    await this.services.chat.enqueue({ session, texts: [text], modelId: null, scopes, clientRequestId: null });
  }

  /** A route that runs after the end of its services would start others. */
  async #call(...call: Parameters<typeof callRoute>): Promise<Response> {
    if (this.#isStopped) return new Promise(() => undefined);
    const running = callRoute(...call);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  #noteSent(request: string, body: unknown): void {
    if (request !== 'POST /api/chat' && request !== 'POST /api/message/queue') return;
    const { message, clientRequestId } = JSON.parse(body as string) as {
      message: ChatMessage;
      clientRequestId: string;
    };
    this.sent.push({ id: clientRequestId, text: messageText(message) });
  }

  /** Passes a stream on until it is broken. */
  #connect(request: string, response: Response, signal: AbortSignal | undefined): Response {
    const reader = response.body!.getReader();
    const connections = this.#connections;
    let connection: EventConnection;
    const leave = () => {
      connections.delete(connection);
      void reader.cancel().catch(() => undefined);
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const end = (act: () => void) => () => {
            if (!connections.has(connection)) return;
            leave();
            act();
          };
          connection = {
            request,
            isSilent: false,
            close: () => end(() => controller.close())(),
            fail: (error) => end(() => controller.error(error))(),
          };
          connections.add(connection);
          signal?.addEventListener('abort', () => connection.fail(signal.reason as Error), { once: true });
        },
        pull: async (controller) => {
          const { value, done } = await reader.read();
          if (request.endsWith('/events')) await this.#delay?.promise;
          if (connection.isSilent) return new Promise(() => undefined);
          if (!connections.has(connection)) return;
          if (value) controller.enqueue(value);
          if (done) connection.close();
        },
        cancel: leave,
      },
      { highWaterMark: 0 },
    );
    return new Response(body, response);
  }
}

/** Resolves when everything has happened that needs no further response. */
export const untilHeld = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await nextTick();
};
