import type { Scope } from '#server/core/admin/access-rights';
import { answerChunks } from '#server/conversation/events/answer-chunks';
import { deniedCalls, openStep } from '#server/conversation/events/load-transcript';
import { NotStoredError } from '#server/conversation/step/retrying-writer';
import { durationText, withinTime } from '#server/conversation/step/run-tool-call';
import { billOf, budgetRefusal } from '#server/conversation/step/session-context';
import { steeringPart, toUIMessages } from '#server/conversation/step/ui-messages';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import { ModelStep } from '#server/conversation/turn/model-step';
import { TurnProgress } from '#server/conversation/turn/next-step';
import type { RunningTurn, TurnPermissions } from '#server/conversation/turn/running-turn';
import { roomForWaiting } from '#server/conversation/turn/session-request';
import { StepContext } from '#server/conversation/turn/step-context';
import { ToolRunner, type ToolSignals } from '#server/conversation/turn/tool-runner';
import {
  budgetEnding,
  COMPLETED,
  failedEnding,
  lastWordsNote,
  limitEnding,
  stoppedEnding,
} from '#server/conversation/turn/turn-ending';
import type { TurnEvents } from '#server/conversation/events/turn-events';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { ThroughlineError } from '#server/core/errors';
import { cancelTopic, type CompactionReason } from '#server/core/conversation/events';
import { CANCELLED_BY_USER, type TurnStatus } from '#server/core/conversation/turns';
import type { TurnEnding } from '#server/core/conversation/turn-store';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { withLogIds } from '#server/platform/telemetry/log-ids';
import { countTurn, inSpan } from '#server/platform/telemetry/telemetry';

/** How a turn ended. */
export interface TurnOutcome {
  readonly status: TurnStatus;
  /** The ending that this process stored; null if another process has ended the turn. */
  readonly stored: TurnEnding | null;
  /** Rights of the turn at its end. */
  readonly scopes: readonly Scope[];
}

/**
 * The agent loop: runs one turn, which is all work for one user message or for queued messages that are sent together.
 *
 *     repeat: take the queue -> prepare the context -> call the model -> run its tool calls
 *     until the model requests no more calls, or the turn ends for another reason
 *
 * Everything is stored as it happens: each text while it streams, each call when it is complete and before it runs,
 * each result. Each write checks in its transaction that this process still runs the turn. The published chunks add up
 * to the same message that a reload shows.
 *
 * - **A call needs approval**: the other calls of the step run; the turn ends as `waiting_approval` with the effects of
 *   the waiting calls. When the user has decided, the turn is resumed and begins with these calls (`#runDecidedCalls`).
 *   An approved call that would do something else by now is refused (`Approvals.check`).
 * - **The user stops the turn**: `stop.signal` aborts model calls, pauses, and tools that only read; a tool that writes
 *   is finished first. Calls that have not run get a result that says so. Queued messages stay in the queue until the
 *   user sends or releases them.
 * - **The context overflows while the answer streams**: ModelStep counts the tokens as they arrive and ends the step
 *   with the content it has (`wasCut`). `decideNext` then returns `force`: the next step compacts first and continues
 *   where the text stopped. An overflow that the provider reports before the answer starts is handled in ModelStep: one
 *   compaction and one repetition.
 * - **Messages wait in the queue**: before each step but the first of a new turn, all that fit become one user message.
 *   Those that are left start the next turn.
 * - **The process dies**: nothing here runs. The lease of the turn expires, and TurnRecovery of any process settles what
 *   is stored: partial text stays as `interrupted`, open calls get an error result, and the queue continues.
 */
export class AgentLoop {
  readonly #context: ConversationContext;
  readonly #news: TurnEvents;
  readonly #run: RunningTurn;
  readonly #stepContext: StepContext;
  readonly #model: ModelStep;
  readonly #tools: ToolRunner;
  readonly #progress = new TurnProgress();
  #permissions: TurnPermissions;

  constructor(context: ConversationContext, run: RunningTurn, news: TurnEvents) {
    this.#context = context;
    this.#news = news;
    this.#run = run;
    this.#stepContext = new StepContext(context, run);
    this.#tools = new ToolRunner(context, run);
    this.#model = new ModelStep(context, run, this.#stepContext, this.#tools);
    this.#permissions = run.turn;
  }

  /** Runs the turn to its end and stores how it ended. Throws only if the end cannot be stored. */
  async run(): Promise<TurnOutcome> {
    return this.#measured(async () => {
      const planned = await this.#orFailed(() => this.#runWhileListening());
      const stored = await this.#endTurn(planned);
      // The turn has ended in the store, so its approvals can be decided.
      if (stored?.status === 'waiting_approval') {
        this.#tools.showRequests();
        this.#context.approvalNotices?.checkApprovals();
      }
      return { status: (stored ?? planned).status, stored, scopes: this.#permissions.scopes };
    });
  }

  /** Another process may receive the user's stop: it stores the stop and signals it. */
  async #runWhileListening(): Promise<TurnEnding> {
    const { session } = this.#run;
    const unsubscribe = this.#context.signals.subscribe(cancelTopic(session.id), () => void this.#run.readCancel());
    try {
      // The turn may have been cancelled before this process listened; a call that the user has approved would run
      // immediately. Any other turn reads and prepares first, during which the cancel is read, too.
      const reading = this.#run.readCancel();
      if (this.#run.resumed) await reading;
      return await this.#answer();
    } finally {
      unsubscribe();
    }
  }

  /** Writes the whole answer: its steps, its end, and the figures. */
  async #answer(): Promise<TurnEnding> {
    const { stop } = this.#run;
    this.#publishStart();
    const end = await this.#runSteps();
    let figures: TurnEnding['figures'];
    // A turn that was lost belongs to the process that took it.
    if (stop.reason !== 'lost') {
      await this.#storeEndInAnswer(end);
      figures = await this.#stepContext.pruneAfterTurn(this.#permissions);
    }
    if (end.error !== null) this.#run.publish({ type: 'error', errorText: end.error.text });
    return { ...end, figures };
  }

  /** Runs the steps until the turn is done, fails, is stopped, or its time or its steps are used up. */
  async #runSteps(): Promise<TurnEnding> {
    const { stop, turn } = this.#run;
    try {
      const end = await this.#stepsWithinLimits();
      return 'status' in end ? end : await this.#lastWords(end);
    } catch (error) {
      if (stop.reason !== null && !(error instanceof NotStoredError)) return stoppedEnding(stop.reason, error);
      return failedEnding(turn.id, error, this.#context.onFault);
    }
  }

  /** @returns how the turn ended, or the limit that is used up, in words */
  async #stepsWithinLimits(): Promise<TurnEnding | ServerText> {
    const { turnTimeLimitMs, maxSteps } = this.#settings;
    const time = durationText(turnTimeLimitMs);
    const late = `Not run to its end: the turn's time of ${time.text} was used up.`;
    let timed: AbortSignal | undefined;
    try {
      const steps = (signal: AbortSignal) => {
        timed = signal;
        return this.#steps(maxSteps, signal);
      };
      const end = await withinTime(turnTimeLimitMs, late, this.#run.stop.signal, steps);
      return end ?? serverText('turn-steps', { count: maxSteps });
    } catch (error) {
      const isTimeUp = timed?.aborted === true && this.#run.stop.reason === null;
      if (!isTimeUp || error instanceof NotStoredError) throw error;
      return time;
    }
  }

  /**
   * The loop.
   * @param signal ends the turn: the user's stop, the end of the process, a lost lease, or the time limit
   * @returns null if all steps are used up
   */
  async #steps(maxSteps: number, signal: AbortSignal): Promise<TurnEnding | null> {
    const { session, resumed, stop, answer } = this.#run;
    // Neither the user's stop nor the time limit ends a tool that writes; a lost lease and the end of the process do.
    const signals: ToolSignals = { readers: signal, writers: stop.writers };
    let force: CompactionReason | undefined;
    if (resumed) await this.#runDecidedCalls(signals);

    for (let step = 0; step < maxSteps; step += 1) {
      const isUnderWay = step > 0 || resumed !== null;
      const refusal = await budgetRefusal(this.#run.model(), billOf(session, 'chat'));
      // Finished work is kept; queued messages wait until a person raises the budget.
      if (refusal !== null) return budgetEnding(refusal, isUnderWay);
      answer.startStep();
      // The process may be closing: then no further step starts.
      stop.check();
      signal.throwIfAborted();
      await this.#model.loadModel(signal);

      await this.#takeQueue(isUnderWay, step);
      const outcome = await this.#model.run({ permissions: this.#permissions, mayCall: true, force, signal });

      const waiting = await this.#tools.run(outcome.calls, this.#permissions, signals);
      if (waiting.length > 0) return { status: 'waiting_approval', error: null, approvals: waiting };
      if (outcome.calls.length > 0) signal.throwIfAborted();
      // A tool such as ask_user hands the turn to the user.
      if (this.#tools.hasEnded) return COMPLETED;

      const next = this.#progress.decideNext(outcome, {
        settings: this.#settings,
        toolbox: this.#context.toolboxes.of(session.id),
        tailTokens: () => this.#stepContext.tailTokens(this.#permissions),
      });
      if ('status' in next) return next;
      const stuck = this.#tools.endStep();
      if (stuck !== null) return { status: 'completed', error: stuck };
      force = next.force;
      if (next.note !== undefined) await answer.addNote(next.note);
    }
    return null;
  }

  /** Continues after a pause: runs the calls that the user has decided, with their stored input, or stores the denial. */
  async #runDecidedCalls(signals: ToolSignals): Promise<void> {
    const { session, resumed } = this.#run;
    if (!resumed) return;
    const { calls, results } = openStep(resumed);
    // The available tools depend on the site of the conversation.
    await this.#context.toolboxes.refresh(session);
    await this.#tools.run(calls, this.#permissions, signals, results);
  }

  /**
   * Moves the messages that the user sent since the last step into the turn, as one stored user message; a new turn has
   * none. The store reduces the rights of the turn to those that its senders have, too. Then writes the environment
   * context into the new message; in a resumed turn without one, into a message of its own.
   */
  async #takeQueue(isUnderWay: boolean, step: number): Promise<void> {
    const { turn, session, message, store } = this.#run;
    const drain = () =>
      this.#context.turns.drain(turn.id, turn.leaseOwner, roomForWaiting(this.#context, session, turn.modelId));
    const isWaiting = isUnderWay && (await this.#stepContext.readWithQueue());
    const drained = isWaiting ? await store.write(drain) : null;
    if (drained) this.#stepContext.forget();
    if (drained) this.#permissions = { approvalPolicy: drained.approvalPolicy, scopes: drained.scopes };
    const isNew = drained !== null || !isUnderWay;
    if (isNew) await this.#stepContext.describeEnvironment(drained?.message ?? message, this.#permissions);
    else if (step === 0) await this.#stepContext.describeEnvironment(null, this.#permissions);
    if (!drained) return;
    this.#news.dequeued(drained.message, drained.dequeued);
    this.#run.publish(steeringPart(drained.message));
  }

  /**
   * A limit is reached: makes one last call without tools that states what is done and what is left. The turn ends
   * regardless of its outcome.
   * @throws only for errors of this program
   */
  async #lastWords(limit: ServerText): Promise<TurnEnding> {
    const { stop, answer } = this.#run;
    const speak = async (signal: AbortSignal) => {
      try {
        answer.startStep();
        stop.check();
        await answer.addNote(lastWordsNote(limit.text));
        this.#stepContext.forget();
        await this.#model.run({ permissions: this.#permissions, mayCall: false, signal });
      } catch (error) {
        if (error instanceof NotStoredError || !(signal.aborted || error instanceof ThroughlineError)) throw error;
      }
    };
    await withinTime(this.#settings.gracePeriodMs, 'The grace period is over.', stop.signal, speak);
    return stop.reason === null ? limitEnding(limit) : stoppedEnding(stop.reason);
  }

  /**
   * Ends the turn in the store. If it was cancelled before the user was asked for approval, it ends as cancelled instead
   * of waiting.
   * @returns null if another process has ended it
   */
  async #endTurn(planned: TurnEnding): Promise<TurnEnding | null> {
    const { turn, stop, store, session } = this.#run;
    const { turns, events } = this.#context;
    await this.#run.cancelStored();
    // The end is stored after the earlier events of the turn.
    await events.settled(session.id);
    if (stop.reason === 'lost') return null;
    const asks = planned.status === 'waiting_approval';
    if (asks && stop.reason !== 'cancelled') {
      if (await store.write(() => turns.finish(turn.id, planned))) return planned;
      if (!(await this.#run.readCancel())) return null;
    }
    const end = asks
      ? { ...(await this.#orFailed(() => this.#withdrawRequests())), figures: planned.figures }
      : planned;
    return (await store.write(() => turns.finish(turn.id, end))) ? end : null;
  }

  /** The user has stopped the turn before the approval requests were shown: refuses the calls that would have waited. */
  async #withdrawRequests(): Promise<TurnEnding> {
    await this.#tools.refuseWaiting(CANCELLED_BY_USER);
    const end = stoppedEnding('cancelled');
    await this.#storeEndInAnswer(end);
    return end;
  }

  async #storeEndInAnswer(end: TurnEnding): Promise<void> {
    const { answer } = this.#run;
    if (end.status === 'cancelled') await answer.storeCancelled();
    if (end.error !== null) await answer.storeError(end.error, end.status === 'failed');
  }

  /** Publishes the stored beginning of a resumed answer first, because a replay has to be complete. */
  #publishStart(): void {
    const { turn, resumed, answer } = this.#run;
    const messageMetadata = { createdAt: this.#context.now(), status: 'streaming', turnId: turn.id };
    this.#run.publish({ type: 'start', messageId: answer.streamId, messageMetadata });
    if (!resumed) return;
    const denied = deniedCalls(resumed.messages);
    const approvals = resumed.approvals.filter(({ partId }) => denied.includes(partId));
    const messages = toUIMessages(resumed.messages, resumed.compactions, approvals);
    const shown = messages.find(({ role }) => role === 'assistant');
    if (!shown) return;
    const [, ...parts] = answerChunks(shown);
    this.#run.repeat(parts);
  }

  /** Ends the turn immediately after an unexpected failure, so that its lease need not expire first. */
  async #orFailed(work: () => Promise<TurnEnding>): Promise<TurnEnding> {
    const { turn, stop } = this.#run;
    try {
      return await work();
    } catch (error) {
      if (stop.reason === 'lost') return stoppedEnding('lost');
      const end = failedEnding(turn.id, error, this.#context.onFault);
      this.#run.publish({ type: 'error', errorText: end.error.text });
      return end;
    }
  }

  /** Traces, counts and logs the turn. */
  #measured(work: () => Promise<TurnOutcome>): Promise<TurnOutcome> {
    const { turn, session } = this.#run;
    const { env, log } = this.#context;
    const attributes = { 'throughline.session.id': session.id, 'throughline.turn.id': turn.id };
    return withLogIds({ sessionId: session.id, turnId: turn.id }, () =>
      inSpan('turn', attributes, async (add) => {
        const startedAt = performance.now();
        const outcome = await work();
        const { status } = outcome;
        add({ 'throughline.turn.status': status });
        const ms = Math.round(performance.now() - startedAt);
        countTurn(status, ms);
        log[env.AUTH_MODE === 'accounts' ? 'info' : 'debug']({ turnStatus: status, ms }, 'turn');
        return outcome;
      }),
    );
  }

  get #settings(): ContextSettings {
    return this.#context.settings.current();
  }
}
