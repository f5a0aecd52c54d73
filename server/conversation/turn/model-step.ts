import { setTimeout as delay } from 'node:timers/promises';
import { callModel } from '#server/conversation/step/model-attempt';
import {
  classifyProviderError,
  isRepeated,
  isSuspectedOverflow,
  type RefusedRequest,
} from '#server/conversation/step/provider-errors';
import { billOf, rereadLimits } from '#server/conversation/step/session-context';
import { type StepOutcome, StreamProcessor } from '#server/conversation/step/stream-processor';
import { SERVER_FLUSH_AFTER_MS } from '#server/conversation/step/stream-writer';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import type { RunningTurn, TurnPermissions } from '#server/conversation/turn/running-turn';
import { instructionsOf, toolboxFor } from '#server/conversation/turn/session-request';
import type { StepContext, StepRequest } from '#server/conversation/turn/step-context';
import type { ToolRunner } from '#server/conversation/turn/tool-runner';
import { cautiousTokens, fixedCount, fixedTokens, observe, readRequest } from '#server/context/current-tokens';
import { BudgetReachedError, ProviderError } from '#server/core/errors';
import type { CompactionReason } from '#server/core/conversation/events';
import { BROKEN_OFF, INPUT_CUT } from '#server/core/conversation/turns';
import { LOCAL_PREFIX } from '#server/models/providers';
import { type CallStatus, withCallStatus } from '#server/models/wire/call-status';

interface StepChoices {
  readonly permissions: TurnPermissions;
  /** False: the model may only write text. */
  readonly mayCall: boolean;
  /** Compact first, even if the request fits. */
  readonly force?: CompactionReason | undefined;
  readonly signal: AbortSignal;
}

/** A refusal that may mean an overflow: the error, and the size of the refused request. */
interface SuspectedOverflow {
  readonly failure: ProviderError;
  readonly tokens: number;
}

/** Makes the model calls of a turn, and repeats those that failed before the answer had any content. */
export class ModelStep {
  readonly #context: ConversationContext;
  readonly #run: RunningTurn;
  readonly #stepContext: StepContext;
  readonly #tools: ToolRunner;

  /** @param tools stores results of the calls that an answer requested and that do not run */
  constructor(context: ConversationContext, run: RunningTurn, stepContext: StepContext, tools: ToolRunner) {
    this.#context = context;
    this.#run = run;
    this.#stepContext = stepContext;
    this.#tools = tools;
  }

  /** Waits until the window of a local model is known. @throws UnknownModelError, or the signal's reason */
  loadModel(signal: AbortSignal): Promise<void> {
    return withCallStatus(this.#reportStatus, () => this.#run.model().prepare(signal));
  }

  /**
   * Prepares the context, makes one model call and stores the answer as it streams. Without content so far, a temporary
   * failure is repeated, and an overflow that the provider reports leads to one compaction and one repetition. An
   * overflow after the answer has started is treated like our own cut at the real-time limit: `wasCut`.
   * @throws ProviderError, ContextOverflowError, BudgetReachedError, or the signal's reason; existing content is stored
   * then, and its calls have results
   */
  async run({ permissions, mayCall, force, signal }: StepChoices): Promise<StepOutcome> {
    const { models } = this.#context;
    let reason = force;
    let hasOverflowed = false;
    let suspected: SuspectedOverflow | null = null;
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted();
      const made = await this.#stepContext.prepare(permissions, signal, reason);
      const { request, prepared } = made;
      // Compact only once, regardless of the outcome of the repeated request.
      reason = undefined;
      signal.throwIfAborted();
      // Nothing could be made smaller, so the provider would refuse it again.
      if (suspected && prepared.usage.currentTokens >= suspected.tokens) throw suspected.failure;
      const outcome = await this.#call(made, { permissions, mayCall, signal });
      const { error, calls, hasContent } = outcome;
      await this.#tools.refuse(outcome.cutCalls, signal.aborted ? (signal.reason as Error).message : INPUT_CUT);
      if (error === undefined) return outcome;
      if (signal.aborted) {
        await this.#tools.refuse(calls, (signal.reason as Error).message);
        throw signal.reason;
      }
      if (error instanceof BudgetReachedError) throw error;
      const report = classifyProviderError(error);
      this.#context.watch.providerFailed({ ...report, modelId: request.target.modelId, error });
      const { stepRetries, stepRetryDelay, stepRetryMaxWait } = this.#context.settings.current();
      const { kind, retryAfterMs } = report;
      const isOverflow = kind === 'context-overflow';
      if (hasContent && (isOverflow || kind === 'shared-context')) return { ...outcome, wasCut: true };
      const failure = new ProviderError(report.text, { retryable: report.retryable, cause: error });
      const isSuspected = isSuspectedOverflow(report, this.#sizeOf(made, attempt));
      if (!hasContent && (isOverflow || isSuspected) && !hasOverflowed) {
        hasOverflowed = true;
        const { contextWindow } = report;
        if (contextWindow !== undefined) await models.learnWindow(request.target.modelId, contextWindow, 'error');
        suspected = isOverflow ? null : { failure, tokens: prepared.usage.currentTokens };
        reason = 'provider-overflow';
        await rereadLimits(models, this.#context.settings.current(), signal);
      } else if (!hasContent && isRepeated(report, stepRetryMaxWait) && attempt < stepRetries) {
        if (retryAfterMs !== undefined)
          this.#run.publish({ type: 'data-waiting', data: { retryAfterMs }, transient: true });
        await delay(retryAfterMs ?? stepRetryDelay * 2 ** attempt, undefined, { signal });
      } else {
        await this.#tools.refuse(calls, BROKEN_OFF);
        throw failure;
      }
    }
  }

  #sizeOf({ request: { target }, prepared: { measured } }: StepRequest, attempt: number): RefusedRequest {
    return {
      tokens: cautiousTokens(measured, this.#context.settings.current()),
      fixedTokens: fixedTokens(target),
      contextWindow: target.contextWindow,
      largestAccepted: this.#context.calibrations.largestAccepted(target.modelId),
      attempt,
    };
  }

  /** One call of the model, stored as a message while it arrives. */
  async #call({ request, prepared }: StepRequest, { permissions: { scopes }, mayCall, signal }: StepChoices) {
    const { session, answer } = this.#run;
    const { attachments, calibrations } = this.#context;
    const { target } = request;
    const { id, open } = this.#run.model();
    const messages = await attachments.expand(session.id, prepared.messages);
    const writer = answer.begin(id);
    const call = {
      model: { id, model: open(billOf(session, 'chat')) },
      target,
      instructions: instructionsOf(this.#context, session, scopes),
      tools: toolboxFor(this.#context, session.id, target, scopes).toolSet,
      prepared: { ...prepared, messages },
      processor: new StreamProcessor(writer, (chunk) => this.#run.publish(chunk), {
        watchesRepetition: id.startsWith(LOCAL_PREFIX),
        showsInputs: mayCall,
        storesAfterMs: this.#context.database.isServer ? SERVER_FLUSH_AFTER_MS : undefined,
      }),
      settings: this.#context.settings.current(),
      mayCall,
      signal,
    };
    const outcome = await withCallStatus(this.#reportStatus, () => callModel(call));
    const { status, finishReason, usage } = outcome;
    const reported = usage && { ...usage, fixedCount: fixedCount(target), viewKey: prepared.viewKey };
    const hasCalls = outcome.calls.length + outcome.cutCalls.length > 0;
    const ending = answer.end(writer, { status, finishReason, usage: reported }, hasCalls);
    // It is awaited below, together with what is learned.
    ending.catch(() => undefined);
    if (outcome.error === undefined)
      calibrations.accept(target.modelId, cautiousTokens(prepared.measured, this.#context.settings.current()));
    const isBounded = outcome.error === undefined && (await this.#learnWindow({ request, prepared }, outcome));
    const observed = usage && !outcome.wasCut && !isBounded ? observe(prepared.measured, usage, target) : null;
    await Promise.all([ending, observed && calibrations.learn(target.modelId, observed)]);
    return outcome;
  }

  /** Shows in the chat what the model call waits for. */
  readonly #reportStatus = (status: CallStatus): void => {
    const tools = status.kind === 'tools-left-out' ? { tools: status.names } : {};
    const data = { retryAfterMs: 0, reason: status.kind, ...tools };
    this.#run.publish({ type: 'data-waiting', data, transient: true });
  };

  /** Learns the window of a local model from an answer. @returns whether the reported usage is unfit for calibration */
  async #learnWindow(
    { request: { target }, prepared: { measured } }: StepRequest,
    { usage, endedByServer = false }: StepOutcome,
  ): Promise<boolean> {
    if (!usage) return false;
    const { modelId } = target;
    const { models } = this.#context;
    if (await models.noteReport(modelId, readRequest(measured, usage, target))) return true;
    return endedByServer && models.noteEndedAnswer(modelId, usage.inputTokens + usage.outputTokens);
  }
}
