import { allows } from '#server/core/access-rights';
import { setTimeout as delay } from 'node:timers/promises';
import { type MessageWriter, TurnAnswer } from '#server/agent/answer-writer';
import type { Attachments } from '#server/agent/attachments';
import { callModel } from '#server/agent/call-model';
import { diffTurn } from '#server/agent/diff-turn';
import { openStep, type ResumedTurn } from '#server/agent/load-transcript';
import { classifyProviderError, isRepeated } from '#server/agent/provider-errors';
import { timeInWords, withinTime } from '#server/agent/run-tool-call';
import {
  billOf,
  budgetRefusal,
  contextRequest,
  contextTarget,
  type ContextSources,
  rereadLimits,
  roomForWaiting,
  instructionsOf,
  toolboxFor,
} from '#server/agent/session-context';
import type { EventSink } from '#server/agent/session-events';
import type { TurnNews } from '#server/agent/turn-news';
import { contextEvents } from '#server/agent/context-events';
import { type StepOutcome, StreamProcessor } from '#server/agent/stream-processor';
import { ToolRunner, type ToolRunnerDependencies } from '#server/agent/tool-runner';
import {
  budgetEnding,
  COMPLETED,
  failedEnding,
  lastWordsNote,
  limitEnding,
  stoppedEnding,
  type TurnStop,
} from '#server/agent/turn-ending';
import { TurnCourse } from '#server/agent/turn-course';
import type { TurnStream } from '#server/agent/turn-stream';
import type { TurnSite } from '#server/agent/site-facts';
import { situationLimits, type SituationSources, tellSituation } from '#server/agent/situation';
import { NotStoredError, type StorePatience } from '#server/agent/store-patience';
import { steeringPart, toUIMessages } from '#server/agent/ui-messages';
import { type Calibrations, fixedCount, observe } from '#server/context/current-tokens';
import type { ContextManager, PreparedContext } from '#server/context/context-manager';
import type { ContextListener, ContextRequest } from '#server/context/ports';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { BudgetReachedError, ProviderError, ThroughlineError } from '#server/core/errors';
import type { CompactionReason, ContextUsage } from '#server/core/events';
import type { Message } from '#server/core/messages';
import type { Session } from '#server/core/sessions';
import { BROKEN_OFF, CANCELLED_BY_USER, type Turn, type TurnStatus } from '#server/core/turns';
import type { TurnEnding, TurnStore } from '#server/core/turn-store';
import { withLogIds } from '#server/observability/log';
import { countTurn, inSpan, type ProviderFailure } from '#server/observability/telemetry';

export interface TurnDependencies extends Pick<
  ToolRunnerDependencies,
  'historyOf' | 'wishesOf' | 'seenIn' | 'writersIn' | 'onFault' | 'onSensitiveCall'
> {
  readonly context: ContextManager;
  readonly sources: ContextSources;
  readonly calibrations: Pick<Calibrations, 'learn'>;
  readonly attachments: Attachments;
  readonly messages: MessageWriter;
  /** The site of the conversation. */
  readonly site: TurnSite;
  /** Reads what is told beside a message. */
  readonly situation: Omit<SituationSources, 'site' | 'mayRead'>;
  readonly turns: Pick<TurnStore, 'drain'>;
  readonly events: EventSink;
  readonly news: Pick<TurnNews, 'dequeued'>;
  /** US dollars of a session so far; null where no provider says it. */
  readonly costOf: (sessionId: string) => Promise<number | null>;
  /** Told of every model call that failed. Must not throw. */
  readonly onProviderError?: ((failure: ProviderFailure) => void) | undefined;
  /** Told how each turn ended, and how long it took: milliseconds. */
  readonly onTurn?: ((status: TurnStatus, ms: number) => void) | undefined;
}

export interface TurnInput {
  readonly turn: Turn;
  readonly session: Session;
  readonly stream: Pick<TurnStream, 'publish'>;
  readonly stop: TurnStop;
  readonly patience: StorePatience;
  /** The user's message that a new turn has begun with; null for one that waited for the user. */
  readonly message: Message | null;
  /** Stored part of a turn that waited for the user; null for a new one. */
  readonly resumed: ResumedTurn | null;
}

/**
 * Carries out one turn: prepare the context, one model call, store it, run its tool calls, again, until the model asks
 * for no more tools. Everything is stored as it happens; what it publishes folds into the same message that a reload
 * shows.
 */
export class TurnExecutor {
  readonly #deps: TurnDependencies;
  readonly #input: TurnInput;
  readonly #answer: TurnAnswer;
  readonly #tools: ToolRunner;
  readonly #listener: ContextListener;

  constructor(deps: TurnDependencies, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
    const { turn, session, stream, resumed } = input;
    const first = resumed?.messages.find(({ role, isSummary }) => role === 'assistant' && !isSummary);
    this.#answer = new TurnAnswer(deps.messages, turn, first?.id);
    this.#tools = new ToolRunner(
      { ...deps, ...deps.sources },
      { session, turn, publish: (chunk) => stream.publish(chunk) },
    );
    this.#listener = contextEvents(deps.events, session.id, stream);
  }

  /** Never throws for what a model or tool does; the error is in the result and, if anything was said, stored. */
  run(): Promise<TurnEnding> {
    const { turn, session } = this.#input;
    const attributes = { 'throughline.session.id': session.id, 'throughline.turn.id': turn.id };
    return withLogIds({ sessionId: session.id, turnId: turn.id }, () =>
      inSpan('turn', attributes, async (add) => {
        const startedAt = performance.now();
        const end = await this.#run();
        add({ 'throughline.turn.status': end.status });
        const ms = Math.round(performance.now() - startedAt);
        countTurn(end.status, ms);
        this.#deps.onTurn?.(end.status, ms);
        return end;
      }),
    );
  }

  async #run(): Promise<TurnEnding> {
    const { stream, stop } = this.#input;
    this.#publishStart();
    const end = await this.#work();
    // A turn that was taken away belongs to who took it.
    if (stop.reason !== 'lost') {
      await this.#storeEnd(end);
      let usage: ContextUsage | undefined;
      await this.#aside('Pruning', async () => {
        ({ usage } = await this.#deps.context.prune(this.#request(), 'turn-end'));
      });
      await this.#publishUsage(usage);
    }
    if (end.error !== null) stream.publish({ type: 'error', errorText: end.error });
    return end;
  }

  /** Asks the chat about the calls that the turn waits for; it is over, and they can be decided. */
  ask(): void {
    this.#tools.ask();
  }

  /** The user stopped the turn that was about to ask: what it would have asked for is refused. */
  async takeBack(): Promise<TurnEnding> {
    await this.#tools.refuseAsked(CANCELLED_BY_USER);
    const end = stoppedEnding('cancelled');
    await this.#storeEnd(end);
    return end;
  }

  /** Publishes the stored beginning of a resumed answer first: a replay has to be all of it. */
  #publishStart(): void {
    const { turn, resumed, stream } = this.#input;
    const messageMetadata = { createdAt: Date.now(), status: 'streaming', turnId: turn.id };
    stream.publish({ type: 'start', messageId: this.#answer.streamId, messageMetadata });
    if (!resumed) return;
    const shown = toUIMessages(resumed.messages, resumed.compactions).find(({ role }) => role === 'assistant');
    if (shown) for (const chunk of diffTurn({ ...shown, parts: [] }, shown).chunks) stream.publish(chunk);
  }

  async #storeEnd(end: TurnEnding): Promise<void> {
    if (end.status === 'cancelled') await this.#answer.storeCancelled();
    if (end.error !== null) await this.#answer.storeError(end.error, end.status === 'failed');
  }

  /** Until it is done, fails, is ended from outside, or its time is used up. */
  async #work(): Promise<TurnEnding> {
    const { stop, turn } = this.#input;
    const { turnTimeLimitMs, maxSteps } = this.#engine();
    const limit = timeInWords(turnTimeLimitMs);
    let inTime: AbortSignal | undefined;
    try {
      const message = `Not run to its end: the turn's time of ${limit} was used up.`;
      const end = await withinTime(turnTimeLimitMs, message, stop.signal, (signal) =>
        this.#steps(maxSteps, (inTime = signal)),
      );
      return end ?? (await this.#lastWords(`${maxSteps} steps`));
    } catch (error) {
      const isKept = !(error instanceof NotStoredError);
      if (stop.reason !== null && isKept) return stoppedEnding(stop.reason, error);
      return isKept && inTime?.aborted ? this.#lastWords(limit) : failedEnding(turn.id, error, this.#deps.onFault);
    }
  }

  /** @returns null when its steps are used up */
  async #steps(maxSteps: number, signal: AbortSignal): Promise<TurnEnding | null> {
    const { session, resumed } = this.#input;
    const course = new TurnCourse();
    let force: CompactionReason | undefined;
    if (resumed) {
      // The calls that waited, with the input that is stored: no client supplies it.
      const { calls, results } = openStep(resumed);
      await this.#tools.run(calls, { readers: signal, writers: this.#input.stop.writers }, results);
    }
    for (let step = 0; step < maxSteps; step += 1) {
      const refusal = await budgetRefusal(this.#model(), billOf(session, 'chat'));
      // What was done is done; what waits goes on waiting, for somebody to raise the budget.
      if (refusal !== null) return budgetEnding(refusal, step > 0 || resumed !== null);
      await this.#beforeStep(signal, step > 0 || resumed !== null, step === 0 && resumed !== null);
      const outcome = await this.#step(signal, true, force);
      const approvals = await this.#tools.run(outcome.calls, { readers: signal, writers: this.#input.stop.writers });
      if (approvals.length > 0) return { status: 'waiting_approval', error: null, approvals };
      if (outcome.calls.length > 0) signal.throwIfAborted();
      if (this.#tools.hasEnded) return COMPLETED;
      const toolbox = this.#deps.sources.toolboxOf(session.id);
      const next = course.after(outcome, this.#engine(), (name) => toolbox.find(name) !== undefined);
      if ('status' in next) return next;
      const stuck = this.#tools.repeated.endStep();
      if (stuck !== null) return { status: 'completed', error: stuck };
      force = next.force;
      if (next.note !== undefined) await this.#answer.addNote(next.note);
    }
    return null;
  }

  /**
   * Takes in what the user wrote meanwhile; a turn that has just begun has nothing to take.
   * @throws when no other step may begin
   */
  async #beforeStep(signal: AbortSignal, isUnderWay: boolean, isResumed: boolean): Promise<void> {
    const { turn, message, session, stop, stream, patience } = this.#input;
    const { turns, sources, news } = this.#deps;
    this.#answer.forgetLast();
    stop.check();
    signal.throwIfAborted();
    // What waits in the queue becomes one stored user message.
    const drain = () => turns.drain(turn.id, turn.leaseOwner, roomForWaiting(sources, session, turn.modelId));
    const drained = isUnderWay ? await patience.write(drain) : null;
    if (drained) {
      this.#tools.approvalPolicy = drained.approvalPolicy;
      this.#tools.scopes = drained.scopes;
    }
    if (drained || !isUnderWay) await this.#tellSituation(drained?.message ?? message);
    else if (isResumed) await this.#tellSituation(null);
    if (!drained) return;
    news.dequeued(drained.message, drained.dequeued);
    stream.publish(steeringPart(drained.message));
  }

  /** Tells how things stand, beside this message or (null) behind a pause; the turn goes on without. */
  #tellSituation(message: Message | null): Promise<void> {
    const { situation, site, messages, sources } = this.#deps;
    const { turn, session } = this.#input;
    return this.#aside('Telling the situation', () => {
      const { scopes } = this.#tools;
      const limits = situationLimits(contextTarget(sources, session, turn.modelId, scopes), this.#engine());
      const mayRead = allows(scopes, 'content:read');
      return tellSituation({ ...situation, site, mayRead }, { turn, message }, messages, limits);
    });
  }

  /**
   * One model call with its context, its answer stored; repeated where the failure may pass and nothing was said yet.
   * An overflow that the provider only noticed after the answer had begun is a cut like ours.
   * @param mayCall false: the model may only say something
   * @param force compact first, whatever fits
   * @throws ProviderError, ContextOverflowError, or the signal's reason; what was said is stored, its calls answered
   */
  async #step(signal: AbortSignal, mayCall: boolean, force?: CompactionReason): Promise<StepOutcome> {
    const { stream } = this.#input;
    let reason = force;
    let hasOverflowed = false;
    this.#answer.forgetLast();
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted();
      const { request, prepared } = await this.#prepare(signal, reason);
      // Once is enough, whatever the repeated request meets.
      reason = undefined;
      signal.throwIfAborted();
      const outcome = await this.#call(request, prepared, mayCall, signal);
      if (outcome.error === undefined) return outcome;
      if (signal.aborted) {
        await this.#tools.refuse(outcome.calls, (signal.reason as Error).message);
        throw signal.reason;
      }
      if (outcome.error instanceof BudgetReachedError) throw outcome.error;
      const report = classifyProviderError(outcome.error);
      this.#deps.onProviderError?.({ ...report, modelId: request.target.modelId, error: outcome.error });
      const { stepRetries, stepRetryDelay, stepRetryMaxWait } = this.#engine();
      const isOverflow = report.kind === 'context-overflow';
      if (outcome.hasContent && isOverflow) return { ...outcome, wasCut: true };
      if (!outcome.hasContent && isOverflow && !hasOverflowed) {
        hasOverflowed = true;
        reason = 'provider-overflow';
        await rereadLimits(this.#deps.sources, signal);
      } else if (!outcome.hasContent && isRepeated(report, stepRetryMaxWait) && attempt < stepRetries) {
        const { retryAfterMs } = report;
        if (retryAfterMs !== undefined)
          stream.publish({ type: 'data-waiting', data: { retryAfterMs }, transient: true });
        await delay(retryAfterMs ?? stepRetryDelay * 2 ** attempt, undefined, { signal });
      } else {
        await this.#tools.refuse(outcome.calls, BROKEN_OFF);
        throw new ProviderError(report.message, { retryable: report.retryable, cause: outcome.error });
      }
    }
  }

  /** The session as the model will be sent it, with its figures told. */
  async #prepare(signal: AbortSignal, force: CompactionReason | undefined) {
    const { sources, context } = this.#deps;
    const { session } = this.#input;
    await sources.standing.refresh(session.siteId);
    await sources.refreshTools(session.id);
    const request = this.#request(signal);
    const prepared = await context.prepare(request, force);
    await this.#publishUsage(prepared.usage);
    return { request, prepared };
  }

  /** One call of the model, stored as a message while it comes in. */
  async #call(request: ContextRequest, prepared: PreparedContext, mayCall: boolean, signal: AbortSignal) {
    const { session, stream } = this.#input;
    const { sources, attachments, calibrations } = this.#deps;
    const { target } = request;
    const { id, open } = this.#model();
    const messages = await attachments.expand(session.id, prepared.messages);
    const writer = this.#answer.begin(id);
    const outcome = await callModel({
      model: { id, model: open(billOf(session, 'chat')) },
      target,
      instructions: instructionsOf(sources, session, this.#tools.scopes),
      toolbox: toolboxFor(sources, session.id, target, this.#tools.scopes),
      prepared: { ...prepared, messages },
      processor: new StreamProcessor(writer, (chunk) => stream.publish(chunk)),
      settings: this.#engine(),
      mayCall,
      signal,
    });
    const { status, finishReason, usage } = outcome;
    const reported = usage && { ...usage, fixedCount: fixedCount(target), viewKey: prepared.viewKey };
    await this.#answer.end(writer, { status, finishReason, usage: reported }, outcome.calls.length > 0);
    const observed = usage && !outcome.wasCut ? observe(prepared.measured, usage, target) : null;
    if (observed) await calibrations.learn(target.modelId, observed);
    return outcome;
  }

  /**
   * A limit is reached: one last call says what was done and what is left. The turn ends whatever comes of it.
   * @throws what only a fault of ours can be
   */
  async #lastWords(limit: string): Promise<TurnEnding> {
    const { stop } = this.#input;
    const speak = async (signal: AbortSignal) => {
      try {
        this.#answer.forgetLast();
        stop.check();
        await this.#answer.addNote(lastWordsNote(limit));
        await this.#step(signal, false);
      } catch (error) {
        if (error instanceof NotStoredError || !(signal.aborted || error instanceof ThroughlineError)) throw error;
      }
    };
    const { gracePeriodMs } = this.#engine();
    await withinTime(gracePeriodMs, 'The grace period is over.', stop.signal, speak);
    return stop.reason === null ? limitEnding(limit) : stoppedEnding(stop.reason);
  }

  /** The session as it is now: limits and settings may change while the turn runs. @throws UnknownModelError */
  #request(signal: AbortSignal = this.#input.stop.signal): ContextRequest {
    const { turn, session } = this.#input;
    this.#model();
    const { scopes } = this.#tools;
    return contextRequest(this.#deps.sources, session, turn.modelId, { signal, listener: this.#listener, scopes });
  }

  /** The model of the turn as it is served now. @throws UnknownModelError */
  #model() {
    const { turn, session } = this.#input;
    return this.#deps.sources.models.resolve(turn.modelId ?? session.modelId);
  }

  #engine(): ContextSettings {
    return this.#deps.sources.settings();
  }

  /** @param known the context as it was just measured */
  #publishUsage(known?: ContextUsage): Promise<void> {
    const { turn, session, stream } = this.#input;
    return this.#aside('Taking figures', async () => {
      const usage = known ?? (await this.#deps.context.inspect(this.#request())).usage;
      const data = { ...usage, cost: { ...usage.cost, total: await this.#deps.costOf(session.id) } };
      stream.publish({ type: 'data-context', data, transient: true });
      this.#deps.events.emit(session.id, 'context:usage', data, turn.id);
    });
  }

  /** Does work beside the turn, which goes on, and ends, whatever becomes of it. */
  async #aside(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // No figures of a model that nobody serves any more, or of a deleted session.
      if (!(error instanceof ThroughlineError))
        this.#deps.onFault(`${name} failed in turn ${this.#input.turn.id}`, error);
    }
  }
}
