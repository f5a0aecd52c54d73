import { setTimeout as delay } from 'node:timers/promises';
import type { ResumedTurn } from '#server/conversation/events/load-transcript';
import type { TurnEvents } from '#server/conversation/events/turn-events';
import type { TurnStream, TurnStreams } from '#server/conversation/events/turn-stream';
import { AgentLoop } from '#server/conversation/turn/agent-loop';
import type { BackgroundWork } from '#server/conversation/turn/background-work';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import { RunningTurn } from '#server/conversation/turn/running-turn';
import { contextRequest, roomForWaiting } from '#server/conversation/turn/session-request';
import type { Scope } from '#server/core/admin/access-rights';
import { within } from '#server/core/async';
import type { Message, MessageStatus } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import { CANCELLED, type DequeuedTurn, type Turn, type TurnStatus } from '#server/core/conversation/turns';
import type { QueueChoice, TurnEnding } from '#server/core/conversation/turn-store';
import { ConflictError, NotFoundError, StoppingError } from '#server/core/errors';

/** Polling interval of a cancel request for a turn that another process settles; milliseconds. */
const CANCEL_POLL_MS = 100;

/**
 * The turns that this process runs: starts and ends them, renews their leases, and starts the queued messages after
 * each. The agent loop runs each of them.
 */
export class RunningTurns {
  readonly #context: ConversationContext;
  readonly #streams: TurnStreams;
  readonly #news: TurnEvents;
  readonly #background: BackgroundWork;
  /**
   * Each turn with a promise that resolves when it has ended in this process. A session may have two, because a turn
   * that continues after a pause may start before the end of its previous run is reported everywhere.
   */
  readonly #running = new Map<RunningTurn, Promise<void>>();
  /** The server is stopping: also applies to turns that start afterwards. */
  #isClosing = false;
  #isStopped = false;

  constructor(context: ConversationContext, streams: TurnStreams, news: TurnEvents, background: BackgroundWork) {
    this.#context = context;
    this.#streams = streams;
    this.#news = news;
    this.#background = background;
  }

  /** Runs a turn that was just started with a message or with queued messages. */
  begin({ turn, message, dequeued }: DequeuedTurn, session: Session): TurnStream {
    const stream = this.#start(turn, session, message, null);
    if (dequeued.length > 0) this.#news.dequeued(message, dequeued);
    return stream;
  }

  /** Continues a turn that waited for its user; this process owns it again. */
  resume(turn: Turn, session: Session, resumed: ResumedTurn): TurnStream {
    return this.#start(turn, session, null, resumed);
  }

  /** Returns the stream of the turn's answer, from the start on. */
  #start(turn: Turn, session: Session, message: Message | null, resumed: ResumedTurn | null): TurnStream {
    const stream = this.#streams.open(turn);
    const running = new RunningTurn(this.#context, { turn, session, stream, message, resumed });
    if (this.#isClosing) running.stop.close();
    if (this.#isStopped) running.stop.stop();
    const ended = Promise.withResolvers<void>();
    this.#running.set(running, ended.promise);
    void this.#run(running)
      .catch((error: unknown) => this.#context.onFault(`Turn ${turn.id} was left to recovery`, error))
      .finally(() => {
        this.#running.delete(running);
        this.#streams.close(session.id, stream);
        ended.resolve();
      });
    this.#news.changed(turn);
    return stream;
  }

  /**
   * Starts the queued messages of the session, unless it is busy.
   * @returns whether a turn has started
   */
  async startQueued(sessionId: string, choice?: QueueChoice): Promise<boolean> {
    const { turns, sessions, events, lease, limits } = this.#context;
    const { closing } = this.#background;
    if (closing.aborted) return false;
    // An empty queue is released, too.
    if (choice?.release === undefined && !(await turns.hasQueue(sessionId))) return false;
    const session = await sessions.get(sessionId);
    if (!(await this.#isSiteThere(session.siteId))) return false;
    const maxRunning = limits.turnsLeft(session.ownerId);
    const maxTokens = roomForWaiting(this.#context, session, null);
    // The start of the turn is stored after the earlier events of the session, for example the end of a compaction.
    await events.settled(sessionId);
    const next = await turns
      .beginQueued(sessionId, { ...lease, maxTokens, maxRunning, closing }, choice)
      .catch(leftWaiting);
    if (next) this.begin(next, session);
    return next !== null;
  }

  /**
   * False for a site that is no longer connected: messages for it stay in the queue, and no model is asked about them.
   */
  async #isSiteThere(siteId: string): Promise<boolean> {
    try {
      await this.#context.sites.requireConnected(siteId);
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }

  isFollowed(sessionId: string): boolean {
    return this.#streams.find(sessionId) !== null;
  }

  has(turnId: string): boolean {
    return this.#runsOf(turnId).length > 0;
  }

  /**
   * Stops running turns of the session in this process immediately.
   * @param request stores the cancel; the turn ends after it, so that the request finds the turn
   */
  cancel(sessionId: string, request?: Promise<unknown>): void {
    for (const running of this.#running.keys()) {
      if (running.session.id === sessionId) running.cancel(request);
    }
  }

  /** Stops only this turn, if it runs here; the cancel is stored already. */
  cancelTurn(turnId: string): void {
    for (const running of this.#runsOf(turnId)) running.cancel();
  }

  /**
   * Waits until the turn has ended, here or in another process, at most `mostMs` milliseconds. @returns whether it has
   */
  async untilEnded(turnId: string, mostMs: number): Promise<boolean> {
    const over = new AbortController();
    const runs = [...this.#running].flatMap(([{ turn }, done]) => (turn.id === turnId ? [done] : []));
    const ended = runs.length > 0 ? Promise.all(runs) : this.#untilEndedElsewhere(turnId, over.signal);
    await within<unknown>(mostMs, ended);
    over.abort();
    return this.#hasEnded(turnId);
  }

  /** Renews the leases of all running turns; abandons turns that another process owns, and stops cancelled ones. */
  async renew(): Promise<void> {
    const running = [...this.#running.keys()];
    if (running.length === 0) return;
    try {
      const ours = await this.#context.turns.renew(
        running.map(({ turn }) => turn.id),
        this.#context.lease,
      );
      for (const { turn, stop } of running) {
        const state = ours.get(turn.id);
        if (!state) stop.lose();
        else if (state.cancelRequested) stop.cancel();
      }
    } catch (error) {
      this.#context.onFault('The leases of the running turns could not be renewed', error);
    }
  }

  /** Lets no further step start. */
  close(): void {
    this.#isClosing = true;
    for (const { stop } of this.#running.keys()) stop.close();
  }

  /** Ends every turn with the content it has. */
  stop(): void {
    this.#isStopped = true;
    for (const { stop } of this.#running.keys()) stop.stop();
  }

  /** Waits until no turn runs here. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #runsOf(turnId: string): RunningTurn[] {
    return [...this.#running.keys()].filter(({ turn }) => turn.id === turnId);
  }

  async #run(running: RunningTurn): Promise<void> {
    const { turn } = running;
    const { status, stored, scopes } = await new AgentLoop(this.#context, running, this.#news).run();
    await this.#startNext(running, stored, scopes).catch((error: unknown) => {
      // The session was deleted: nothing follows its turn.
      if (!(error instanceof NotFoundError)) this.#context.onFault(`Nothing was started behind turn ${turn.id}`, error);
    });
    const messageMetadata = { status: statusOf(status), ...(status === 'cancelled' && { finishReason: CANCELLED }) };
    running.publish({ type: 'finish', messageMetadata });
  }

  /** Reports the end and starts the queued messages; if there are none, the next summary may be prepared. */
  async #startNext({ turn, session }: RunningTurn, end: TurnEnding | null, scopes: readonly Scope[]): Promise<void> {
    if (end) this.#news.changed(turn);
    await this.startQueued(session.id);
    const { usage } = end?.figures ?? {};
    if (end?.status === 'completed' && usage && this.#context.engine.mayNeedSummary(usage))
      this.#prepareSummary(session, turn.modelId, scopes);
  }

  /**
   * Prepares a summary in the background. Neither requests nor the next turn wait for it: a summary that is not
   * finished when it is needed is written then.
   */
  #prepareSummary(session: Session, modelId: string | null, scopes: readonly Scope[]): void {
    const { engine, models, settings } = this.#context;
    const signal = this.#background.closing;
    if (signal.aborted || !settings.current().backgroundSummaries) return;
    const { id } = models.resolve(modelId ?? session.modelId);
    const prepared = engine.prepareSummary(contextRequest(this.#context, session, id, { signal, scopes }));
    this.#background.start(prepared, `The next summary of ${session.id} could not be prepared`);
  }

  async #untilEndedElsewhere(turnId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#hasEnded(turnId))) await delay(CANCEL_POLL_MS);
  }

  /** False if the store cannot be read: the cancel is carried out nevertheless. */
  async #hasEnded(turnId: string): Promise<boolean> {
    const turn = await this.#context.turns.find(turnId).catch(() => undefined);
    return turn !== undefined && turn?.status !== 'running';
  }
}

/** Leaves queued messages to the next process when this one stops. */
function leftWaiting(error: unknown): null {
  if (error instanceof StoppingError) return null;
  throw error;
}

/** The status that the chat shows for the whole answer. */
function statusOf(status: TurnStatus): MessageStatus {
  if (status === 'failed') return 'failed';
  return status === 'cancelled' || status === 'interrupted' ? 'interrupted' : 'complete';
}
