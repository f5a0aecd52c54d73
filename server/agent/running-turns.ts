import { setTimeout as delay } from 'node:timers/promises';
import type { MessageWriter } from '#server/agent/answer-writer';
import type { BackgroundWork } from '#server/agent/background-work';
import type { ResumedTurn } from '#server/agent/load-transcript';
import { contextRequest, roomForWaiting } from '#server/agent/session-context';
import type { TurnNews } from '#server/agent/turn-news';
import type { TurnSite } from '#server/agent/site-facts';
import { StorePatience, turnWriter } from '#server/agent/store-patience';
import { failedEnding, stoppedEnding, TurnStop } from '#server/agent/turn-ending';
import { type TurnDependencies, TurnExecutor, type TurnInput } from '#server/agent/turn-executor';
import type { TurnStream, TurnStreams } from '#server/agent/turn-stream';
import { within } from '#server/core/async';
import { ConflictError, NotFoundError, StoppingError } from '#server/core/errors';
import { cancelTopic, type Signals, turnTopic } from '#server/core/events';
import type { MessageStatus } from '#server/core/messages';
import { CANCELLED, type DequeuedTurn, type Lease, type Turn } from '#server/core/turns';
import type { Session } from '#server/core/sessions';
import type { QueueChoice, TurnEnding, TurnStore } from '#server/core/turn-store';

/** Everything that turns share; what one of them writes with is made for each. */
export type RunDependencies = Omit<TurnDependencies, 'messages' | 'turns' | 'news' | 'site'> & {
  /** The site of a conversation; one that is gone says so when it is asked. */
  readonly siteAt: (siteId: string) => TurnSite;
  /** @throws ConflictError for a site that is not connected any more */
  readonly requireSite: (siteId: string) => Promise<void>;
  /** Writes of a turn are refused once it is somebody else's. */
  readonly messages: { forTurn(turn: Turn): MessageWriter };
  /** Time limit for a running turn to store what it has, milliseconds. Default as StorePatience. */
  readonly storePatienceMs?: number | undefined;
};

export interface RunningTurnsDependencies {
  readonly turns: TurnStore;
  readonly sessions: { get(id: string): Promise<Session> };
  readonly executor: RunDependencies;
  readonly news: TurnNews;
  readonly streams: TurnStreams;
  readonly background: BackgroundWork;
  readonly signals: Pick<Signals, 'notify' | 'subscribe'>;
  /** Lease of this process for every turn that it runs. */
  readonly lease: Lease;
  /** Most turns a user may run at once. Default: any number. */
  readonly mostRunning?: ((userId: string) => number) | undefined;
}

/** Interval of a cancel's checks for a turn settled by another process; milliseconds. */
const CANCEL_POLL_MS = 100;

type Beginning = Pick<TurnInput, 'message' | 'resumed'>;

interface RunningTurn {
  readonly turn: Turn;
  readonly session: Session;
  readonly stop: TurnStop;
  /** Patience of the turn's writes with a busy store. */
  readonly patience: StorePatience;
  readonly stream: TurnStream;
  /** Resolves when it has ended here. */
  done: Promise<void>;
  /** A cancel that is being recorded: the turn does not end before it. */
  cancelling: Promise<unknown>;
}

/**
 * The turns that this process runs: begins them, ends them, keeps the lease that says they are alive, and starts what
 * waits behind each.
 */
export class RunningTurns {
  readonly #deps: RunningTurnsDependencies;
  /** A turn that goes on after a pause may begin before the end of its former run is told everywhere. */
  readonly #running = new Set<RunningTurn>();
  /** The server was asked to stop: turns that begin afterwards are told, too. */
  #isClosing = false;
  #isStopped = false;

  constructor(dependencies: RunningTurnsDependencies) {
    this.#deps = dependencies;
  }

  /** Carries out a turn that was just begun with a message, or with what waited. */
  begin({ turn, message, dequeued }: DequeuedTurn, session: Session): TurnStream {
    const stream = this.#start(turn, session, { message, resumed: null });
    if (dequeued.length > 0) this.#deps.news.dequeued(message, dequeued);
    return stream;
  }

  /** Goes on with a turn that waited for its user; it is ours again. */
  resume(turn: Turn, session: Session, resumed: ResumedTurn): TurnStream {
    return this.#start(turn, session, { message: null, resumed });
  }

  /** The stream is that of its answer, from the start on. */
  #start(turn: Turn, session: Session, beginning: Beginning): TurnStream {
    const { streams, news } = this.#deps;
    const stream = streams.open(session.id);
    const settled = Promise.resolve();
    const stop = new TurnStop();
    const patience = this.#patienceOf(turn, stop);
    const running = { turn, session, stream, stop, patience, done: settled, cancelling: settled };
    this.#running.add(running);
    if (this.#isClosing) running.stop.close();
    if (this.#isStopped) running.stop.stop();
    running.done = this.#run(running, beginning)
      .catch((error: unknown) => this.#deps.executor.onFault(`Turn ${turn.id} was left to recovery`, error))
      .finally(() => {
        this.#running.delete(running);
        streams.close(session.id, stream);
      });
    news.started(turn);
    return stream;
  }

  /**
   * Starts what waits in the session, if nothing else has it.
   * @returns whether a turn has begun
   */
  async startQueued(sessionId: string, choice?: QueueChoice): Promise<boolean> {
    const { turns, sessions, executor, lease, mostRunning, background } = this.#deps;
    const { closing } = background;
    if (closing.aborted) return false;
    const session = await sessions.get(sessionId);
    if (!(await this.#isSiteThere(session.siteId))) return false;
    const most = mostRunning?.(session.ownerId);
    const maxTokens = roomForWaiting(executor.sources, session, null);
    const next = await turns
      .beginQueued(sessionId, { ...lease, maxTokens, mostRunning: most, closing }, choice)
      .catch(leftWaiting);
    if (next) this.begin(next, session);
    return next !== null;
  }

  /** False for a site that is not connected any more: what waits for it goes on waiting, and no model is asked about it. */
  async #isSiteThere(siteId: string): Promise<boolean> {
    try {
      await this.#deps.executor.requireSite(siteId);
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }

  isFollowed(sessionId: string): boolean {
    return this.#deps.streams.find(sessionId) !== null;
  }

  has(turnId: string): boolean {
    return this.#runsOf(turnId).length > 0;
  }

  /**
   * Stops what runs here in the session, at once.
   * @param request records the cancel; the turn ends behind it, so that it finds the turn
   */
  cancel(sessionId: string, request?: Promise<unknown>): void {
    for (const running of this.#running) {
      if (running.session.id !== sessionId) continue;
      running.stop.cancel();
      if (request) running.cancelling = request.catch(() => undefined);
    }
  }

  /** Stops this turn if it runs here, and no other; the cancel is recorded already. */
  cancelTurn(turnId: string): void {
    for (const { stop } of this.#runsOf(turnId)) stop.cancel();
  }

  /**
   * Waits until the turn has ended, here or in another process, at most `mostMs` milliseconds. @returns whether it has
   */
  async untilEnded(turnId: string, mostMs: number): Promise<boolean> {
    const over = new AbortController();
    const runs = this.#runsOf(turnId).map(({ done }) => done);
    const ended = runs.length > 0 ? Promise.all(runs) : this.#untilEndedElsewhere(turnId, over.signal);
    await within<unknown>(mostMs, ended);
    over.abort();
    return this.#hasEnded(turnId);
  }

  /** Says that all of them are alive; lets go of those that somebody else has, and stops those that were cancelled. */
  async renew(): Promise<void> {
    const running = [...this.#running];
    if (running.length === 0) return;
    try {
      const ours = await this.#deps.turns.renew(
        running.map(({ turn }) => turn.id),
        this.#deps.lease,
      );
      for (const { turn, stop } of running) {
        const state = ours.get(turn.id);
        if (!state) stop.lose();
        else if (state.cancelRequested) stop.cancel();
      }
    } catch (error) {
      this.#deps.executor.onFault('The leases of the running turns could not be renewed', error);
    }
  }

  /** No further step begins. */
  close(): void {
    this.#isClosing = true;
    for (const { stop } of this.#running) stop.close();
  }

  /** Ends every turn with what it has. */
  stop(): void {
    this.#isStopped = true;
    for (const { stop } of this.#running) stop.stop();
  }

  /** Waits until no turn runs here. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running].map(({ done }) => done));
  }

  #patienceOf({ id }: Turn, { writers: ending }: TurnStop): StorePatience {
    const { storePatienceMs: mostMs, onFault } = this.#deps.executor;
    const onRefused = (error: unknown) =>
      onFault(`The database refused a write of turn ${id}; it is tried again`, error);
    return new StorePatience({ mostMs, ending, onRefused });
  }

  #runsOf(turnId: string): RunningTurn[] {
    return [...this.#running].filter(({ turn }) => turn.id === turnId);
  }

  async #run(running: RunningTurn, beginning: Beginning): Promise<void> {
    const { turn, session, stream } = running;
    const { signals } = this.#deps;
    const executor = this.#createExecutor(running, beginning);
    const planned = await this.#orFailed(running, () => this.#execute(running, executor));
    const end = await this.#finish(running, executor, planned);
    signals.notify(turnTopic(session.id));
    if (end?.status === 'waiting_approval') executor.ask();
    await this.#startNext(turn, session, end).catch((error: unknown) => {
      // The session was deleted: nothing comes behind its turn.
      if (!(error instanceof NotFoundError))
        this.#deps.executor.onFault(`Nothing was started behind turn ${turn.id}`, error);
    });
    const { status } = end ?? planned;
    const messageMetadata = { status: statusOf(status), ...(status === 'cancelled' && { finishReason: CANCELLED }) };
    stream.publish({ type: 'finish', messageMetadata });
  }

  /** Tells the end and starts what waits; where nothing does, the next summary may be prepared. */
  async #startNext(turn: Turn, session: Session, end: TurnEnding | null): Promise<void> {
    if (end) this.#deps.news.ended(turn, end);
    await this.startQueued(session.id);
    if (end?.status === 'completed') this.#prepareSummary(session, turn.modelId);
  }

  /**
   * Prepares a summary in the background. Nobody waits for it, the next turn neither: what is not ready when it is
   * needed is written then.
   */
  #prepareSummary(session: Session, modelId: string | null): void {
    const { executor, background } = this.#deps;
    const { context, sources } = executor;
    const signal = background.closing;
    if (signal.aborted || !sources.settings().backgroundSummaries) return;
    const { id } = sources.models.resolve(modelId ?? session.modelId);
    const prepared = context.prepareSummary(contextRequest(sources, session, id, { signal }));
    background.start(prepared, `The next summary of ${session.id} could not be prepared`);
  }

  /** Ends the turn in the store; null if it was ended elsewhere. If it was cancelled before its user was asked, it ends so instead of asking. */
  async #finish(running: RunningTurn, executor: TurnExecutor, planned: TurnEnding): Promise<TurnEnding | null> {
    const { turn, stop, patience } = running;
    const { turns } = this.#deps;
    await running.cancelling;
    if (stop.reason === 'lost') return null;
    const asks = planned.status === 'waiting_approval';
    if (asks && stop.reason !== 'cancelled') {
      if (await patience.write(() => turns.finish(turn.id, planned))) return planned;
      if (!(await this.#readCancel(running))) return null;
    }
    const end = asks ? await this.#orFailed(running, () => executor.takeBack()) : planned;
    return (await patience.write(() => turns.finish(turn.id, end))) ? end : null;
  }

  /** An unforeseen failure ends the turn at once: no lease has to run out first. */
  async #orFailed({ turn, stop, stream }: RunningTurn, work: () => Promise<TurnEnding>): Promise<TurnEnding> {
    try {
      return await work();
    } catch (error) {
      if (stop.reason === 'lost') return stoppedEnding('lost');
      const end = failedEnding(turn.id, error, this.#deps.executor.onFault);
      stream.publish({ type: 'error', errorText: end.error });
      return end;
    }
  }

  #createExecutor({ turn, session, stop, patience, stream }: RunningTurn, beginning: Beginning): TurnExecutor {
    const { executor, signals, turns, news } = this.#deps;
    const onWrite = () => signals.notify(turnTopic(session.id));
    const messages = turnWriter(executor.messages.forTurn(turn), patience, { onWrite, onLost: () => stop.lose() });
    const site = executor.siteAt(session.siteId);
    return new TurnExecutor(
      { ...executor, messages, turns, news, site },
      { turn, session, stop, patience, stream, ...beginning },
    );
  }

  /** Listening to whoever cancels. */
  async #execute(running: RunningTurn, executor: TurnExecutor): Promise<TurnEnding> {
    const onCancel = () => void this.#readCancel(running);
    const unsubscribe = this.#deps.signals.subscribe(cancelTopic(running.session.id), onCancel);
    try {
      // It may have been cancelled before anybody listened here; a call that the user has agreed to would run at once.
      await this.#readCancel(running);
      return await executor.run();
    } finally {
      unsubscribe();
    }
  }

  async #untilEndedElsewhere(turnId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#hasEnded(turnId))) await delay(CANCEL_POLL_MS);
  }

  /** False where the store cannot be read: the cancel is carried out all the same. */
  async #hasEnded(turnId: string): Promise<boolean> {
    const turn = await this.#deps.turns.find(turnId).catch(() => undefined);
    return turn !== undefined && turn?.status !== 'running';
  }

  /** The signal says only that somebody cancels; whether it is this turn is in the store. @returns whether it is */
  async #readCancel({ turn, stop }: RunningTurn): Promise<boolean> {
    try {
      const stored = await this.#deps.turns.find(turn.id);
      const isCancelled = stored !== null && stored.cancelRequestedAt !== null;
      if (isCancelled) stop.cancel();
      return isCancelled;
    } catch (error) {
      this.#deps.executor.onFault(`Whether turn ${turn.id} is cancelled could not be read`, error);
      return false;
    }
  }
}

/** Leaves waiting messages to the next process when this one stops. */
function leftWaiting(error: unknown): null {
  if (error instanceof StoppingError) return null;
  throw error;
}

/** The status that the chat shows for the whole answer. */
function statusOf(status: TurnEnding['status']): MessageStatus {
  if (status === 'failed') return 'failed';
  return status === 'cancelled' || status === 'interrupted' ? 'interrupted' : 'complete';
}
