import type { UIMessageChunk } from 'ai';
import type { CompactionRecord } from '#server/core/compactions';
import type { CompactionReason, ContextUsage } from '#server/core/events';
import { ThroughlineError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import {
  type Approval,
  CANCELLED_BY_USER,
  type Message,
  type Session,
  type Turn,
  type TurnStatus,
} from '#server/core/messages';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { countTurn, inSpan } from '#server/observability/telemetry';
import { withLogIds } from '#server/observability/log';
import type { ContextListener } from '#server/context/ports';
import type { ContextRequest } from '#server/context/context-snapshot';
import type { ContentBackend } from '#server/content/content-backend';
import { type MessageWriter, NotStoredError, TurnAnswer } from '#server/agent/answer-writer';
import { type EventSink, contextEvents } from '#server/agent/session-events';
import {
  answeredEnding,
  COMPLETED,
  continueNote,
  cutForGood,
  failedEnding,
  lastWordsNote,
  limitEnding,
  stoppedEnding,
  type TurnStop,
} from '#server/agent/turn-ending';
import { diffTurn } from '#server/agent/diff-turn';
import { ModelStep, type ModelStepDependencies, openStep } from '#server/agent/model-step';
import { type OnFault, timeInWords, withinTime } from '#server/agent/run-tool-call';
import { contextRequest } from '#server/agent/session-context';
import type { StepOutcome } from '#server/agent/stream-processor';
import { type ToolRunnerDependencies, type ToolSignals, ToolRunner } from '#server/agent/tool-runner';
import type { DrainedQueue, TurnEnding } from '#server/core/turn-store';
import { steeringPart, toUIMessages } from '#server/agent/ui-messages';
import type { HistoryReader } from '#server/tools/tool';

export interface TurnDependencies extends ModelStepDependencies {
  readonly messages: MessageWriter;
  readonly content: ContentBackend;
  readonly events: EventSink;
  /** US dollars of a session so far; null where no provider says it. */
  readonly costOf: (sessionId: string) => Promise<number | null>;
  readonly historyOf: (sessionId: string) => HistoryReader;
  readonly onFault: OnFault;
  /** Told how each turn ended, and how long it took: milliseconds. */
  readonly onTurn?: ((status: TurnStatus, ms: number) => void) | undefined;
  /** Told of every call that did what a user is asked about first. Never throws. */
  readonly onSensitiveCall?: ToolRunnerDependencies['onSensitiveCall'];
}

export interface TurnInput {
  readonly turn: Turn;
  readonly session: Session;
  readonly publish: (chunk: UIMessageChunk) => void;
  readonly stop: TurnStop;
  /** Takes what waits in the queue into the turn, as one stored user message; null when nothing does. */
  readonly drain: () => Promise<DrainedQueue | null>;
  /** Of a turn that waited for the user; null for a new one. */
  readonly resumed: ResumedTurn | null;
}

/** What is stored of a turn: its messages from the request on, summaries of its compactions among them, and decisions. */
export interface ResumedTurn {
  readonly messages: readonly Message[];
  readonly compactions: readonly CompactionRecord[];
  readonly approvals: readonly Approval[];
}

/**
 * Carries out one turn: prepare the context, one model call, run its tool calls, again, until the model asks for no
 * more tools. Everything is stored as it happens; what it publishes folds into the same message that a reload shows.
 */
export class TurnExecutor {
  readonly #deps: TurnDependencies;
  readonly #input: TurnInput;
  readonly #answer: TurnAnswer;
  readonly #step: ModelStep;
  readonly #tools: ToolRunner;
  readonly #listener: ContextListener;

  constructor(deps: TurnDependencies, input: TurnInput) {
    this.#deps = deps;
    this.#input = input;
    const { turn, session, publish, resumed } = input;
    const first = resumed?.messages.find(({ role, isSummary }) => role === 'assistant' && !isSummary);
    this.#answer = new TurnAnswer(deps.messages, turn, first?.id);
    this.#tools = new ToolRunner(
      { ...deps, settings: deps.sources.settings, toolboxOf: deps.sources.toolboxOf },
      { session, turn, publish },
    );
    this.#listener = this.#createListener();
    this.#step = new ModelStep(deps, {
      turn,
      session,
      publish,
      answer: this.#answer,
      refuse: (calls, why) => this.#tools.refuse(calls, why),
      scopes: () => this.#tools.scopes,
      request: (signal) => this.#request(signal),
      onPrepared: (usage) => this.#publishUsage(usage),
    });
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
    const { publish, stop } = this.#input;
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
    if (end.error !== null) publish({ type: 'error', errorText: end.error });
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

  /** What is there of the answer already comes first: a replay has to be all of it. */
  #publishStart(): void {
    const { turn, resumed, publish } = this.#input;
    const messageMetadata = { createdAt: Date.now(), status: 'streaming', turnId: turn.id };
    publish({ type: 'start', messageId: this.#answer.streamId, messageMetadata });
    if (!resumed) return;
    const shown = toUIMessages(resumed.messages, resumed.compactions).find(({ role }) => role === 'assistant');
    if (shown) for (const chunk of diffTurn({ ...shown, parts: [] }, shown).chunks) publish(chunk);
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
    const { resumed } = this.#input;
    let continuations = 0;
    let force: CompactionReason | undefined;
    if (resumed) await this.#runDecided(resumed, signal);
    for (let step = 0; step < maxSteps; step += 1) {
      await this.#beforeStep(signal, step > 0 || resumed !== null);
      const outcome = await this.#step.run({ force, mayCall: true, signal });
      const approvals = await this.#tools.run(outcome.calls, this.#toolSignals(signal));
      if (approvals.length > 0) return { status: 'waiting_approval', error: null, approvals };
      if (outcome.calls.length > 0) signal.throwIfAborted();
      const toolbox = this.#deps.sources.toolboxOf(this.#input.session.id);
      if (outcome.calls.some((call) => toolbox.find(call.toolName)?.endsTurn)) return COMPLETED;
      if (!outcome.wasCut && outcome.calls.length === 0) {
        return answeredEnding(outcome, (name) => toolbox.find(name) !== undefined);
      }
      const repeated = this.#tools.repeated.endStep();
      if (repeated && 'error' in repeated) return { status: 'completed', error: repeated.error };
      if (repeated) await this.#answer.addNote(repeated.note);
      force = compactionAfter(outcome);
      if (force === undefined) continue;
      const { autoCompact, maxContinuations } = this.#engine();
      const isAllowed = autoCompact || force === 'provider-overflow';
      if (!isAllowed || continuations === maxContinuations) {
        return { status: 'completed', error: cutForGood(isAllowed) };
      }
      continuations += 1;
      await this.#answer.addNote(continueNote(outcome));
    }
    return null;
  }

  /**
   * What the user wrote meanwhile is part of the turn from here on; nothing is when it has just begun.
   * @throws when no other step may begin
   */
  async #beforeStep(signal: AbortSignal, isUnderWay: boolean): Promise<void> {
    this.#answer.forgetLast();
    this.#input.stop.check();
    signal.throwIfAborted();
    const drained = isUnderWay ? await this.#input.drain() : null;
    if (!drained) return;
    this.#tools.approvalPolicy = drained.approvalPolicy;
    this.#tools.scopes = drained.scopes;
    this.#input.publish(steeringPart(drained.message));
  }

  /** The calls that waited, with the input that is stored: no client supplies it. */
  async #runDecided({ messages, approvals }: ResumedTurn, signal: AbortSignal): Promise<void> {
    const { calls, results } = openStep(messages, approvals);
    await this.#tools.run(calls, this.#toolSignals(signal), results);
  }

  /**
   * A limit is reached: one last call, to say what was done and what is left. The turn ends whatever the model makes of it.
   * @throws what only a fault of ours can be
   */
  async #lastWords(limit: string): Promise<TurnEnding> {
    const { stop } = this.#input;
    const speak = async (signal: AbortSignal) => {
      try {
        this.#answer.forgetLast();
        stop.check();
        await this.#answer.addNote(lastWordsNote(limit));
        await this.#step.run({ mayCall: false, signal });
      } catch (error) {
        if (error instanceof NotStoredError) throw error;
        if (!(signal.aborted || error instanceof ThroughlineError)) throw error;
      }
    };
    const { gracePeriodMs } = this.#engine();
    await withinTime(gracePeriodMs, 'The grace period is over.', stop.signal, speak);
    return stop.reason === null ? limitEnding(limit) : stoppedEnding(stop.reason);
  }

  #toolSignals(readers: AbortSignal): ToolSignals {
    const { stop } = this.#input;
    return { readers, writers: stop.writers };
  }

  /** The session as it is now: limits and settings may change while the turn runs. @throws UnknownModelError */
  #request(signal: AbortSignal = this.#input.stop.signal): ContextRequest {
    const { turn, session } = this.#input;
    this.#deps.sources.models.resolve(turn.modelId ?? session.modelId);
    const { scopes } = this.#tools;
    return contextRequest(this.#deps.sources, session, turn.modelId, { signal, listener: this.#listener, scopes });
  }

  #engine(): ContextSettings {
    return this.#deps.sources.settings();
  }

  /** @param known the context as it was just measured */
  #publishUsage(known?: ContextUsage): Promise<void> {
    const { turn, session, publish } = this.#input;
    return this.#aside('Taking figures', async () => {
      const usage = known ?? (await this.#deps.context.inspect(this.#request())).usage;
      const total = await this.#deps.costOf(session.id);
      const data = { ...usage, cost: { ...usage.cost, total } };
      publish({ type: 'data-context', data, transient: true });
      this.#deps.events.emit(session.id, 'context:usage', data, turn.id);
    });
  }

  /** What is done beside the turn: it goes on, and ends, whatever becomes of that. */
  async #aside(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // No figures of a model that nobody serves any more, or of a deleted session.
      if (!(error instanceof ThroughlineError))
        this.#deps.onFault(`${name} failed in turn ${this.#input.turn.id}`, error);
    }
  }

  /** Tells the turn's stream and the session's events what the engine does. */
  #createListener(): ContextListener {
    const { publish, session } = this.#input;
    const events = contextEvents(this.#deps.events, session.id);
    let chunkId = '';
    return {
      onCompaction(data) {
        if (data.phase === 'start') chunkId = createId('cmp');
        publish({ type: 'data-compaction', id: chunkId, data });
        events.onCompaction(data);
      },
      onPrune(data) {
        publish({ type: 'data-prune', data, transient: true });
        events.onPrune(data);
      },
    };
  }
}

/** What a cut step has to be followed by; undefined after one that was not cut. */
function compactionAfter({ wasCut, error }: StepOutcome): CompactionReason | undefined {
  if (!wasCut) return undefined;
  return error === undefined ? 'real-time' : 'provider-overflow';
}
