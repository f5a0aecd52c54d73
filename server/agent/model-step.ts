import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import type { TurnAnswer } from '#server/agent/answer-writer';
import type { Attachments } from '#server/agent/attachments';
import { callModel, type ModelCall } from '#server/agent/call-model';
import { classifyProviderError, isRepeated } from '#server/agent/provider-errors';
import type { PendingCall } from '#server/agent/run-tool-call';
import { type ContextSources, sessionInstructions, toolboxFor } from '#server/agent/session-context';
import { type StepOutcome, StreamProcessor } from '#server/agent/stream-processor';
import type { Calibrations } from '#server/context/calibration';
import type { ContextManager, PreparedContext } from '#server/context/context-manager';
import type { ContextRequest } from '#server/context/context-snapshot';
import { fixedCount, observe } from '#server/context/current-tokens';
import { pairToolResults } from '#server/context/tool-results';
import { ProviderError } from '#server/core/errors';
import type { CompactionReason, ContextUsage } from '#server/core/events';
import type { Approval, Message, Session, Turn } from '#server/core/messages';
import type { Scope } from '#server/core/people';
import { countTokens, inSpan, type ProviderFailure } from '#server/observability/telemetry';

export interface ModelStepDependencies {
  readonly context: ContextManager;
  readonly sources: ContextSources;
  readonly calibrations: Pick<Calibrations, 'learn'>;
  readonly attachments: Attachments;
  /** Told of every model call that failed. Must not throw. */
  readonly onProviderError?: ((failure: ProviderFailure) => void) | undefined;
}

export interface ModelStepInput {
  readonly turn: Turn;
  readonly session: Session;
  readonly publish: (chunk: UIMessageChunk) => void;
  readonly answer: TurnAnswer;
  /** Answers calls that are not run. */
  readonly refuse: (calls: readonly PendingCall[], why: string) => Promise<void>;
  /** What whoever the turn works for may do, by now. */
  readonly scopes: () => readonly Scope[];
  /** The session as it is now, for a step under this signal. */
  readonly request: (signal: AbortSignal) => ContextRequest;
  /** Told of the step's context once it is prepared. Never throws. */
  readonly onPrepared: (usage: ContextUsage) => Promise<void>;
}

export interface StepOrder {
  /** Compact first, whatever fits. */
  readonly force?: CompactionReason | undefined;
  /** False: the model may only say something. */
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
}

/** The result of a call that came with an answer that failed: what else it would have said is not known. */
const BROKEN_OFF = 'Not run: the answer that asked for it broke off.';

/** The model calls of one turn: each with its context, repeated where a failure may pass, its answer stored. */
export class ModelStep {
  readonly #deps: ModelStepDependencies;
  readonly #input: ModelStepInput;

  constructor(dependencies: ModelStepDependencies, input: ModelStepInput) {
    this.#deps = dependencies;
    this.#input = input;
  }

  /**
   * One model call, repeated where the failure may pass and nothing was said yet. An overflow that the provider only
   * noticed after the answer had begun is a cut like ours.
   * @throws ProviderError, ContextOverflowError, or the signal's reason; what was said is stored, its calls answered
   */
  async run(order: StepOrder): Promise<StepOutcome> {
    const { signal } = order;
    let { force } = order;
    let hasOverflowed = false;
    this.#input.answer.forgetLast();
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted();
      await this.#deps.sources.standing.refresh();
      await this.#deps.sources.refreshTools(this.#input.session.id);
      const request = this.#input.request(signal);
      const prepared = await this.#deps.context.prepare(request, force);
      await this.#input.onPrepared(prepared.usage);
      // Once is enough, whatever the repeated request meets.
      force = undefined;
      signal.throwIfAborted();
      const outcome = await this.#callModel(prepared, request, order);
      if (outcome.error === undefined) return outcome;
      if (signal.aborted) {
        await this.#input.refuse(outcome.calls, (signal.reason as Error).message);
        throw signal.reason;
      }
      const report = classifyProviderError(outcome.error);
      this.#deps.onProviderError?.({ ...report, modelId: request.target.modelId, error: outcome.error });
      const { stepRetries, stepRetryDelay, stepRetryMaxWait } = this.#deps.sources.settings();
      if (outcome.hasContent && report.kind === 'context-overflow') return { ...outcome, wasCut: true };
      if (outcome.hasContent) {
        await this.#input.refuse(outcome.calls, BROKEN_OFF);
        throw providerError(report, outcome.error);
      }
      if (report.kind === 'context-overflow' && !hasOverflowed) {
        hasOverflowed = true;
        force = 'provider-overflow';
        await this.#readLimitsAgain(signal);
      } else if (isRepeated(report, stepRetryMaxWait) && attempt < stepRetries) {
        await delay(report.retryAfterMs ?? stepRetryDelay * 2 ** attempt, undefined, { signal });
      } else {
        throw providerError(report, outcome.error);
      }
    }
  }

  async #callModel(prepared: PreparedContext, request: ContextRequest, order: StepOrder): Promise<StepOutcome> {
    const { session, turn, publish, answer } = this.#input;
    const { models, settings } = this.#deps.sources;
    const model = models.resolve(turn.modelId ?? session.modelId);
    const messages = await this.#deps.attachments.expand(session.id, prepared.messages);
    const { target } = request;
    const writer = answer.begin(model.id);
    const outcome = await tracedCall(model.id, {
      model,
      target,
      instructions: sessionInstructions(this.#deps.sources, session),
      toolbox: toolboxFor(this.#deps.sources, session.id, target, this.#input.scopes()),
      prepared: { ...prepared, messages },
      processor: new StreamProcessor(writer, publish),
      settings: settings(),
      mayCall: order.mayCall,
      signal: order.signal,
    });
    const { status, finishReason, usage } = outcome;
    const reported = usage && { ...usage, fixedCount: fixedCount(target), viewKey: prepared.viewKey };
    await answer.end(writer, { status, finishReason, usage: reported }, outcome.calls.length > 0);
    const observed = usage && !outcome.wasCut ? observe(prepared.measured, usage, target) : null;
    if (observed) await this.#deps.calibrations.learn(target.modelId, observed);
    return outcome;
  }

  /** What was believed of the window may be old: a local server may have loaded a shorter one. */
  async #readLimitsAgain(signal: AbortSignal): Promise<void> {
    const waited = new AbortController();
    const { modelRefreshMaxWait } = this.#deps.sources.settings();
    const limit = delay(modelRefreshMaxWait, undefined, { signal: AbortSignal.any([signal, waited.signal]) });
    await Promise.race([this.#deps.sources.models.refresh(true), limit.catch(() => undefined)]);
    waited.abort();
  }
}

function providerError(report: { message: string; retryable: boolean }, cause: unknown): ProviderError {
  return new ProviderError(report.message, { retryable: report.retryable, cause });
}

/** The call as a span with what it cost. */
function tracedCall(modelId: string, call: ModelCall): Promise<StepOutcome> {
  return inSpan('model call', { 'gen_ai.request.model': modelId }, async (add) => {
    const outcome = await callModel(call);
    const { usage, finishReason } = outcome;
    if (usage) {
      countTokens(modelId, usage);
      add({ 'gen_ai.usage.input_tokens': usage.inputTokens, 'gen_ai.usage.output_tokens': usage.outputTokens });
    }
    if (finishReason) add({ 'gen_ai.response.finish_reasons': [finishReason] });
    return outcome;
  });
}

/** The calls of a stored turn that waited and were decided, and the tool message of their step, if it has one. */
export function openStep(
  messages: readonly Message[],
  approvals: readonly Approval[],
): { readonly calls: readonly PendingCall[]; readonly results: Message | undefined } {
  const answered = pairToolResults(messages);
  const calls = approvals
    .filter(({ partId, status }) => status !== 'pending' && !answered.has(partId))
    .map(({ partId, toolCallId, toolName, input, status, reason, effect }) => ({
      partId,
      toolCallId,
      toolName,
      input,
      decision: { approved: status === 'approved', reason, effect },
    }));
  const last = messages.at(-1);
  return { calls, results: last?.role === 'tool' ? last : undefined };
}
