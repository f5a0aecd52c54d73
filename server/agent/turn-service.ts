import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { BackgroundWork } from '#server/agent/background-work';
import type { ResumedTurn } from '#server/agent/load-transcript';
import { type Here, hereParts } from '#server/agent/situation';
import { type RunDependencies, RunningTurns, type RunningTurnsDependencies } from '#server/agent/running-turns';
import { billOf, contextRequest } from '#server/agent/session-context';
import type { SessionEvents } from '#server/agent/session-events';
import { TurnNews } from '#server/agent/turn-news';
import { type TurnStream, TurnStreams } from '#server/agent/turn-stream';
import { TurnUpkeep, type TurnUpkeepDependencies } from '#server/agent/turn-upkeep';
import type { ModelTarget } from '#server/context/budget';
import { withTokens } from '#server/context/part-tokens';
import { requireRoom, roomForRequest } from '#server/context/context-snapshot';
import { ForbiddenError } from '#server/core/errors';
import { cancelTopic } from '#server/core/events';
import type {
  Approval,
  ApprovalDecision,
  ApprovalPolicy,
  BeginOutcome,
  EditorialCall,
  NewMessage,
  Persisted,
  Queue,
  QueueReceipt,
  QueuedMessage,
  Session,
  Turn,
} from '#server/core/messages';
import { fileNames } from '#server/core/part-text';
import type { NewPart } from '#server/core/parts';
import { allows, type Scope } from '#server/core/access-rights';
import type { EditorialQuery, QueueChoice, QueueSender } from '#server/core/turn-store';
import { oneLine } from '#server/core/visible-text';

/** A cancel answers at the latest after this, whether the turn has settled or not; milliseconds. */
const CANCEL_WAIT_MS = 10_000;
/** Length of the title that the first request gives a session. */
const TITLE_CHARS = 60;

/** A message of the user, on its way to a turn. */
export interface SendRequest {
  readonly session: Session;
  /** The user's words, part by part. */
  readonly texts: readonly string[];
  /** Ids of attachments of this session. Default: none. */
  readonly files?: readonly string[];
  /** The sender's current view, told to the assistant with how things stand. Default: it is told nothing. */
  readonly here?: Here | undefined;
  readonly modelId: string | null;
  /** Policy for calls that have to ask. Default `ask`. */
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  /** Rights of its sender: the assistant may do no more. */
  readonly scopes: readonly Scope[];
  /** The API key it is sent with: its turn ends with that. Default: none. */
  readonly keyId?: string | null | undefined;
  readonly clientRequestId: string | null;
  /** The newest request of the session, in whose place this is sent. Default: none, it is said behind all else. */
  readonly replaces?: Replacement | undefined;
}

/** A message that is taken back, with everything that followed it, for another one. */
export interface Replacement {
  readonly messageId: string;
  /** Also what its turn did to the site, all of it or the message is not sent. Default false. */
  readonly undoChanges?: boolean | undefined;
}

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
  /** Follows a turn that another process runs. */
  readonly followStored: (sessionId: string) => ReadableStream<UIMessageChunk>;
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
   * @throws UnknownModelError, NotFoundError (an attachment that is not the session's), TooLargeError (no context could
   *   ever hold it) before anything is stored
   * @throws ForbiddenError when its sender wants calls to run, or changes undone, and may change nothing himself
   * @throws ConflictError when it cannot take the place of the message that it is to replace, or its site is gone
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
      this.#running.start(turn, session, stored);
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
    const outcome = (await this.#findAccepted(request)) ?? (await this.#storeOnce(request));
    if (outcome.kind === 'started') return { outcome, stream: this.#running.begin(outcome, session) };
    if (outcome.kind === 'queued') {
      this.#news.queued(session.id, outcome.item.id, outcome.position);
      // It may have been queued for want of room, not of a free session.
      if (!this.#running.isFollowed(session.id)) await this.#running.startQueued(session.id);
    }
    return { outcome };
  }

  async #findAccepted({ session, clientRequestId }: SendRequest): Promise<BeginOutcome | null> {
    return clientRequestId ? this.#deps.turns.findAccepted(session.id, clientRequestId) : null;
  }

  /** Stores the message; where an equal request was accepted meanwhile, returns its outcome. */
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
    const { session, texts, files = [], here, replaces, approvalPolicy = 'ask', ...sent } = request;
    const { modelId, scopes } = sent;
    if (approvalPolicy === 'allow') requireWriter(scopes, 'allow calls in advance');
    if (replaces?.undoChanges) requireWriter(scopes, 'undo changes');
    const { sources, attachments, requireSite } = this.#deps.executor;
    await requireSite(session.siteId);
    sources.models.resolve(modelId ?? session.modelId);
    const fileParts = await attachments.partsOf(session.id, files);
    const message: NewMessage = { role: 'user', parts: [...textParts(texts), ...fileParts, ...hereParts(here)] };
    const target = this.#requireRoom(message.parts, session, modelId);
    if (replaces?.undoChanges) await this.#undoChanges(session, replaces.messageId);
    return this.#deps.turns.begin({
      ...this.#deps.lease,
      ...sent,
      sessionId: session.id,
      message,
      approvalPolicy,
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
  async #undoChanges({ id: sessionId, siteId, ownerId: userId }: Session, messageId: string): Promise<void> {
    const turnIds = await this.#deps.turns.replaceable(sessionId, messageId);
    const { content } = this.#deps.executor.siteAt(siteId);
    await content.undoAll({ sessionId, turnIds }, { actor: 'user', userId, sessionId });
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
function requireWriter(scopes: readonly Scope[], act: string): void {
  if (!allows(scopes, 'content:write')) throw new ForbiddenError(`You need edit permission to ${act}.`);
}
