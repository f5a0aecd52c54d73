import { unknownModel, serverStopping } from '#server/core/messages/coded-errors';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { ChatCompletionBody } from '#server/integrations/openai/chat-completion-body';
import type { CompactionCache } from '#server/integrations/openai/compaction-cache';
import { findClientModel, toWireModel } from '#server/integrations/openai/client-models';
import { toClientRequest } from '#server/integrations/openai/client-request';
import {
  type CompactedView,
  CompletionContext,
  type CompletionProcess,
  type CompletionReport,
  reportHeaders,
} from '#server/integrations/openai/completion-context';
import { ProgramCompactions } from '#server/integrations/openai/program-compactions';
import type { ProgramCompaction } from '#server/core/admin/program-compactions';
import type { AnswerFormat, AnswerIdentity } from '#server/integrations/openai/answer-format';
import type { AnswerEvent } from '#server/integrations/openai/answer-events';
import { chatCompletionFormat } from '#server/integrations/openai/completion-response';
import { answerStream } from '#server/integrations/openai/answer-stream';
import { countRequest, writeAnswer } from '#server/integrations/openai/write-answer';
import { within } from '#server/core/async';
import { CancelledError, InvalidInputError } from '#server/core/errors';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';

/** What ends the work for a caller. */
interface Stoppable {
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Aborts when the caller loses access, with the cause as its reason. */
  readonly lapsed?: AbortSignal | undefined;
}

/** The authenticated caller. */
export interface Caller extends Stoppable {
  readonly ownerId: string;
  /** Body of an error in the middle of a stream. */
  readonly errorBody: (error: unknown) => object;
}

/** A response whose model call has started: its headers can be sent. */
export interface BegunAnswer {
  readonly identity: AnswerIdentity;
  readonly report: CompletionReport | null;
  /** Must be ended with `return` when it is no longer read. */
  readonly events: AsyncGenerator<AnswerEvent>;
}

/** A compacted conversation. */
export interface CompactedConversation extends CompactedView {
  /** Estimated tokens of the conversation as it was sent, in the model's tokens. */
  readonly tokensBefore: number;
}

/**
 * Maximum wait for the first event before the response starts, milliseconds. A provider that refuses usually does so
 * sooner, and its refusal can then still become the status of the response.
 */
const FIRST_EVENT_WAIT_MS = 10_000;

/** Answers clients that store their conversation themselves and send all of it each time. */
export class Completions {
  readonly #context: ConversationContext;
  readonly #rounds: CompactionCache;
  readonly #programs: ProgramCompactions;
  /** Responses in progress; each promise settles at its end. */
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;
  /** Aborts when the server stops waiting for responses in progress. */
  readonly #stopping = new AbortController();

  constructor(context: ConversationContext, rounds: CompactionCache) {
    this.#context = context;
    this.#rounds = rounds;
    this.#programs = new ProgramCompactions(context);
  }

  /** Answers a request of the chat completions, in their format. @throws as `answer` */
  chat(body: ChatCompletionBody, caller: Caller): Promise<Response> {
    return this.answer(body, chatCompletionFormat(body.stream_options?.include_usage ?? false), caller);
  }

  /**
   * Answers one request in the given format, as a whole or as a stream. A failure in the middle of a stream becomes an
   * event of the stream.
   * @throws UnknownModelError, InvalidInputError, ContextOverflowError, RateLimitedError, ProviderError, StoppingError
   */
  async answer(body: ChatCompletionBody, format: AnswerFormat, caller: Caller): Promise<Response> {
    if (this.#isClosing) throw serverStopping();
    const releaseSlot = this.#track(await this.#context.limits.reserveSlot(caller.ownerId));
    const gone = new AbortController();
    const lapsed = caller.lapsed ? [caller.lapsed] : [];
    const signal = AbortSignal.any([caller.signal, ...lapsed, gone.signal, this.#stopping.signal]);
    try {
      const answer = await this.#begin(body, format, caller.ownerId, signal);
      const events = withEnd(answer.events, releaseSlot);
      if (!body.stream) return await wholeResponse({ ...answer, events }, format);
      const errorBody = (error: unknown) => {
        if (!signal.aborted) this.#context.onFault('A completion failed', error);
        return caller.errorBody(this.#failureOf(error, caller));
      };
      const giveUp = () => {
        gone.abort(new DOMException('The client is gone.', 'AbortError'));
        // A generator that was never started does not run its own cleanup.
        releaseSlot();
        void events.return(undefined);
      };
      // A stream that has not been read yet does not get a cancel call.
      if (caller.signal.aborted) giveUp();
      caller.signal.addEventListener('abort', giveUp, { once: true });
      return streamedResponse({ ...answer, events }, format, errorBody, giveUp);
    } catch (error) {
      releaseSlot();
      throw this.#failureOf(error, caller);
    }
  }

  /**
   * Estimated tokens of a conversation as its client sends it, with instructions and tools, in the model's tokens.
   * @throws UnknownModelError, InvalidInputError
   */
  async count(body: ChatCompletionBody, ownerId: string): Promise<number> {
    const request = toClientRequest(body);
    const { id: modelId } = findClientModel(this.#context.models, request.modelId);
    const { messages, instructions, toolsText: tools } = request;
    const conversation = { ownerId, modelId, messages, instructions, tools };
    const context = await CompletionContext.open(this.#process(), conversation);
    return context.tokensBefore;
  }

  /**
   * Compacts a conversation of a client immediately.
   * @throws UnknownModelError, InvalidInputError, BudgetReachedError, RateLimitedError, ConflictError, ProviderError
   */
  async compact(body: ChatCompletionBody, { ownerId, signal, lapsed }: Caller): Promise<CompactedConversation> {
    if (this.#isClosing) throw serverStopping();
    const releaseSlot = this.#track(await this.#context.limits.reserveSlot(ownerId));
    try {
      const request = toClientRequest(body);
      const resolved = findClientModel(this.#context.models, request.modelId);
      await resolved.requireBudget({ userId: ownerId, sessionId: null, kind: 'program' });
      const { messages, instructions, toolsText: tools } = request;
      const conversation = { ownerId, modelId: resolved.id, messages, instructions, tools };
      const ended = AbortSignal.any([signal, ...(lapsed ? [lapsed] : []), this.#stopping.signal]);
      const context = await CompletionContext.open(this.#process(), conversation, ended);
      return { ...(await context.compact()), tokensBefore: context.tokensBefore };
    } catch (error) {
      throw this.#failureOf(error, { signal, lapsed });
    } finally {
      releaseSlot();
    }
  }

  #process(): CompletionProcess {
    return { ...this.#context, rounds: this.#rounds, programs: this.#programs };
  }

  /** The newest compactions of conversations of programs, newest first. */
  compactions(): Promise<ProgramCompaction[]> {
    return this.#programs.list();
  }

  /** Refuses new requests; those in progress have `limitMs` milliseconds, then end with StoppingError. */
  async close({ limitMs }: { limitMs: number }): Promise<void> {
    this.#isClosing = true;
    const ended = new AbortController();
    const limit = delay(limitMs, undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#running), limit]);
    ended.abort();
    this.#stopping.abort(serverStopping());
  }

  /** All models that clients can choose. */
  models(): object[] {
    return this.#context.models.list().map(toWireModel);
  }

  /** One model, by any id that a request may use. @throws UnknownModelError, InvalidInputError */
  model(modelId: string): object {
    const { models } = this.#context;
    const { id } = findClientModel(models, modelId);
    const choice = models.list().find((each) => each.id === id);
    if (!choice) throw unknownModel(modelId);
    return toWireModel(choice);
  }

  /** The error to report: the reason for which the work was stopped, if it was. */
  #failureOf(error: unknown, { signal, lapsed }: Stoppable): unknown {
    if (this.#stopping.signal.aborted) return serverStopping();
    if (lapsed?.aborted) return lapsed.reason;
    return signal.aborted ? new CancelledError('The client is gone.') : error;
  }

  /** Counts a response as in progress until the returned function is called. */
  #track(release: () => void): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.add(promise);
    return () => {
      release();
      this.#running.delete(promise);
      resolve();
    };
  }

  /** Fits the conversation into the model's context window and calls the model. */
  async #begin(
    body: ChatCompletionBody,
    { idPrefix }: AnswerFormat,
    ownerId: string,
    signal: AbortSignal,
  ): Promise<BegunAnswer> {
    const { models, settings, watch } = this.#context;
    const request = toClientRequest(body);
    const resolved = findClientModel(models, request.modelId);
    if (resolved.id === OFFLINE_MODEL_ID) requirePlainRequest(body);
    const bill = { userId: ownerId, sessionId: null, kind: 'program' } as const;
    await resolved.requireBudget(bill);
    await resolved.prepare(signal);
    const model = { id: resolved.id, model: resolved.open(bill) };
    const { messages, instructions, toolsText: tools, outputLimit: maxOutputTokens } = request;
    const conversation = { ownerId, modelId: model.id, messages, instructions, tools, maxOutputTokens };
    const prepare = async () => {
      const context = await CompletionContext.open(this.#process(), conversation, signal);
      return { context, first: await context.prepare() };
    };
    let { context, first } = await prepare();
    // Resolved again: only now is it certain what the server can do.
    const { createCounter } = findClientModel(models, request.modelId);
    if (createCounter && context.needsExactCount(first)) {
      const counter = { id: resolved.id, model: createCounter() };
      const exact = await countRequest(
        { request, model: counter, context, settings: settings.current(), signal },
        first,
      );
      if (exact !== null && (await context.learnExact(first, exact))) ({ context, first } = await prepare());
    }
    const input = { request, model, context, settings: settings.current(), signal, watch };
    const events = await waitForFirstEvent(writeAnswer(input, first));
    const identity = {
      id: `${idPrefix}${randomUUID().replaceAll('-', '')}`,
      created: Math.floor(Date.now() / 1_000),
      model: model.id,
      inputTokens: first.tokens.final,
    };
    return { identity, report: context.report(), events };
  }
}

/** @throws InvalidInputError for options that the basic assistant, which is not a language model, cannot guarantee */
function requirePlainRequest({ response_format: format, tool_choice: choice }: ChatCompletionBody): void {
  const mode = typeof choice === 'object' && choice?.type === 'allowed_tools' ? choice.allowed_tools.mode : choice;
  const isRequired = mode === 'required' || (typeof mode === 'object' && mode !== null);
  if (format?.type !== 'json_schema' && !isRequired) return;
  const what = isRequired ? 'tool_choice' : 'response_format';
  const message = `${OFFLINE_MODEL_ID} is no language model: it answers in sentences, and calls a tool only where it has understood the request. Leave out "${what}", or choose another model.`;
  throw new InvalidInputError(message, { details: { issues: [{ path: what, message }] } });
}

/** Forwards the events, and calls `onEnd` when they have ended, failed or been abandoned. */
async function* withEnd(events: AsyncGenerator<AnswerEvent>, onEnd: () => void): AsyncGenerator<AnswerEvent> {
  try {
    yield* events;
  } finally {
    onEnd();
  }
}

/** Waits for the first event of a response, for a limited time. @throws any error before that */
async function waitForFirstEvent(answer: AsyncGenerator<AnswerEvent>): Promise<AsyncGenerator<AnswerEvent>> {
  const first = answer.next();
  // The reader receives the failure; without this it would count as unhandled if the client has disconnected.
  first.catch(() => undefined);
  await within(FIRST_EVENT_WAIT_MS, first);
  return resume(first, answer);
}

/** The events of a response whose first event has been requested already. */
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
  // A buffering or compressing proxy would delay the stream.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** The complete response as one object. @throws any error of the response */
async function wholeResponse({ identity, report, events }: BegunAnswer, format: AnswerFormat): Promise<Response> {
  return Response.json(await format.whole(identity, events), {
    headers: { ...reportHeaders(report), 'cache-control': 'no-store' },
  });
}

/**
 * The response as a stream.
 * @param errorBody body of an error in the middle of the stream
 * @param onCancel called when the client has disconnected
 */
function streamedResponse(
  { identity, report, events }: BegunAnswer,
  format: AnswerFormat,
  errorBody: (error: unknown) => object,
  onCancel: () => void,
): Response {
  return new Response(answerStream({ identity, events, format, errorBody, onCancel }), {
    headers: { ...reportHeaders(report), ...EVENT_STREAM },
  });
}
