import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { ForbiddenError, StoppingError, UnknownModelError } from '#server/core/errors';
import type {
  Approval,
  ApprovalDecision,
  BeginOutcome,
  DequeuedTurn,
  Lease,
  NewMessage,
  Persisted,
  Queue,
  QueuedMessage,
  Session,
  Turn,
} from '#server/core/messages';
import { fileNames } from '#server/core/part-text';
import type { NewPart } from '#server/core/parts';
import { allows, type Scope } from '#server/core/people';
import { cancelTopic, type Signals } from '#server/core/events';
import type {
  DrainedQueue,
  EndedKeyWork,
  QueueChoice,
  QueueSender,
  TurnEnding,
  TurnStore,
} from '#server/core/turn-store';
import type { ModelTarget } from '#server/context/current-tokens';
import { oneLine } from '#server/context/excerpt';
import { withTokens } from '#server/context/part-tokens';
import { requireRoom, roomForRequest } from '#server/context/room';
import { BackgroundWork, repeat, type Repetition } from '#server/agent/background-work';
import { type RunDependencies, RunningTurns } from '#server/agent/running-turns';
import type { EnqueueOutcome, SendOutcome, SendRequest } from '#server/agent/send-request';
import { contextRequest } from '#server/agent/session-context';
import type { SessionEvents } from '#server/agent/session-events';
import { sweepTurns, TurnNews } from '#server/agent/turn-upkeep';
import type { ResumedTurn } from '#server/agent/turn-executor';
import type { TurnStream } from '#server/agent/turn-stream';

/** How often dead turns and forgotten queues are looked for; milliseconds. */
const SWEEP_MS = 1_000;
/** A cancel answers at the latest after this, whether the turn has settled or not; milliseconds. */
const CANCEL_WAIT_MS = 10_000;
/** How often a cancel looks whether another process has settled the turn; milliseconds. */
const CANCEL_POLL_MS = 100;
/** Length of the title that the first request gives a session. */
const TITLE_CHARS = 60;

export interface TurnServiceDependencies {
  readonly turns: TurnStore;
  readonly sessions: { get(id: string): Promise<Session> };
  readonly executor: Omit<RunDependencies, 'events'>;
  readonly events: Pick<SessionEvents, 'emit' | 'emitQueue'>;
  readonly signals: Pick<Signals, 'notify' | 'subscribe'>;
  /** What is stored of a turn that goes on after a pause. */
  readonly loadTurn: (turn: Turn) => Promise<ResumedTurn>;
  /** Follows a turn that another process runs. */
  readonly followStored: (sessionId: string) => ReadableStream<UIMessageChunk>;
  /** Of this process, for every turn that it runs. */
  readonly lease: Lease;
  /** How many turns of a user may run at once. Default: any number. */
  readonly mostRunning?: (userId: string) => number;
  /** Hears of what was ended with an API key. */
  readonly onKeyWorkEnded?: (work: EndedKeyWork) => void;
  /** How often the leases are renewed, milliseconds: several times while one lasts. */
  readonly heartbeatMs: number;
}

/**
 * Starts turns and keeps them going without their request: a turn ends when it is done, not when the browser leaves.
 * The database decides who runs what; what runs in this process is in RunningTurns.
 */
export class TurnService {
  readonly #deps: TurnServiceDependencies;
  readonly #running: RunningTurns;
  readonly #news: TurnNews;
  /** Requests that may still start a turn, and what goes on without one. */
  readonly #background: BackgroundWork;
  #sweeping: Repetition | null = null;
  #heartbeat: Repetition | null = null;

  constructor(dependencies: TurnServiceDependencies) {
    this.#deps = dependencies;
    const { turns, executor, events, signals } = dependencies;
    this.#running = new RunningTurns({
      turns,
      executor: { ...executor, events },
      signals,
      drain: (turn, session) => this.#drain(turn, session),
      onEnd: (turn, session, end) => this.#end(turn, session, end),
    });
    this.#news = new TurnNews({ events, streamOf: (sessionId) => this.#running.stream(sessionId) });
    this.#background = new BackgroundWork((fault, error) => executor.onFault(fault, error));
  }

  /**
   * Stores the message and starts its turn, or queues it behind the running one.
   * @throws UnknownModelError, NotFoundError (an attachment that is not the session's), TooLargeError (no context could
   *   ever hold it) before anything is stored
   * @throws ForbiddenError when its sender wants calls to run, or changes undone, and may change nothing himself
   * @throws ConflictError when it cannot take the place of the message that it is to replace
   * @throws QueueFullError, RateLimitedError (too many turns of its user run), StoppingError
   */
  async send(request: SendRequest): Promise<SendOutcome> {
    const { outcome, stream } = await this.#background.whileOpen(() => this.#begin(request));
    if (stream) return { kind: 'started', stream: stream.follow() };
    const { id, position } = placeOf(outcome);
    if (position !== null) return { kind: 'queued', id, position };
    return { kind: 'started', stream: (await this.follow(request.session.id)) ?? endedStream() };
  }

  /** Like `send`, for clients that do not wait for the answer. @throws as `send` */
  async enqueue(request: SendRequest): Promise<EnqueueOutcome> {
    const { outcome } = await this.#background.whileOpen(() => this.#begin(request));
    const { id, position } = placeOf(outcome);
    return { queued: position !== null, position: position ?? 0, id };
  }

  /**
   * Stops the session's turn, wherever it runs: what was said is kept, what waits in the queue stays there. Answers when
   * the turn has ended, or after 10 seconds.
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
    await this.#untilEnded(asked.turn.id);
    return { cancelled: await this.#hasEnded(asked.turn.id), persisted: asked.persisted };
  }

  /** Cancels in all sessions of somebody who may do nothing any more. What he has written and is not sent, stays there. */
  async cancelAllOf(userId: string): Promise<void> {
    const busy = await this.#deps.turns.busySessions(userId);
    await Promise.all(busy.map((sessionId) => this.cancel(sessionId)));
  }

  /**
   * Stops the turns that were begun with an API key which is revoked or has expired, and holds what was sent with one and
   * waits. Done within a second anyway; whoever ends a key need not wait for that.
   */
  async endLapsedKeyWork(): Promise<void> {
    const { turns, signals, onKeyWorkEnded } = this.#deps;
    for (const work of await turns.endLapsedKeyWork()) {
      if (work.turnId !== null) {
        this.#running.cancelTurn(work.turnId);
        signals.notify(cancelTopic(work.sessionId));
      }
      this.#news.queueChanged(work.sessionId);
      onKeyWorkEnded?.(work);
    }
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
    this.#requireRoom([...parts, ...kept], await sessions.get(sessionId), modelId);
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
   * @throws NotFoundError, StoppingError
   */
  sendQueued(id: string, sender: QueueSender): Promise<{ started: boolean }> {
    return this.#background.whileOpen(async () => {
      const { sessionId } = await this.#deps.turns.sendNext(id, sender);
      return this.#sendWaiting(sessionId, { only: id });
    });
  }

  /** Sends what a cancel, or the end of a key, has held back. @throws StoppingError */
  sendHeld(sessionId: string, sender: QueueSender): Promise<{ started: boolean }> {
    return this.#background.whileOpen(() => this.#sendWaiting(sessionId, { release: sender }));
  }

  /** Starts what waits, if nothing else has the session: after a compaction, say. */
  startWaiting(sessionId: string): void {
    const started = this.#startQueued(sessionId).then(() => undefined);
    this.#background.start(started, `What waits in ${sessionId} could not be started`);
  }

  pendingApprovals(sessionId: string): Promise<Approval[]> {
    return this.#deps.turns.pendingApprovals(sessionId);
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
    if (decisions.some(({ approved }) => approved)) requireWriter(decider, 'approve a call');
    return this.#background.whileOpen(async () => {
      const { turn, pending } = await turns.decide(sessionId, decisions, lease, { scopes: decider, keyId });
      if (!turn) return { pending, resumed: false };
      const [session, stored] = await Promise.all([sessions.get(sessionId), loadTurn(turn)]);
      this.#running.start(turn, session, stored);
      this.#news.started(turn);
      return { pending, resumed: true };
    });
  }

  /** The running turn's stream from its start on, wherever it runs; null when none does. */
  async follow(sessionId: string): Promise<ReadableStream<UIMessageChunk> | null> {
    const own = this.#running.stream(sessionId);
    if (own) return own.follow();
    const turn = await this.#deps.turns.running(sessionId);
    // It may have begun here meanwhile.
    return this.#running.stream(sessionId)?.follow() ?? (turn && this.#deps.followStored(sessionId));
  }

  /** Settles what dead processes left, now and periodically, and starts queues that wait for nobody. */
  async start(): Promise<void> {
    const { lease, heartbeatMs } = this.#deps;
    this.#heartbeat = repeat(() => this.#running.renew(lease), heartbeatMs);
    const sweep = this.#sweep();
    await sweep();
    this.#sweeping = repeat(sweep, SWEEP_MS);
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
    await this.#sweeping?.stop();
    await this.idle();
    ended.abort();
    await limit;
    await this.#heartbeat?.stop();
  }

  /** @returns the stream, too, of a turn that has started */
  async #begin(request: SendRequest): Promise<{ outcome: BeginOutcome; stream?: TurnStream }> {
    const { session } = request;
    const outcome = (await this.#findAccepted(request)) ?? (await this.#storeOnce(request));
    if (outcome.kind === 'queued') await this.#queued(session.id, outcome);
    return outcome.kind === 'started' ? { outcome, stream: this.#start(outcome, session) } : { outcome };
  }

  async #findAccepted({ session, clientRequestId }: SendRequest): Promise<BeginOutcome | null> {
    return clientRequestId ? this.#deps.turns.findAccepted(session.id, clientRequestId) : null;
  }

  /** What an equal request has begun meanwhile stands in the way of this one, and is its answer. */
  async #storeOnce(request: SendRequest): Promise<BeginOutcome> {
    try {
      return await this.#store(request);
    } catch (error) {
      const former = await this.#findAccepted(request);
      if (former) return former;
      throw error;
    }
  }

  async #store(request: SendRequest): Promise<BeginOutcome> {
    const { session, texts, files = [], modelId, approvalPolicy = 'ask' } = request;
    const { scopes, keyId, clientRequestId, replaces } = request;
    if (approvalPolicy === 'allow') requireWriter(scopes, 'allow calls in advance');
    if (replaces?.undoChanges) requireWriter(scopes, 'undo changes of the site');
    const { sources, attachments } = this.#deps.executor;
    sources.models.resolve(modelId ?? session.modelId);
    const fileParts = await attachments.partsOf(session.id, files);
    const message: NewMessage = { role: 'user', parts: [...textParts(texts), ...fileParts] };
    const target = this.#requireRoom(message.parts, session, modelId);
    if (replaces?.undoChanges) await this.#undoChanges(session, replaces.messageId);
    return this.#deps.turns.begin({
      ...this.#deps.lease,
      sessionId: session.id,
      message,
      modelId,
      approvalPolicy,
      scopes,
      keyId,
      clientRequestId,
      maxTokens: roomForRequest(target, sources.settings()),
      mostRunning: this.#deps.mostRunning?.(session.ownerId),
      title: oneLine(texts.join(' ') || fileNames(fileParts).join(', '), TITLE_CHARS),
      ...(replaces && { replaces: replaces.messageId }),
    });
  }

  /** @returns the model that has to hold it. @throws UnknownModelError, TooLargeError */
  #requireRoom(parts: readonly NewPart[], session: Session, modelId: string | null): ModelTarget {
    const { sources } = this.#deps.executor;
    const { target } = contextRequest(sources, session, modelId);
    requireRoom([{ role: 'user', parts }], target, sources.settings());
    return target;
  }

  /**
   * Takes back what was done for a message that is about to be replaced. Should another request come first after that,
   * the new message is refused and this stays undone; sent again, it finds nothing left to undo.
   * @throws ConflictError, with nothing changed
   */
  async #undoChanges({ id: sessionId, ownerId: userId }: Session, messageId: string): Promise<void> {
    const { turns, executor } = this.#deps;
    const turnIds = await turns.replaceable(sessionId, messageId);
    const origin = { actor: 'user', userId, sessionId } as const;
    const { undone } = await executor.content.undoAll({ sessionId, turnIds }, origin);
    if (undone.length > 0) await executor.context.forget(sessionId);
  }

  async #queued(sessionId: string, { item, position }: Extract<BeginOutcome, { kind: 'queued' }>): Promise<void> {
    this.#news.queued(sessionId, item.id, position);
    // It may have been queued for want of room, not of a free session.
    if (!this.#running.stream(sessionId)) await this.#startQueued(sessionId);
  }

  #start({ turn, message, dequeued }: DequeuedTurn, session: Session) {
    const stream = this.#running.start(turn, session);
    this.#news.started(turn);
    if (dequeued.length > 0) this.#news.dequeued(message, dequeued);
    return stream;
  }

  async #sendWaiting(sessionId: string, choice: QueueChoice): Promise<{ started: boolean }> {
    const started = await this.#startQueued(sessionId, choice);
    if (!started) this.#news.queueChanged(sessionId);
    return { started };
  }

  /** @returns whether a turn has begun */
  async #startQueued(sessionId: string, choice?: QueueChoice): Promise<boolean> {
    const { closing } = this.#background;
    if (closing.aborted) return false;
    const session = await this.#deps.sessions.get(sessionId);
    const mostRunning = this.#deps.mostRunning?.(session.ownerId);
    const lease = { ...this.#deps.lease, maxTokens: this.#room(session, null), mostRunning, closing };
    const next = await this.#deps.turns.beginQueued(sessionId, lease, choice).catch(leftWaiting);
    if (next) this.#start(next, session);
    return next !== null;
  }

  async #drain(turn: Turn, session: Session): Promise<DrainedQueue | null> {
    const maxTokens = this.#room(session, turn.modelId);
    const drained = await this.#deps.turns.drain(turn.id, this.#deps.lease.leaseOwner, maxTokens);
    if (drained) this.#news.dequeued(drained.message, drained.dequeued);
    return drained;
  }

  async #end(turn: Turn, session: Session, end: TurnEnding | null): Promise<void> {
    if (end) this.#news.ended(turn, end);
    await this.#startQueued(session.id);
    if (end?.status === 'completed') this.#prepareSummary(session, turn.modelId);
  }

  /** Nobody waits for it, the next turn neither: what is not ready when it is needed is written then. */
  #prepareSummary(session: Session, modelId: string | null): void {
    const { context, sources } = this.#deps.executor;
    const signal = this.#background.closing;
    if (signal.aborted || !sources.settings().backgroundSummaries) return;
    const { id } = sources.models.resolve(modelId ?? session.modelId);
    const prepared = context.prepareSummary(contextRequest(sources, session, id, { signal }));
    this.#background.start(prepared, `The next summary of ${session.id} could not be prepared`);
  }

  async #untilEnded(turnId: string): Promise<void> {
    const over = new AbortController();
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, CANCEL_WAIT_MS);
    const ended = this.#running.ended(turnId) ?? this.#untilEndedElsewhere(turnId, over.signal);
    await Promise.race([ended, limit.promise]);
    clearTimeout(timer);
    over.abort();
  }

  async #untilEndedElsewhere(turnId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#hasEnded(turnId))) await delay(CANCEL_POLL_MS);
  }

  /** Not as far as anybody knows where the store cannot be read: the cancel is carried out all the same. */
  async #hasEnded(turnId: string): Promise<boolean> {
    const turn = await this.#deps.turns.find(turnId).catch(() => undefined);
    return turn !== undefined && turn?.status !== 'running';
  }

  #sweep(): () => Promise<void> {
    const { turns, signals } = this.#deps;
    const startQueued = (sessionId: string) => this.#startQueued(sessionId);
    const dependencies = {
      turns,
      signals,
      startQueued,
      endLapsedKeyWork: () => this.endLapsedKeyWork(),
      running: this.#running,
      work: this.#background,
      news: this.#news,
    };
    return () => sweepTurns(dependencies);
  }

  /** How many tokens of waiting messages may become one, by our count; where no model serves the session, one message. */
  #room(session: Session, modelId: string | null): number {
    const { sources } = this.#deps.executor;
    try {
      return roomForRequest(contextRequest(sources, session, modelId).target, sources.settings());
    } catch (error) {
      if (error instanceof UnknownModelError) return 0;
      throw error;
    }
  }
}

/** Where the request's message is: its position is null once it waits no longer. */
function placeOf(outcome: BeginOutcome): { id: string; position: number | null } {
  if (outcome.kind === 'started') return { id: outcome.message.id, position: null };
  if (outcome.kind === 'queued') return { id: outcome.item.id, position: outcome.position };
  return outcome;
}

/** What waits when the process ends is for the next one. */
function leftWaiting(error: unknown): null {
  if (error instanceof StoppingError) return null;
  throw error;
}

function textParts(texts: readonly string[]): NewPart[] {
  return texts.map((text) => withTokens({ type: 'text', content: { text } }));
}

/** For a repeated request whose turn has ended: nothing more comes, the store has it all. */
function endedStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'finish' });
      controller.close();
    },
  });
}

/** @throws ForbiddenError */
function requireWriter(scopes: readonly Scope[], wish: string): void {
  if (!allows(scopes, 'content:write')) throw new ForbiddenError(`Only who may change the site may ${wish}.`);
}
