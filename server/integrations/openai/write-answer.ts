import { withWrittenArguments } from '#server/integrations/openai/written-arguments';
import { setTimeout as delay } from 'node:timers/promises';
import { isCutByCap, isEndedByServer, outputLimits } from '#server/conversation/step/model-attempt';
import {
  type ClientCall,
  type ClientEvent,
  type ClientOutcome,
  streamClientStep,
} from '#server/conversation/turn/client-step';
import {
  classifyProviderError,
  isRepeated,
  isSuspectedOverflow,
  type ProviderErrorReport,
} from '#server/conversation/step/provider-errors';
import { continueNote, isSharedContext } from '#server/conversation/turn/next-step';
import type { ClientRequest } from '#server/integrations/openai/client-request';
import type { CompletionContext } from '#server/integrations/openai/completion-context';
import { type AnswerEvent, wireFinishReason, wireUsage } from '#server/integrations/openai/answer-events';
import { tailTokensOf } from '#server/context/compaction-plan';
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
import type { NewMessage, Usage } from '#server/core/conversation/messages';
import type { CallableModel } from '#server/models/model-registry';
import { LOCAL_PREFIX } from '#server/models/providers';
import type { Watch } from '#server/platform/telemetry/watch';

/** What an answer is written from. */
export interface AnswerInput extends CountInput {
  readonly watch: Watch;
}

/** What counting a request needs. */
interface CountInput {
  readonly request: ClientRequest;
  readonly model: CallableModel;
  readonly context: CompletionContext;
  readonly settings: ContextSettings;
  readonly signal: AbortSignal;
}

/** Usage of the steps of which the client has received something: the response reports their sum. */
interface BilledUsage {
  readonly steps: Usage[];
}

/** Outcome of a step after its retries. */
interface StepEnd extends ClientOutcome {
  readonly text: string;
  readonly hasCalls: boolean;
  readonly endedByServer: boolean;
}

/**
 * Writes the answer, normally with one model call. If the context window fills up during the call, the conversation is compacted
 * and another call continues where the text stopped. A temporary failure is retried as long as the step has written
 * nothing.
 * @param first the context that `prepare` returned
 * @throws RateLimitedError, InvalidInputError, ContextOverflowError, ProviderError, or the signal's reason
 */
export async function* writeAnswer(input: AnswerInput, first: PreparedContext): AsyncGenerator<AnswerEvent> {
  const { request, context, settings } = input;
  if (first.messages.length === 0 && !request.instructions?.trim()) throw emptyMessages();
  const billed: BilledUsage = { steps: [] };
  let prepared = first;
  for (let cuts = 0; ; cuts += 1) {
    const step = yield* runStep(input, prepared, billed);
    const mayContinue = cuts < settings.maxContinuations && remainingOutput(request, billed) > 0;
    if (!step.wasCut || step.hasCalls || !mayContinue) {
      const reason = step.wasCut && !step.hasCalls ? 'length' : step.finishReason;
      const finishReason = wireFinishReason(reason, step.hasCalls);
      return yield { type: 'end', finishReason, usage: wireUsage(billed.steps) };
    }
    context.append(continuation(step, tailTokensOf(context.target, settings)));
    // A context that was shared with other answers is free again when they have ended: a compaction is not needed.
    const isShared = isSharedContext(step);
    if (!isShared) yield { type: 'compacting' };
    prepared = await context.prepare(isShared ? undefined : 'real-time');
  }
}

function emptyMessages(): InvalidInputError {
  const message = 'must say something: they hold no text, image or file';
  return new InvalidInputError(`Invalid body, "messages": ${message}.`, {
    details: { issues: [{ path: 'messages', message }] },
  });
}

/** One model call, retried after a temporary failure if the client has received nothing from it. */
async function* runStep(
  input: AnswerInput,
  first: PreparedContext,
  billed: BilledUsage,
): AsyncGenerator<AnswerEvent, StepEnd> {
  const { context, settings, signal } = input;
  let prepared = first;
  let hasOverflowed = false;
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const step = yield* callModel(input, prepared, billed);
    if (step.error === undefined) {
      context.accept(prepared);
      if (step.usage && !step.wasCut) await context.learn(prepared, step.usage);
      if (step.usage && step.endedByServer) await context.noteEndedAnswer(step.usage);
      return step;
    }
    signal.throwIfAborted();
    if (step.error instanceof BudgetReachedError) throw step.error;
    const report = classifyProviderError(step.error);
    input.watch.providerFailed({ ...report, modelId: input.model.id, error: step.error });
    const isOverflow = report.kind === 'context-overflow';
    if (report.contextWindow !== undefined) await context.learnWindow(report.contextWindow);
    const hasOutput = step.text !== '' || step.hasCalls;
    // Detected after the answer had started: treated as a cut.
    if (hasOutput && (isOverflow || report.kind === 'shared-context')) return { ...step, wasCut: true };
    if (hasOutput || step.hasThought) throw failureOf(report, step.error);
    const isSuspected = isSuspectedOverflow(report, context.sizeOf(prepared, attempt));
    if ((isOverflow || isSuspected) && !hasOverflowed) {
      hasOverflowed = true;
      const before = prepared.usage.currentTokens;
      prepared = await context.prepare('provider-overflow');
      // Nothing could be made smaller, so the provider would refuse the request again.
      if (!isOverflow && prepared.usage.currentTokens >= before) throw failureOf(report, step.error);
    } else if (isRepeated(report, settings.stepRetryMaxWait) && attempt < settings.stepRetries) {
      await delay(report.retryAfterMs ?? settings.stepRetryDelay * 2 ** attempt, undefined, { signal });
    } else {
      throw failureOf(report, step.error);
    }
  }
}

/** One model call, whose events are forwarded to the client. A failure is part of the outcome. */
async function* callModel(
  input: AnswerInput,
  prepared: PreparedContext,
  billed: BilledUsage,
): AsyncGenerator<AnswerEvent, StepEnd & { hasThought: boolean }> {
  const { request, context, settings } = input;
  const { target } = context;
  const { currentTokens } = prepared.usage;
  const { cap: ours, watch } = outputLimits(target, prepared, settings);
  const cap = Math.min(ours, remainingOutput(request, billed));
  let text = '';
  let hasCalls = false;
  let hasThought = false;
  const see = (event: ClientEvent) => {
    if (event.type === 'text') text += event.text;
    hasCalls ||= event.type === 'call';
    hasThought ||= event.type === 'reasoning';
  };
  const call = { ...callOf(input, prepared), maxOutputTokens: cap, watch };
  const outcome = yield* watched(streamClientStep(call), see);
  const hitOurCap = cap === ours && isCutByCap(outcome, cap, target, watch);
  const estimated: Usage = { inputTokens: currentTokens, outputTokens: watch.tokens };
  if (outcome.error === undefined || text !== '' || hasCalls) billed.steps.push(outcome.usage ?? estimated);
  const wasCut = outcome.wasCut || hitOurCap;
  const endedByServer = !wasCut && isEndedByServer(outcome, cap, target, watch);
  return { ...outcome, wasCut, endedByServer, text, hasCalls, hasThought };
}

/** The call of the model, without its output limits. */
function callOf(
  { request, model, signal }: CountInput,
  { messages }: PreparedContext,
): Omit<ClientCall, 'maxOutputTokens' | 'watch'> {
  const isLocal = model.id.startsWith(LOCAL_PREFIX);
  const sent = isLocal ? withWrittenArguments(messages, request.writtenArguments) : messages;
  return { ...request, model, messages: sent, watchesRepetition: isLocal, signal };
}

/**
 * Tokens of a prepared request, as the server of its model counts them; null if it does not.
 * @param input with a model that only counts
 */
export async function countRequest(input: CountInput, prepared: PreparedContext): Promise<number | null> {
  const { cap, watch } = outputLimits(input.context.target, prepared, input.settings);
  const step = streamClientStep({ ...callOf(input, prepared), maxOutputTokens: cap, watch });
  let next = await step.next();
  while (!next.done) next = await step.next();
  const { usage, error } = next.value;
  return error === undefined ? (usage?.inputTokens ?? null) : null;
}

/** Forwards all events, calls `see` with each, and ends the source when the reader stops. */
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

/** Tokens that remain of the client's output limit. */
function remainingOutput({ outputLimit = Number.POSITIVE_INFINITY }: ClientRequest, { steps }: BilledUsage): number {
  return outputLimit - steps.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
}

/** The text written so far, and a note to continue from there. */
function continuation({ text, error }: StepEnd, tailTokens: number): NewMessage[] {
  const message = (role: 'user' | 'assistant', words: string): NewMessage => ({
    role,
    parts: [withTokens({ type: 'text', content: { text: words } })],
  });
  const note = message(
    'user',
    continueNote({ calls: [], cutCalls: [], lastText: text, droppedCall: null, error }, tailTokens),
  );
  return text === '' ? [note] : [message('assistant', text), note];
}

/** `Retry-After` for clients if the provider names no delay; milliseconds. */
const DEFAULT_RETRY_MS = 5_000;

/** Converts the error of a provider to one of ours. */
function failureOf(report: ProviderErrorReport, cause: unknown): Error {
  const { kind, text, retryable, retryAfterMs = DEFAULT_RETRY_MS } = report;
  if (kind === 'rate-limit' && retryable) return new RateLimitedError(text, retryAfterMs);
  if (kind === 'invalid-request') return new InvalidInputError(text, { cause });
  if (kind === 'context-overflow') return new ContextOverflowError(text, { cause });
  return new ProviderError(text, { retryable, cause });
}
