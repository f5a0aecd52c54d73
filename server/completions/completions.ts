import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChatCompletionBody } from '#server/completions/chat-completion-body';
import { findClientModel, toClientRequest, toWireModel } from '#server/completions/client-request';
import {
  CompletionContext,
  type CompletionContextDependencies,
  type CompletionReport,
  reportHeaders,
} from '#server/completions/completion-context';
import {
  type AnswerEvent,
  type AnswerIdentity,
  answerStream,
  collectCompletion,
  createChunks,
} from '#server/completions/wire';
import { type AnswerInput, writeAnswer } from '#server/completions/write-answer';
import { within } from '#server/core/async';
import { CancelledError, StoppingError, UnknownModelError } from '#server/core/errors';
import type { OpenedModel } from '#server/models/model-registry';

export interface CompletionsDependencies extends CompletionContextDependencies {
  /** Takes one of the user's places for running requests; the returned function frees it. @throws RateLimitedError */
  readonly enter: (userId: string) => Promise<() => void>;
  readonly onFault: (error: unknown) => void;
  /** Called for every failed model call. Must not throw. */
  readonly onProviderError?: AnswerInput['onProviderError'];
}

/** The authenticated caller. */
export interface Caller {
  readonly ownerId: string;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Aborts when the caller loses access; its reason says why. */
  readonly lapsed?: AbortSignal | undefined;
  /** Body of an error in the middle of a stream. */
  readonly errorBody: (error: unknown) => object;
}

/** An answer that has begun. */
export interface BegunAnswer {
  readonly identity: AnswerIdentity;
  readonly report: CompletionReport | null;
  /** Must be ended with `return` once nobody reads it. */
  readonly events: AsyncGenerator<AnswerEvent>;
}

/**
 * Longest wait for the first event before the response begins, milliseconds. A provider that refuses does so sooner,
 * and its refusal can then still be the status of the response.
 */
const FIRST_WORD_WAIT_MS = 10_000;

/** Answers clients that store their conversation themselves and send all of it each time. */
export class Completions {
  readonly #deps: CompletionsDependencies;
  /** Answers in progress; each settles at its end. */
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;
  /** Aborts when the server stops waiting for answers in progress. */
  readonly #stopping = new AbortController();

  constructor(dependencies: CompletionsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Answers one request, whole or as a stream. A failure in the middle of a stream becomes an event of it.
   * @throws UnknownModelError, InvalidInputError, ContextOverflowError, RateLimitedError, ProviderError, StoppingError
   */
  async answer(body: ChatCompletionBody, caller: Caller): Promise<Response> {
    if (this.#isClosing) throw new StoppingError();
    const leave = this.#track(await this.#deps.enter(caller.ownerId));
    const gone = new AbortController();
    const lapsed = caller.lapsed ? [caller.lapsed] : [];
    const signal = AbortSignal.any([caller.signal, ...lapsed, gone.signal, this.#stopping.signal]);
    const failureOf = (error: unknown) => {
      if (this.#stopping.signal.aborted) return new StoppingError();
      if (caller.lapsed?.aborted) return caller.lapsed.reason;
      return caller.signal.aborted ? new CancelledError('The client is gone.') : error;
    };
    try {
      const answer = await this.#begin(body, caller.ownerId, signal);
      const events = withEnd(answer.events, leave);
      if (!body.stream) return await wholeResponse({ ...answer, events });
      const errorBody = (error: unknown) => {
        if (!signal.aborted) this.#deps.onFault(error);
        return caller.errorBody(failureOf(error));
      };
      const isAsked = body.stream_options?.include_usage ?? false;
      const giveUp = () => {
        gone.abort(new DOMException('The client is gone.', 'AbortError'));
        // A generator that was never started does not run its own cleanup.
        leave();
        void events.return(undefined);
      };
      // A stream that nobody has begun to read is not cancelled.
      if (caller.signal.aborted) giveUp();
      caller.signal.addEventListener('abort', giveUp, { once: true });
      return streamedResponse({ ...answer, events }, isAsked, errorBody, giveUp);
    } catch (error) {
      leave();
      throw failureOf(error);
    }
  }

  /** Refuses new requests; those in progress have `limitMs` milliseconds, then end with StoppingError. */
  async close({ limitMs }: { limitMs: number }): Promise<void> {
    this.#isClosing = true;
    const ended = new AbortController();
    const limit = delay(limitMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#running), limit]);
    ended.abort();
    this.#stopping.abort(new StoppingError());
  }

  /** All models that clients can choose. */
  models(): object[] {
    return this.#deps.models.list().map(toWireModel);
  }

  /** One model, by any id that a request may name. @throws UnknownModelError, InvalidInputError */
  model(modelId: string): object {
    const { models } = this.#deps;
    const { id } = findClientModel(models, modelId);
    const choice = models.list().find((each) => each.id === id);
    if (!choice) throw new UnknownModelError(modelId);
    return toWireModel(choice);
  }

  /** Counts an answer as in progress until the returned function is called. */
  #track(leave: () => void): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.add(promise);
    return () => {
      leave();
      this.#running.delete(promise);
      resolve();
    };
  }

  /** Brings the conversation under the model's window and calls the model. */
  async #begin(body: ChatCompletionBody, ownerId: string, signal: AbortSignal): Promise<BegunAnswer> {
    const { models, settings, onProviderError } = this.#deps;
    const request = toClientRequest(body);
    const resolved = findClientModel(models, request.modelId);
    const bill = { userId: ownerId, sessionId: null, kind: 'program' } as const;
    await resolved.requireBudget(bill);
    const model = { id: resolved.id, model: resolved.open(bill) };
    const { messages, instructions, toolsText: tools, outputLimit: maxOutputTokens } = request;
    const conversation = { ownerId, modelId: model.id, messages, instructions, tools, maxOutputTokens };
    const context = await CompletionContext.open(this.#deps, conversation, { signal });
    const first = await context.prepare();
    const input = { request, model, context, settings: settings(), signal, onProviderError };
    const events = await begun(writeAnswer(input, first));
    return { identity: identify(model), report: context.report(), events };
  }
}

/** Passes the events on, and calls `onEnd` once they ended, failed or were given up. */
async function* withEnd(events: AsyncGenerator<AnswerEvent>, onEnd: () => void): AsyncGenerator<AnswerEvent> {
  try {
    yield* events;
  } finally {
    onEnd();
  }
}

function identify(model: Pick<OpenedModel, 'id'>): AnswerIdentity {
  const id = `chatcmpl-${randomUUID().replaceAll('-', '')}`;
  return { id, created: Math.floor(Date.now() / 1_000), model: model.id };
}

/** Waits for the first event of an answer, for a while. @throws any error before that */
async function begun(answer: AsyncGenerator<AnswerEvent>): Promise<AsyncGenerator<AnswerEvent>> {
  const first = answer.next();
  // The reader gets the failure; without this it would count as unhandled if the client is gone.
  first.catch(() => undefined);
  await within(FIRST_WORD_WAIT_MS, first);
  return resume(first, answer);
}

async function* resume(
  first: Promise<IteratorResult<AnswerEvent>>,
  answer: AsyncGenerator<AnswerEvent>,
): AsyncGenerator<AnswerEvent> {
  try {
    const { value, done } = await first;
    if (done) return;
    yield value;
    yield* answer;
  } finally {
    await answer.return(undefined);
  }
}

const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A buffering or compressing proxy would hold the stream back.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** The complete answer as one object. @throws any error of the answer */
async function wholeResponse({ identity, report, events }: BegunAnswer): Promise<Response> {
  const completion = await collectCompletion(identity, events);
  return Response.json(completion, {
    headers: { ...reportHeaders(report), 'cache-control': 'no-store' },
  });
}

/**
 * The answer as a stream.
 * @param includeUsage whether the last chunk has the usage
 * @param errorBody body of an error in the middle of the stream
 * @param onCancel called when the client has disconnected
 */
function streamedResponse(
  { identity, report, events }: BegunAnswer,
  includeUsage: boolean,
  errorBody: (error: unknown) => object,
  onCancel: () => void,
): Response {
  const chunksOf = createChunks(identity, includeUsage);
  return new Response(answerStream({ events, chunksOf, errorBody, onCancel }), {
    headers: { ...reportHeaders(report), ...EVENT_STREAM },
  });
}
