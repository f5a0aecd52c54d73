import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import type { Bill } from '#server/core/admin/spending';
import { reportCallStatus } from '#server/models/wire/call-status';

interface Waiting {
  readonly priority: number;
  readonly admit: () => void;
}

/** Limits the number of concurrent requests; the others wait, ordered by priority. */
export class RequestGate {
  /** The server ends the response in progress when any other request arrives. */
  mustBeAlone = false;
  #active = 0;
  #waiting: Waiting[] = [];

  /** True while a request is in progress. */
  get isBusy(): boolean {
    return this.#active > 0;
  }

  /** Number of waiting requests. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Waits until the request may be sent.
   * @param limit maximum number of concurrent requests
   * @param priority a higher number goes first; equal ones in order of arrival
   * @param onWait called once if it has to wait
   * @returns a function to call when the response is complete
   * @throws the signal's reason
   */
  async enter(
    limit: number,
    priority: number,
    signal: AbortSignal | undefined,
    onWait: () => void,
  ): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#active >= limit) {
      onWait();
      await this.#wait(priority, signal);
    } else {
      this.#active += 1;
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#leave();
    };
  }

  /**
   * Runs other requests to the server. If it must not be disturbed, they wait until it is idle, and no answer begins
   * before they have ended. @throws the signal's reason
   */
  async aside<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!this.mustBeAlone) return work();
    const leave = await this.enter(1, 0, signal, () => undefined);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #wait(priority: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(signal?.reason as Error);
      };
      const waiting: Waiting = {
        priority,
        admit: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const after = this.#waiting.findIndex((each) => each.priority < priority);
      this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, waiting);
    });
  }

  /** Passes the slot directly to the next request. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.admit();
    else this.#active -= 1;
  }
}

/** One gate per server: connections may be recreated, the server stays the same. */
const gates = new Map<string, RequestGate>();

/** Names of this machine; servers mostly listen at all of them. */
const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]']);

/** The request gate of a server, shared by the whole process. */
export function requestGate(baseUrl: string): RequestGate {
  const { hostname, port, protocol } = new URL(baseUrl);
  const server = `${protocol}//${THIS_MACHINE.has(hostname) ? 'localhost' : hostname}:${port}`;
  const gate = gates.get(server) ?? new RequestGate();
  gates.set(server, gate);
  return gate;
}

/** Priority by kind of call: chat comes first because a person waits for the answer. */
const PRIORITIES: Readonly<Record<Bill['kind'], number>> = { chat: 2, picture: 2, program: 1, summary: 0 };

interface GateOptions {
  readonly baseUrl: string;
  readonly kind: Bill['kind'];
  /** Number of requests that the server answers concurrently; queried before each. */
  readonly limit: () => Promise<number>;
}

/** A model whose calls pass the gate of its server; a call keeps its slot until its response has ended. */
export function gatedModel(model: LanguageModelV4, { baseUrl, kind, limit }: GateOptions): LanguageModelV4 {
  const gate = requestGate(baseUrl);
  const enter = async (signal: AbortSignal | undefined) => {
    let hasWaited = false;
    const leave = await gate.enter(await limit(), PRIORITIES[kind], signal, () => {
      hasWaited = true;
      reportCallStatus({ kind: 'queued' });
    });
    if (hasWaited) reportCallStatus({ kind: 'sent' });
    return leave;
  };
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapGenerate({ doGenerate, params }) {
        const leave = await enter(params.abortSignal);
        try {
          return await doGenerate();
        } finally {
          leave();
        }
      },
      async wrapStream({ doStream, params: { abortSignal: signal } }) {
        const leave = await enter(signal);
        try {
          const { stream, ...rest } = await doStream();
          return { ...rest, stream: withEnd(stream, signal, leave) };
        } catch (error) {
          leave();
          throw error;
        }
      },
    },
  });
}

/** Calls `onEnd` once when the stream ends, fails, is cancelled, or its call is aborted. */
function withEnd(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal | undefined,
  onEnd: () => void,
): typeof stream {
  const reader = stream.getReader();
  const end = () => {
    signal?.removeEventListener('abort', end);
    onEnd();
  };
  // After an abort the reader may stop reading.
  signal?.addEventListener('abort', end, { once: true });
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}
