import { setTimeout as delay } from 'node:timers/promises';
import { isCutByCap, outputLimits } from '#server/agent/call-model';
import { type ClientEvent, type ClientOutcome, streamClientStep } from '#server/agent/client-step';
import { classifyProviderError, isRepeated, type ProviderErrorReport } from '#server/agent/provider-errors';
import { continueNote } from '#server/agent/turn-course';
import type { ClientRequest } from '#server/completions/client-request';
import type { CompletionContext } from '#server/completions/completion-context';
import { type AnswerEvent, wireFinishReason, wireUsage } from '#server/completions/wire';
import type { PreparedContext } from '#server/context/context-manager';
import { withTokens } from '#server/context/part-tokens';
import type { ContextSettings } from '#server/context/settings/context-settings';
import {
  BudgetReachedError,
  ContextOverflowError,
  InvalidInputError,
  ProviderError,
  RateLimitedError,
} from '#server/core/errors';
import { parseJson } from '#server/core/json';
import type { NewMessage, Usage } from '#server/core/messages';
import type { ModelMessage } from '#server/core/model-messages';
import type { OpenedModel } from '#server/models/model-registry';
import type { ProviderFailure } from '#server/observability/telemetry';

export interface AnswerInput {
  readonly request: ClientRequest;
  readonly model: Pick<OpenedModel, 'id' | 'model'>;
  readonly context: Pick<CompletionContext, 'target' | 'prepare' | 'append' | 'learn'>;
  readonly settings: ContextSettings;
  readonly signal: AbortSignal;
  /** Called for every failed model call. Must not throw. */
  readonly onProviderError?: ((failure: ProviderFailure) => void) | undefined;
}

/** Usage of the steps that the client has received something of. */
interface Told {
  readonly steps: Usage[];
}

/** Outcome of a step after its retries. */
interface StepEnd extends ClientOutcome {
  readonly text: string;
  readonly hasCalls: boolean;
}

/**
 * Writes the answer with one model call. If the window fills up meanwhile, the conversation is compacted and another
 * call continues where the text stopped. A temporary failure is retried as long as the step has written nothing.
 * @param first the context as `prepare` gave it
 * @throws RateLimitedError, InvalidInputError, ContextOverflowError, ProviderError, or the signal's reason
 */
export async function* writeAnswer(input: AnswerInput, first: PreparedContext): AsyncGenerator<AnswerEvent> {
  const { request, context, settings } = input;
  if (first.messages.length === 0 && !request.instructions?.trim()) throw saysNothing();
  const told: Told = { steps: [] };
  let prepared = first;
  for (let cuts = 0; ; cuts += 1) {
    const step = yield* runStep(input, prepared, told);
    const mayGoOn = cuts < settings.maxContinuations && roomLeft(request, told) > 0;
    if (!step.wasCut || step.hasCalls || !mayGoOn) {
      const reason = step.wasCut && !step.hasCalls ? 'length' : step.finishReason;
      const finishReason = wireFinishReason(reason, step.hasCalls);
      return yield { type: 'end', finishReason, usage: wireUsage(told.steps) };
    }
    yield { type: 'compacting' };
    context.append(continuation(step.text));
    prepared = await context.prepare('real-time');
  }
}

function saysNothing(): InvalidInputError {
  const message = 'must say something: they hold no text, image or file';
  return new InvalidInputError(`Invalid body, "messages": ${message}.`, {
    details: { issues: [{ path: 'messages', message }] },
  });
}

/** One model call, retried after a temporary failure if the client has received nothing of it. */
async function* runStep(input: AnswerInput, first: PreparedContext, told: Told): AsyncGenerator<AnswerEvent, StepEnd> {
  const { context, settings, signal } = input;
  let prepared = first;
  let hasOverflowed = false;
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const step = yield* callModel(input, prepared, told);
    if (step.error === undefined) {
      if (step.usage && !step.wasCut) await context.learn(prepared, step.usage);
      return step;
    }
    signal.throwIfAborted();
    if (step.error instanceof BudgetReachedError) throw step.error;
    const report = classifyProviderError(step.error);
    input.onProviderError?.({ ...report, modelId: input.model.id, error: step.error });
    const isOverflow = report.kind === 'context-overflow';
    const hasSpoken = step.text !== '' || step.hasCalls;
    // Noticed after the answer had begun: treated as a cut.
    if (hasSpoken && isOverflow) return { ...step, wasCut: true };
    if (hasSpoken || step.hasThought) throw failureOf(report, step.error);
    if (isOverflow && !hasOverflowed) {
      hasOverflowed = true;
      prepared = await context.prepare('provider-overflow');
    } else if (isRepeated(report, settings.stepRetryMaxWait) && attempt < settings.stepRetries) {
      await delay(report.retryAfterMs ?? settings.stepRetryDelay * 2 ** attempt, undefined, { signal });
    } else {
      throw failureOf(report, step.error);
    }
  }
}

async function* callModel(
  input: AnswerInput,
  prepared: PreparedContext,
  told: Told,
): AsyncGenerator<AnswerEvent, StepEnd & { hasThought: boolean }> {
  const { request, model, context, settings, signal } = input;
  const { target } = context;
  const { currentTokens } = prepared.usage;
  const { cap: ours, watch } = outputLimits(target, prepared, settings);
  const cap = Math.min(ours, roomLeft(request, told));
  let text = '';
  let hasCalls = false;
  let hasThought = false;
  const see = (event: ClientEvent) => {
    if (event.type === 'text') text += event.text;
    hasCalls ||= event.type === 'call';
    hasThought ||= event.type === 'reasoning';
  };
  const isLocal = model.id.startsWith('local/');
  const messages = isLocal ? withWrittenArguments(prepared.messages, request.writtenArguments) : prepared.messages;
  const call = { ...request, model, messages, maxOutputTokens: cap, watch, signal };
  const outcome = yield* watched(streamClientStep(call), see);
  const hitOurCap = cap === ours && isCutByCap(outcome, cap, target, watch);
  const estimated: Usage = { inputTokens: currentTokens, outputTokens: watch.tokens };
  if (outcome.error === undefined || text !== '' || hasCalls) told.steps.push(outcome.usage ?? estimated);
  return { ...outcome, wasCut: outcome.wasCut || hitOurCap, text, hasCalls, hasThought };
}

/** Passes all events on, and ends the source when the reader stops. */
async function* watched<Event, Outcome>(
  source: AsyncGenerator<Event, Outcome>,
  see: (event: Event) => void,
): AsyncGenerator<Event, Outcome> {
  try {
    for (let next = await source.next(); ; next = await source.next()) {
      if (next.done) return next.value;
      see(next.value);
      yield next.value;
    }
  } finally {
    await source.return(undefined as Outcome);
  }
}

/** Tokens left under the client's own limit. */
function roomLeft({ outputLimit = Number.POSITIVE_INFINITY }: ClientRequest, { steps }: Told): number {
  return outputLimit - steps.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
}

/** The text written so far, and a note to continue from there. */
function continuation(text: string): NewMessage[] {
  const say = (role: 'user' | 'assistant', said: string): NewMessage => ({
    role,
    parts: [withTokens({ type: 'text', content: { text: said } })],
  });
  const note = say('user', continueNote({ calls: [], lastText: text, droppedCall: null }));
  return text === '' ? [note] : [say('assistant', text), note];
}

/** Retry delay reported to a client if the provider names none, milliseconds. */
const USUAL_PAUSE_MS = 5_000;

function failureOf(report: ProviderErrorReport, cause: unknown): Error {
  const { kind, message, retryable, retryAfterMs = USUAL_PAUSE_MS } = report;
  if (kind === 'rate-limit' && retryable) return new RateLimitedError(message, retryAfterMs);
  if (kind === 'invalid-request') return new InvalidInputError(message, { cause });
  if (kind === 'context-overflow') return new ContextOverflowError(message, { cause });
  return new ProviderError(message, { retryable, cause });
}

/**
 * Messages whose calls have their arguments exactly as the client sent them: parsed and written again, spaces and large
 * numbers would differ. Calls that the engine has shortened stay shortened.
 */
export function withWrittenArguments(
  messages: readonly ModelMessage[],
  written: ReadonlyMap<string, string>,
): ModelMessage[] {
  if (written.size === 0) return messages.slice();
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const content = message.content.map((part) => {
      const text = part.type === 'tool-call' ? written.get(part.toolCallId) : undefined;
      return part.type === 'tool-call' && text !== undefined && isSame(text, part.input)
        ? { ...part, input: text }
        : part;
    });
    return { ...message, content };
  });
}

function isSame(text: string, input: unknown): boolean {
  return JSON.stringify(parseJson(text)) === JSON.stringify(input);
}
