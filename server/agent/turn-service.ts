import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { acceptRequest, requestRoom, requireWriter, type SendRequest, textParts } from '#server/agent/accept-request';
import { BackgroundWork } from '#server/agent/background-work';
import type { ResumedTurn } from '#server/agent/load-transcript';
import { type RunDependencies, RunningTurns, type RunningTurnsDependencies } from '#server/agent/running-turns';
import { billOf } from '#server/agent/session-context';
import type { SessionEvents } from '#server/agent/session-events';
import { TurnNews } from '#server/agent/turn-news';
import { type TurnStream, TurnStreams } from '#server/agent/turn-stream';
import { TurnUpkeep, type TurnUpkeepDependencies } from '#server/agent/turn-upkeep';
import { cancelTopic } from '#server/core/events';
import type { Approval, ApprovalDecision, EditorialCall } from '#server/core/approvals';
import type { BeginOutcome, Persisted, Queue, QueueReceipt, QueuedMessage, Turn } from '#server/core/turns';
import type { Scope } from '#server/core/access-rights';
import type { EditorialQuery, QueueChoice, QueueSender } from '#server/core/turn-store';

/** A cancel answers at the latest after this, whether the turn has settled or not; milliseconds. */
const CANCEL_WAIT_MS = 10_000;

/** Outcome of a message whose sender waits for the answer. */
export type SendOutcome =
  | { readonly kind: 'started'; readonly stream: ReadableStream<UIMessageChunk> }
  | { readonly kind: 'queued'; readonly id: string; readonly position: number };

export interface TurnServiceDependencies
  extends
    Pick<RunningTurnsDependencies, 'turns' | 'sessions' | 'signals' | 'lease' | 'mostRunning'>,
    Pick<TurnUpkeepDependencies, 'heartbeatMs' | 'onKeyWorkEnded'> {
  readonly executor: Omit<RunDependencies, 'events'>;
  readonly events: Pick<SessionEvents, 'emit' | 'emitQueue'>;
  /** Reads what is stored of a turn that goes on after a pause. */
  readonly loadTurn: (turn: Turn) => Promise<ResumedTurn>;
  /** Follows a turn that another process runs, or with the id of a message the turn that it began, ended or not. */
  readonly followStored: (sessionId: string, messageId?: string) => ReadableStream<UIMessageChunk>;
}

/**
 * Starts turns and keeps them going without their request: a turn ends when it is done, not when the browser leaves.
 * The database decides who runs what; what runs in this process is in RunningTurns.
 */
export class TurnService {
  readonly #deps: TurnServiceDependencies;
  readonly #streams = new TurnStreams();
  readonly #news: TurnNews;
  /** Requests that may still start a turn, and what goes on without one. */
  readonly #background: BackgroundWork;
  readonly #running: RunningTurns;
  readonly #upkeep: TurnUpkeep;

  constructor(dependencies: TurnServiceDependencies) {
    this.#deps = dependencies;
    const { executor, events } = dependencies;
    this.#news = new TurnNews(events, this.#streams);
    this.#background = new BackgroundWork((fault, error) => executor.onFault(fault, error));
    const shared = { ...dependencies, news: this.#news, streams: this.#streams, background: this.#background };
    this.#running = new RunningTurns({ ...shared, executor: { ...executor, events } });
    this.#upkeep = new TurnUpkeep({ ...shared, running: this.#running });
  }

  /**
   * Stores the message and starts its turn, or queues it behind the running one.
   * @throws StoppingError, and as `acceptRequest`
   */
  async send(request: SendRequest): Promise<SendOutcome> {
    const { outcome, stream } = await this.#background.whileOpen(() => this.#begin(request));
    if (stream) return { kind: 'started', stream: stream.follow() };
    const { id, position } = placeOf(outcome);
    if (position !== null) return { kind: 'queued', id, position };
    return { kind: 'started', stream: await this.#again(request.session.id, id) };
  }

  /**
   * The answer to a message that was accepted before: as it is being written or, once its turn has ended, as it is stored.
   * @param id of the message, or the one that it had in the queue: its turn is not known then
   */
  async #again(sessionId: string, id: string): Promise<ReadableStream<UIMessageChunk>> {
    const running = await this.#deps.turns.running(sessionId);
    if (isMessageId(id) && running?.userMessageId !== id) return this.#deps.followStored(sessionId, id);
    return (await this.follow(sessionId)) ?? endedStream();
  }

  /** Like `send`, for clients that do not wait for the answer. @throws as `send` */
  async enqueue(request: SendRequest): Promise<QueueReceipt> {
    const { outcome } = await this.#background.whileOpen(() => this.#begin(request));
    const { id, position } = placeOf(outcome);
    return position === null ? { queued: false, position: 0, id } : { queued: true, position, id };
  }

  /**
   * Stops the session's turn, wherever it runs: what was said is kept, what waits in the queue stays there. Answers
   * when the turn has ended, or after 10 seconds.
   * @returns `cancelled` is false for a turn that has been told to stop and has not ended yet: a tool that writes may
   *   still be finishing, or the server that runs it has died and its lease has not run out
   */
  async cancel(sessionId: string): Promise<{ cancelled: boolean; persisted: Persisted }> {
    const request = this.#deps.turns.requestCancel(sessionId);
    // Before anything is awaited: the provider is let go at once.
    this.#running.cancel(sessionId, request);
    const asked = await request;
    if (asked) this.#deps.signals.notify(cancelTopic(sessionId));
    this.#news.queueChanged(sessionId);
    if (!asked) return { cancelled: true, persisted: null };
    return { cancelled: await this.#running.untilEnded(asked.turn.id, CANCEL_WAIT_MS), persisted: asked.persisted };
  }

  /**
   * Cancels in all sessions of somebody who may do nothing any more. What he has written and is not sent, stays there.
   */
  async cancelAllOf(userId: string): Promise<void> {
    const busy = await this.#deps.turns.busySessions(userId);
    await Promise.all(busy.map((sessionId) => this.cancel(sessionId)));
  }

  /**
   * Stops the turns that were begun with an API key which is revoked or has expired, and holds what was sent with one
   * and waits. Done within a second anyway; whoever ends a key need not wait for that.
   */
  endLapsedKeyWork(): Promise<void> {
    return this.#upkeep.endLapsedKeyWork();
  }

  queue(sessionId: string): Promise<Queue> {
    return this.#deps.turns.queue(sessionId);
  }

  /**
   * @param editor the message is theirs from now on: the assistant may do no more for it than they may
   * @param files ids of attachments in the place of those it has. Default: it keeps them
   * @throws NotFoundError when it waits no longer, or for an attachment that is not its session's
   * @throws UnknownModelError, TooLargeError (no context could ever hold it) with nothing changed
   */
  async editQueued(
    id: string,
    texts: readonly string[],
    editor: QueueSender,
    files: readonly string[] = [],
  ): Promise<QueuedMessage> {
    const { turns, executor, sessions } = this.#deps;
    const { sessionId, modelId, parts: former } = await turns.queued(id);
    const parts = [...textParts(texts), ...(await executor.attachments.partsOf(sessionId, files))];
    const kept = files.length === 0 ? former.filter(({ type }) => type === 'file') : [];
    requestRoom(executor.sources, [...parts, ...kept], await sessions.get(sessionId), modelId);
    const item = await turns.editQueued(id, parts, editor);
    this.#news.queueChanged(item.sessionId);
    return item;
  }

  /** @throws NotFoundError when it waits no longer */
  async removeQueued(id: string): Promise<QueuedMessage> {
    const item = await this.#deps.turns.removeQueued(id);
    this.#news.queueChanged(item.sessionId);
    return item;
  }

  /** @returns how many were removed */
  async clearQueue(sessionId: string): Promise<number> {
    const count = await this.#deps.turns.clearQueue(sessionId);
    this.#news.queueChanged(sessionId);
    return count;
  }

  /**
   * Sends it next, also when the queue or it alone is held: alone where no turn runs, into the running one or behind it
   * otherwise.
   * @throws NotFoundError, StoppingError, BudgetReachedError with nothing changed
   */
  sendQueued(id: string, sender: QueueSender): Promise<{ started: boolean }> {
    return this.#background.whileOpen(async () => {
      await this.#requireBudget((await this.#deps.turns.queued(id)).sessionId);
      const { sessionId } = await this.#deps.turns.sendNext(id, sender);
      return this.#sendWaiting(sessionId, { only: id });
    });
  }

  /** Sends what a cancel, or the end of a key, has held back. @throws StoppingError */
  sendHeld(sessionId: string, sender: QueueSender): Promise<{ started: boolean }> {
    return this.#background.whileOpen(async () => {
      await this.#requireBudget(sessionId);
      return this.#sendWaiting(sessionId, { release: sender });
    });
  }

  /** Starts what waits, if nothing else has the session: after a compaction, say. */
  startWaiting(sessionId: string): void {
    const started = this.#running.startQueued(sessionId).then(() => undefined);
    this.#background.start(started, `What waits in ${sessionId} could not be started`);
  }

  pendingApprovals(sessionId: string): Promise<Approval[]> {
    return this.#deps.turns.pendingApprovals(sessionId);
  }

  /** Calls in the sessions of authors that wait for an editor. */
  editorialCalls(of: EditorialQuery): Promise<EditorialCall[]> {
    return this.#deps.turns.editorialCalls(of);
  }

  /**
   * Decides calls that wait, all of these or none; once nothing waits any more the turn goes on.
   * @param decider what whoever decides may do: who may change nothing himself can only deny
   * @param keyId the key it is decided with
   * @throws NotFoundError for a call that never asked, ConflictError for one that is decided, ForbiddenError,
   *   StoppingError
   */
  async decide(
    sessionId: string,
    decisions: readonly ApprovalDecision[],
    decider: readonly Scope[],
    keyId: string | null = null,
  ): Promise<{ pending: number; resumed: boolean }> {
    const { turns, sessions, loadTurn, lease } = this.#deps;
    if (decisions.some(({ approved }) => approved)) requireWriter(decider, 'approve this');
    return this.#background.whileOpen(async () => {
      const { turn, pending } = await turns.decide(sessionId, decisions, lease, { scopes: decider, keyId });
      if (!turn) return { pending, resumed: false };
      const [session, stored] = await Promise.all([sessions.get(sessionId), loadTurn(turn)]);
      this.#running.resume(turn, session, stored);
      return { pending, resumed: true };
    });
  }

  /** The running turn's stream from its start on, wherever it runs; null when none does. */
  async follow(sessionId: string): Promise<ReadableStream<UIMessageChunk> | null> {
    const own = this.#streams.find(sessionId);
    if (own) return own.follow();
    const turn = await this.#deps.turns.running(sessionId);
    // It may have begun here meanwhile.
    return this.#streams.find(sessionId)?.follow() ?? (turn && this.#deps.followStored(sessionId));
  }

  /** Settles what dead processes left, now and periodically, and starts queues that wait for nobody. */
  start(): Promise<void> {
    return this.#upkeep.start();
  }

  /** Waits until no turn runs in this process, no request may still start one, and no summary is being prepared. */
  async idle(): Promise<void> {
    do {
      await this.#background.settled();
      await this.#running.idle();
    } while (!this.#background.isIdle);
  }

  /**
   * Ends well: no turn begins any more, running steps may go on for `limitMs` milliseconds, then every turn ends as
   * `interrupted` with what it has. What waits in queues stays there for the next process.
   */
  async close({ limitMs }: { limitMs: number }): Promise<void> {
    this.#background.close();
    this.#running.close();
    const ended = new AbortController();
    const limit = delay(limitMs, undefined, { signal: ended.signal }).then(
      () => this.#running.stop(),
      () => undefined,
    );
    await this.#upkeep.stopSweeping();
    await this.idle();
    ended.abort();
    await limit;
    await this.#upkeep.stop();
  }

  /** @returns the stream, too, of a turn that has started */
  async #begin(request: SendRequest): Promise<{ outcome: BeginOutcome; stream?: TurnStream }> {
    const { session } = request;
    const outcome = await acceptRequest(this.#deps, request);
    if (outcome.kind === 'started') return { outcome, stream: this.#running.begin(outcome, session) };
    if (outcome.kind === 'queued') {
      this.#news.queued(session.id, outcome.item.id, outcome.position);
      // It may have been queued for want of room, not of a free session.
      if (!this.#running.isFollowed(session.id)) await this.#running.startQueued(session.id);
    }
    return { outcome };
  }

  /** Leaves waiting what could not be paid, or done. @throws BudgetReachedError, ConflictError where its site is gone */
  async #requireBudget(sessionId: string): Promise<void> {
    const session = await this.#deps.sessions.get(sessionId);
    const { requireSite, sources } = this.#deps.executor;
    const { models } = sources;
    await requireSite(session.siteId);
    await models.resolve(session.modelId).requireBudget(billOf(session, 'chat'));
  }

  async #sendWaiting(sessionId: string, choice: QueueChoice): Promise<{ started: boolean }> {
    const started = await this.#running.startQueued(sessionId, choice);
    if (!started) this.#news.queueChanged(sessionId);
    return { started };
  }
}

/** Locates the request's message: its position is null once it waits no longer. */
function placeOf(outcome: BeginOutcome): { id: string; position: number | null } {
  if (outcome.kind === 'started') return { id: outcome.message.id, position: null };
  if (outcome.kind === 'queued') return { id: outcome.item.id, position: outcome.position };
  return outcome;
}

/** Ids in the queue have another prefix. */
const isMessageId = (id: string) => id.startsWith('msg_');

/** Empty stream for a repeated request that waited in the queue and waits no longer: the store has all of it. */
function endedStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'finish' });
      controller.close();
    },
  });
}
