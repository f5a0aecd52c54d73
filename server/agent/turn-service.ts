import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { NotFoundError, StoppingError, UnknownModelError } from '#server/core/errors';
import type { QueueData } from '#server/core/events';
import type { Message, NewMessage, Session } from '#server/core/messages';
import { writtenText } from '#server/core/part-text';
import type { NewPart } from '#server/core/parts';
import { cancelTopic, turnTopic, type Signals } from '#server/core/signals';
import type { QueueChoice, TurnEnding, TurnStore } from '#server/core/turn-store';
import type {
  Approval,
  ApprovalDecision,
  BeginOutcome,
  DequeuedTurn,
  Lease,
  Persisted,
  Queue,
  QueuedMessage,
  Turn,
} from '#server/core/turns';
import { oneLine } from '#server/context/excerpt';
import { withTokens } from '#server/context/part-tokens';
import { requireRoom, roomForRequest } from '#server/context/require-room';
import { type Repetition, repeat } from '#server/agent/repeat';
import { type RunDependencies, RunningTurns } from '#server/agent/running-turns';
import { contextRequest } from '#server/agent/session-context';
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
  readonly executor: RunDependencies;
  readonly signals: Pick<Signals, 'notify' | 'subscribe'>;
  /** What is stored of a turn that goes on after a pause. */
  readonly loadTurn: (turn: Turn) => Promise<ResumedTurn>;
  /** Follows a turn that another process runs. */
  readonly followStored: (sessionId: string) => ReadableStream<UIMessageChunk>;
  /** Of this process, for every turn that it runs. */
  readonly lease: Lease;
  /** How often the leases are renewed, milliseconds: several times while one lasts. */
  readonly heartbeatMs: number;
}

export interface SendRequest {
  readonly session: Session;
  /** What the user wrote, part by part. */
  readonly texts: readonly string[];
  readonly modelId: string | null;
  readonly clientRequestId: string | null;
}

export type SendOutcome =
  | { readonly kind: 'started'; readonly stream: ReadableStream<UIMessageChunk> }
  | { readonly kind: 'queued'; readonly id: string; readonly position: number };

/**
 * What became of a message that may wait: its place (from 1) and id in the queue, or 0 and the id of the message (of a
 * repeated request that waited, the id it had in the queue).
 */
export interface EnqueueOutcome {
  readonly queued: boolean;
  readonly position: number;
  readonly id: string;
}

/**
 * Starts turns and keeps them going without their request: a turn ends when it is done, not when the browser leaves.
 * The database decides who runs what; what runs in this process is in RunningTurns.
 */
export class TurnService {
  readonly #deps: TurnServiceDependencies;
  readonly #running: RunningTurns;
  /** Requests that may still start a turn, and what goes on without one. */
  readonly #background = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #sweeping: Repetition | null = null;
  #heartbeat: Repetition | null = null;

  constructor(dependencies: TurnServiceDependencies) {
    this.#deps = dependencies;
    const { turns, executor, signals } = dependencies;
    this.#running = new RunningTurns({
      turns,
      executor,
      signals,
      drain: (turn, session) => this.#drain(turn, session),
      onEnd: (turn, session, end) => this.#end(turn, session, end),
    });
  }

  /**
   * Stores the message and starts its turn, or queues it behind the running one.
   * @throws UnknownModelError, TooLargeError (no context could ever hold it) before anything is stored
   * @throws QueueFullError, StoppingError
   */
  async send(request: SendRequest): Promise<SendOutcome> {
    const { outcome, stream } = await this.#whileOpen(() => this.#begin(request));
    if (stream) return { kind: 'started', stream: stream.follow() };
    const { id, position } = placeOf(outcome);
    if (position !== null) return { kind: 'queued', id, position };
    return { kind: 'started', stream: (await this.follow(request.session.id)) ?? endedStream() };
  }

  /** Like `send`, for clients that do not wait for the answer. @throws as `send` */
  async enqueue(request: SendRequest): Promise<EnqueueOutcome> {
    const { outcome } = await this.#whileOpen(() => this.#begin(request));
    const { id, position } = placeOf(outcome);
    return { queued: position !== null, position: position ?? 0, id };
  }

  /**
   * Stops the session's turn, wherever it runs: what was said is kept, what waits in the queue stays there. Answers when
   * the turn has settled, or after 10 seconds (a tool that writes may still be finishing).
   */
  async cancel(sessionId: string): Promise<{ cancelled: true; persisted: Persisted }> {
    const request = this.#deps.turns.requestCancel(sessionId);
    // Before anything is awaited: the provider is let go at once.
    this.#running.cancel(sessionId, request);
    const asked = await request;
    if (asked) this.#deps.signals.notify(cancelTopic(sessionId));
    await this.#announceQueue(sessionId);
    if (!asked) return { cancelled: true, persisted: null };
    await this.#untilEnded(asked.turn.id);
    return { cancelled: true, persisted: asked.persisted };
  }

  queue(sessionId: string): Promise<Queue> {
    return this.#deps.turns.queue(sessionId);
  }

  /** @throws NotFoundError when it waits no longer */
  async editQueued(id: string, texts: readonly string[]): Promise<QueuedMessage> {
    const item = await this.#deps.turns.editQueued(id, textParts(texts));
    await this.#announceQueue(item.sessionId);
    return item;
  }

  /** @throws NotFoundError when it waits no longer */
  async removeQueued(id: string): Promise<QueuedMessage> {
    const item = await this.#deps.turns.removeQueued(id);
    await this.#announceQueue(item.sessionId);
    return item;
  }

  /** @returns how many were removed */
  async clearQueue(sessionId: string): Promise<number> {
    const count = await this.#deps.turns.clearQueue(sessionId);
    await this.#announceQueue(sessionId);
    return count;
  }

  /**
   * Sends it next, also when the queue is held: alone where no turn runs, into the running one or behind it otherwise.
   * @throws NotFoundError, StoppingError
   */
  sendQueued(id: string): Promise<{ started: boolean }> {
    return this.#whileOpen(async () => {
      const { sessionId } = await this.#deps.turns.sendNext(id);
      return this.#sendWaiting(sessionId, { only: id });
    });
  }

  /** Sends what a cancel has held back. @throws StoppingError */
  sendHeld(sessionId: string): Promise<{ started: boolean }> {
    return this.#whileOpen(() => this.#sendWaiting(sessionId, { release: true }));
  }

  /** Starts what waits, if nothing else has the session: after a compaction, say. */
  startWaiting(sessionId: string): void {
    const started = this.#startQueued(sessionId).then(() => undefined);
    this.#inBackground(started, `What waits in ${sessionId} could not be started`);
  }

  pendingApprovals(sessionId: string): Promise<Approval[]> {
    return this.#deps.turns.pendingApprovals(sessionId);
  }

  /**
   * Decides calls that wait, all of these or none; once nothing waits any more the turn goes on.
   * @throws NotFoundError for a call that never asked, ConflictError for one that is decided, StoppingError
   */
  decide(sessionId: string, decisions: readonly ApprovalDecision[]): Promise<{ pending: number; resumed: boolean }> {
    const { turns, sessions, loadTurn, lease } = this.#deps;
    return this.#whileOpen(async () => {
      const { turn, pending } = await turns.decide(sessionId, decisions, lease);
      if (!turn) return { pending, resumed: false };
      const [session, stored] = await Promise.all([sessions.get(sessionId), loadTurn(turn)]);
      this.#running.start(turn, session, stored);
      this.#tellStart(turn);
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
    await this.#sweep();
    this.#sweeping = repeat(() => this.#sweep(), SWEEP_MS);
  }

  /** Waits until no turn runs in this process, no request may still start one, and no summary is being prepared. */
  async idle(): Promise<void> {
    do {
      await Promise.all(this.#background);
      await this.#running.idle();
    } while (this.#background.size > 0);
  }

  /**
   * Ends well: no turn begins any more, running steps may go on for `limitMs` milliseconds, then every turn ends as
   * `interrupted` with what it has. What waits in queues stays there for the next process.
   */
  async close({ limitMs }: { limitMs: number }): Promise<void> {
    this.#closing.abort();
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

  /** Whoever waits for this process to end waits for the request, too. @throws StoppingError */
  async #whileOpen<T>(request: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new StoppingError();
    return this.#track(request());
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const settled = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#background.delete(settled));
    this.#background.add(settled);
    return work;
  }

  /** @returns the stream, too, of a turn that has started */
  async #begin(request: SendRequest): Promise<{ outcome: BeginOutcome; stream?: TurnStream }> {
    const { session, clientRequestId } = request;
    const former = clientRequestId && (await this.#deps.turns.findAccepted(session.id, clientRequestId));
    const outcome = former || (await this.#store(request));
    if (outcome.kind === 'queued') await this.#tellQueued(session.id, outcome.item.id, outcome.position);
    return outcome.kind === 'started' ? { outcome, stream: this.#start(outcome, session) } : { outcome };
  }

  async #store({ session, texts, modelId, clientRequestId }: SendRequest): Promise<BeginOutcome> {
    const { sources } = this.#deps.executor;
    sources.models.resolve(modelId ?? session.modelId);
    const message: NewMessage = { role: 'user', parts: textParts(texts) };
    const { target } = contextRequest(sources, session, modelId);
    requireRoom([message], target, sources.settings());
    return this.#deps.turns.begin({
      ...this.#deps.lease,
      sessionId: session.id,
      message,
      modelId,
      clientRequestId,
      maxTokens: roomForRequest(target, sources.settings()),
      title: oneLine(texts.join(' '), TITLE_CHARS),
    });
  }

  #start({ turn, message, dequeued }: DequeuedTurn, session: Session) {
    const stream = this.#running.start(turn, session);
    this.#tellStart(turn);
    if (dequeued.length > 0)
      this.#inBackground(this.#tellDequeued(message, dequeued), 'The queue could not be told of');
    return stream;
  }

  async #sendWaiting(sessionId: string, choice: QueueChoice): Promise<{ started: boolean }> {
    const started = await this.#startQueued(sessionId, choice);
    if (!started) await this.#announceQueue(sessionId);
    return { started };
  }

  /** @returns whether a turn has begun */
  async #startQueued(sessionId: string, choice?: QueueChoice): Promise<boolean> {
    if (this.#closing.signal.aborted) return false;
    const session = await this.#deps.sessions.get(sessionId);
    const lease = { ...this.#deps.lease, maxTokens: this.#room(session, null) };
    const next = await this.#deps.turns.beginQueued(sessionId, lease, choice);
    if (next) this.#start(next, session);
    return next !== null;
  }

  async #drain(turn: Turn, session: Session): Promise<Message | null> {
    const maxTokens = this.#room(session, turn.modelId);
    const drained = await this.#deps.turns.drain(turn.id, this.#deps.lease.leaseOwner, maxTokens);
    if (!drained) return null;
    await this.#tellDequeued(drained.message, drained.dequeued);
    return drained.message;
  }

  async #end(turn: Turn, session: Session, end: TurnEnding | null): Promise<void> {
    if (end) this.#tellEnd(turn, end);
    await this.#startQueued(session.id);
    if (end?.status === 'completed') this.#prepareSummary(session, turn.modelId);
  }

  /** Nobody waits for it, the next turn neither: what is not ready when it is needed is written then. */
  #prepareSummary(session: Session, modelId: string | null): void {
    const { context, sources } = this.#deps.executor;
    const { signal } = this.#closing;
    if (signal.aborted || !sources.settings().backgroundSummaries) return;
    const { id } = sources.models.resolve(modelId ?? session.modelId);
    const prepared = context.prepareSummary(contextRequest(sources, session, id, { signal }));
    this.#inBackground(prepared, `The next summary of ${session.id} could not be prepared`);
  }

  /** Nobody waits for it but `idle`; a deleted session, and the end of this process, are no faults. */
  #inBackground(work: Promise<void>, fault: string): void {
    void this.#track(this.#attempt(fault, () => work));
  }

  async #attempt(fault: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isOver = this.#closing.signal.aborted || error instanceof NotFoundError;
      if (!isOver) this.#deps.executor.onFault(fault, error);
    }
  }

  async #untilEnded(turnId: string): Promise<void> {
    const over = new AbortController();
    const limit = delay(CANCEL_WAIT_MS, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([this.#running.ended(turnId) ?? this.#untilEndedElsewhere(turnId, over.signal), limit]);
    over.abort();
  }

  async #untilEndedElsewhere(turnId: string, signal: AbortSignal): Promise<void> {
    // The cancel is carried out whether or not the store can say so just now.
    const hasEnded = async () => (await this.#deps.turns.find(turnId))?.status !== 'running';
    while (!signal.aborted && !(await hasEnded().catch(() => false))) await delay(CANCEL_POLL_MS);
  }

  /** What is broken in one session keeps no other one waiting. */
  async #sweep(): Promise<void> {
    await this.#attempt('Dead turns could not be looked for', () => this.#settleDead());
    await this.#attempt('Dead compactions could not be released', () => this.#deps.turns.releaseDeadCompactions());
    await this.#attempt('Forgotten queues could not be looked for', () => this.#startForgotten());
  }

  async #settleDead(): Promise<void> {
    const dead = (await this.#deps.turns.expired()).filter((turn) => !this.#running.has(turn.id));
    for (const turn of dead) await this.#attempt(`Turn ${turn.id} could not be settled`, () => this.#settle(turn));
  }

  /** A turn that ends here starts what waits by itself, before its readers are told that it is over. */
  async #startForgotten(): Promise<void> {
    const waiting = (await this.#deps.turns.sessionsWithQueue()).filter((id) => this.#running.stream(id) === null);
    for (const sessionId of waiting)
      await this.#attempt(`What waits in ${sessionId} could not be started`, () => this.#startQueued(sessionId));
  }

  async #settle(turn: Turn): Promise<void> {
    const { settled } = await this.#deps.turns.settle(turn.id);
    if (!settled) return;
    const status = turn.cancelRequestedAt === null ? 'interrupted' : 'cancelled';
    this.#tellEnd(turn, { status, error: null });
    this.#deps.signals.notify(turnTopic(turn.sessionId));
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

  #tellStart({ id: turnId, sessionId, userMessageId: messageId }: Turn): void {
    this.#deps.executor.events.emit(sessionId, 'turn:start', { turnId, messageId });
  }

  #tellEnd({ id: turnId, sessionId }: Turn, { status, error }: TurnEnding): void {
    this.#deps.executor.events.emit(sessionId, 'turn:end', { turnId, status, error });
  }

  async #tellQueued(sessionId: string, id: string, position: number): Promise<void> {
    this.#deps.executor.events.emit(sessionId, 'message:queued', { id, position });
    await this.#announceQueue(sessionId);
    // It may have been queued for want of room, not of a free session.
    if (!this.#running.stream(sessionId)) await this.#startQueued(sessionId);
  }

  async #tellDequeued({ sessionId, metadata }: Message, ids: readonly string[]): Promise<void> {
    const data = { count: ids.length, ids, coalesced: metadata !== null };
    this.#deps.executor.events.emit(sessionId, 'message:dequeued', data);
    await this.#announceQueue(sessionId);
  }

  /** To everybody who follows the session, and in its running turn's stream. */
  async #announceQueue(sessionId: string): Promise<void> {
    const data = queueData(await this.#deps.turns.queue(sessionId));
    this.#deps.executor.events.emit(sessionId, 'queue:changed', data);
    this.#running.stream(sessionId)?.publish({ type: 'data-queue', data, transient: true });
  }
}

/** Where the request's message is: its position is null once it waits no longer. */
function placeOf(outcome: BeginOutcome): { id: string; position: number | null } {
  if (outcome.kind === 'started') return { id: outcome.message.id, position: null };
  if (outcome.kind === 'queued') return { id: outcome.item.id, position: outcome.position };
  return outcome;
}

/** The queue as clients see it. */
function queueData({ items, held }: Queue): QueueData {
  return { items: items.map(({ id, parts, createdAt }) => ({ id, text: writtenText(parts), createdAt })), held };
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
