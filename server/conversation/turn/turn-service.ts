import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import {
  acceptRequest,
  requestRoom,
  requireWriter,
  type SendRequest,
  textParts,
} from '#server/conversation/turn/accept-request';
import { BackgroundWork } from '#server/conversation/turn/background-work';
import { loadTurn } from '#server/conversation/events/load-transcript';
import { followStore } from '#server/conversation/events/follow-store';
import { RemoteTurns } from '#server/conversation/events/remote-turns';
import type { ConversationContext } from '#server/conversation/turn/conversation-context';
import { RunningTurns } from '#server/conversation/turn/running-turns';
import { billOf } from '#server/conversation/step/session-context';
import { TurnEvents } from '#server/conversation/events/turn-events';
import { type TurnStream, TurnStreams } from '#server/conversation/events/turn-stream';
import { TurnRecovery } from '#server/conversation/turn/turn-recovery';
import { streamFrom } from '#server/core/async';
import { blobIdOf } from '#server/core/conversation/part-types/blobs';
import { cancelTopic, eventsTopic } from '#server/core/conversation/events';
import { NotFoundError } from '#server/core/errors';
import { effectOf } from '#server/conversation/step/call-effects';
import { withShownEffect } from '#server/tools/shown-effect';
import type { Approval, ApprovalDecision, EditorialCall } from '#server/core/conversation/approvals';
import type {
  BeginOutcome,
  Persisted,
  Queue,
  QueueReceipt,
  QueuedMessage,
  Turn,
} from '#server/core/conversation/turns';
import type { Scope } from '#server/core/admin/access-rights';
import type { EditorialQuery, QueueChoice, QueueSender } from '#server/core/conversation/turn-store';

/** Maximum wait of a cancel for the turn to settle; milliseconds. */
const CANCEL_WAIT_MS = 10_000;

/** Outcome of a message whose sender waits for the answer. */
export type SendOutcome =
  | { readonly kind: 'started'; readonly stream: ReadableStream<UIMessageChunk> }
  | { readonly kind: 'queued'; readonly id: string; readonly position: number };

/**
 * Starts turns and runs them independently of their request: a turn ends when it is done, not when the browser
 * disconnects. The database decides which process runs a turn; the turns of this process are in RunningTurns.
 */
export class TurnService {
  readonly #context: ConversationContext;
  readonly #streams: TurnStreams;
  readonly #remote: RemoteTurns;
  readonly #news: TurnEvents;
  /** Requests that may still start a turn, and background work. */
  readonly #background: BackgroundWork;
  readonly #running: RunningTurns;
  readonly #upkeep: TurnRecovery;

  constructor(context: ConversationContext) {
    this.#context = context;
    this.#streams = new TurnStreams(context.turnLogs);
    this.#remote = new RemoteTurns(context);
    this.#news = new TurnEvents(context.events, this.#streams);
    this.#background = new BackgroundWork(context.onFault);
    this.#running = new RunningTurns(context, this.#streams, this.#news, this.#background);
    this.#upkeep = new TurnRecovery(context, this.#running, this.#background, this.#news);
  }

  /**
   * Stores the message and starts its turn, or queues it while another turn runs.
   * @throws StoppingError, and the errors of `acceptRequest`
   */
  async send(request: SendRequest): Promise<SendOutcome> {
    const { outcome, stream } = await this.#background.whileOpen(() => this.#begin(request));
    if (stream) return { kind: 'started', stream: stream.follow() };
    const { id, position } = placeOf(outcome);
    if (position !== null) return { kind: 'queued', id, position };
    return { kind: 'started', stream: await this.#again(request.session.id, id) };
  }

  /**
   * The answer to a message that was accepted before: streamed while it is written or, after its turn has ended, from
   * the store.
   * @param id of the message, or its id in the queue, for which the turn is not known
   */
  async #again(sessionId: string, id: string): Promise<ReadableStream<UIMessageChunk>> {
    const message = isMessageId(id) ? await this.#context.messages.find(id) : null;
    const turn = message?.turnId ? await this.#context.turns.find(message.turnId) : null;
    if (turn) return this.#followTurn(turn);
    return (await this.follow(sessionId)) ?? endedStream();
  }

  /**
   * Like `send`, for clients that wait for the answer to this message: while a turn runs, the message waits for a turn
   * of its own, and the stream begins with that turn. If the message is removed from the queue, or the server stops
   * first, the stream ends with an error.
   * @param request with a client id
   * @param disconnected ends the wait, not the turn
   * @throws the errors of `send`
   */
  async sendForAnswer(
    request: SendRequest & { readonly clientRequestId: string },
    disconnected: AbortSignal,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const sessionId = request.session.id;
    const { outcome, stream } = await this.#background.whileOpen(() => this.#begin({ ...request, startsTurn: true }));
    if (stream) return stream.follow();
    const { id, position } = placeOf(outcome);
    if (position === null) return isMessageId(id) ? this.#again(sessionId, id) : streamFrom(failure(REMOVED));
    const cancelled = new AbortController();
    const sent = followStore({
      signals: this.#context.signals,
      topic: eventsTopic(sessionId),
      read: () => this.#readSent(request),
      signal: AbortSignal.any([disconnected, cancelled.signal, this.#background.closing]),
    });
    return streamFrom(this.#answers(sessionId, sent), () => cancelled.abort());
  }

  /** The id of the message when it has left the queue; null if it was removed. */
  async #readSent(request: SendRequest & { readonly clientRequestId: string }) {
    const { turns } = this.#context;
    const find = () => turns.findAccepted(request.session.id, request.clientRequestId);
    let accepted = await find();
    if (accepted && accepted.position !== null) return { items: [], isLast: false };
    // Its place is read after its id: it may have been sent in between.
    if (accepted && !isMessageId(accepted.id)) accepted = await find();
    return { items: [accepted && isMessageId(accepted.id) ? accepted.id : null], isLast: true };
  }

  /** The answer to the message with this id; null: it was removed. Without an id: the server stops. */
  async *#answers(sessionId: string, ids: AsyncIterable<string | null>): AsyncGenerator<UIMessageChunk> {
    for await (const id of ids) {
      if (id === null) yield* failure(REMOVED);
      else yield* await this.#again(sessionId, id);
      return;
    }
    yield* failure('The server is stopping. The message stays in the queue.');
  }

  /**
   * The client of a message does not want its answer any more: removes the message from the queue, or stops the turn
   * that it started. Does nothing if another turn runs.
   * @param clientId the client's id of the message, or ours
   */
  abandon(sessionId: string, clientId: string): void {
    const stop = async () => {
      const { turns } = this.#context;
      const accepted = await turns.findAccepted(sessionId, clientId);
      if (accepted && accepted.position !== null) return void (await this.removeQueued(accepted.id));
      const running = await turns.running(sessionId);
      if (running?.userMessageId === (accepted?.id ?? clientId)) await this.cancel(sessionId);
    };
    this.#background.start(stop(), `What an abandoned message of ${sessionId} started could not be stopped`);
  }

  /** Like `send`, for clients that do not wait for the answer. @throws the errors of `send` */
  async enqueue(request: SendRequest): Promise<QueueReceipt> {
    const { outcome } = await this.#background.whileOpen(() => this.#begin(request));
    const { id, position } = placeOf(outcome);
    return position === null ? { queued: false, position: 0, id } : { queued: true, position, id };
  }

  /**
   * Stops the session's turn in any process: its content is kept, and queued messages stay in the queue. Answers when
   * the turn has ended, or after 10 seconds.
   * @returns `cancelled` is false if the turn has not ended yet: a tool that writes may still be finishing, or its
   * server has died and the lease has not expired
   */
  async cancel(sessionId: string): Promise<{ cancelled: boolean; persisted: Persisted }> {
    const request = this.#context.turns.requestCancel(sessionId);
    // Before the first await, so that the provider's connection is closed immediately.
    this.#running.cancel(sessionId, request);
    const asked = await request;
    if (asked) this.#context.signals.notify(cancelTopic(sessionId));
    this.#news.queueChanged(sessionId);
    if (!asked) return { cancelled: true, persisted: null };
    return { cancelled: await this.#running.untilEnded(asked.turn.id, CANCEL_WAIT_MS), persisted: asked.persisted };
  }

  /** Cancels turns in all sessions of a user who has lost all rights. The user's queued messages are kept. */
  async cancelAllOf(userId: string): Promise<void> {
    const busy = await this.#context.turns.busySessions(userId);
    await Promise.all(busy.map((sessionId) => this.cancel(sessionId)));
  }

  /**
   * Stops the turns that were started with an API key that is revoked or expired, and holds queued messages that were
   * sent with one. The periodic search does this within two seconds; this call avoids that wait.
   */
  endLapsedKeyWork(): Promise<void> {
    return this.#upkeep.endLapsedKeyWork();
  }

  queue(sessionId: string): Promise<Queue> {
    return this.#context.turns.queue(sessionId);
  }

  /**
   * @param editor becomes the sender of the message: the assistant has only the editor's rights for it
   * @param files ids of attachments that replace the present ones. Default: they are kept
   * @throws NotFoundError if the message is no longer queued, or for an attachment of another session
   * @throws UnknownModelError, TooLargeError (no context could ever contain it) with nothing changed
   */
  async editQueued(
    id: string,
    texts: readonly string[],
    editor: QueueSender,
    files: readonly string[] = [],
  ): Promise<QueuedMessage> {
    const { turns, attachments, sessions } = this.#context;
    const { sessionId, modelId, parts: former } = await turns.queued(id);
    const parts = [...textParts(texts), ...(await attachments.partsOf(sessionId, files))];
    const kept = files.length === 0 ? former.filter(({ type }) => type === 'file') : [];
    requestRoom(this.#context, [...parts, ...kept], await sessions.get(sessionId), modelId);
    const item = await turns.editQueued(id, parts, editor);
    this.#news.queueChanged(item.sessionId);
    return item;
  }

  /** @throws NotFoundError if it is no longer queued */
  async removeQueued(id: string): Promise<QueuedMessage> {
    const item = await this.#context.turns.removeQueued(id);
    this.#news.queueChanged(item.sessionId);
    return item;
  }

  /** @returns number of removed messages */
  async clearQueue(sessionId: string): Promise<number> {
    const count = await this.#context.turns.clearQueue(sessionId);
    this.#news.queueChanged(sessionId);
    return count;
  }

  /**
   * Sends the message next, even if it or the queue is held: in a new turn if none runs, otherwise in the running one
   * or after it.
   * @throws NotFoundError, StoppingError, BudgetReachedError with nothing changed
   */
  sendQueued(id: string, sender: QueueSender): Promise<{ started: boolean }> {
    return this.#background.whileOpen(async () => {
      await this.#requireBudget((await this.#context.turns.queued(id)).sessionId);
      const { sessionId } = await this.#context.turns.sendNext(id, sender);
      return this.#sendWaiting(sessionId, { only: id });
    });
  }

  /** Sends messages that a cancel, or the end of a key, has held. @throws StoppingError */
  sendHeld(sessionId: string, sender: QueueSender): Promise<{ started: boolean }> {
    return this.#background.whileOpen(async () => {
      await this.#requireBudget(sessionId);
      return this.#sendWaiting(sessionId, { release: sender });
    });
  }

  /** Starts the queued messages unless the session is busy, for example after a compaction. */
  startWaiting(sessionId: string): void {
    const started = this.#running.startQueued(sessionId).then(() => undefined);
    this.#background.start(started, `What waits in ${sessionId} could not be started`);
  }

  /** Calls that wait for a decision, with effects shortened for display. */
  async pendingApprovals(sessionId: string): Promise<Approval[]> {
    return (await this.#context.turns.pendingApprovals(sessionId)).map(withShownEffect);
  }

  /** A call that waits for a decision, with its complete effect. @throws NotFoundError */
  async pendingApproval(sessionId: string, approvalId: string): Promise<Approval> {
    const waiting = await this.#context.turns.pendingApprovals(sessionId);
    const approval = waiting.find((each) => each.approvalId === approvalId);
    if (!approval) throw new NotFoundError('approval', approvalId);
    return approval;
  }

  /** Calls in the sessions of authors that wait for an editor. */
  async editorialCalls(of: EditorialQuery): Promise<EditorialCall[]> {
    return (await this.#context.turns.editorialCalls(of)).map(withShownEffect);
  }

  /**
   * Decides waiting calls, all of these or none; the turn continues when no call waits.
   * @param decider rights of the person who decides: without the right to change the site, calls can only be denied
   * @param keyId the API key of the decision
   * @throws NotFoundError for a call that never needed approval, ConflictError for a decided one, ForbiddenError,
   * StoppingError
   */
  async decide(
    sessionId: string,
    decisions: readonly ApprovalDecision[],
    decider: readonly Scope[],
    keyId: string | null = null,
  ): Promise<{ pending: number; resumed: boolean }> {
    const { pending, stream } = await this.#decide(sessionId, decisions, decider, keyId);
    return { pending, resumed: stream !== null };
  }

  /**
   * Like `decide`, for clients that show the answer up to the waiting calls: the stream continues it. If another call
   * still waits, the stream is empty.
   * @throws the errors of `decide`
   */
  async decideForAnswer(
    sessionId: string,
    decisions: readonly ApprovalDecision[],
    decider: readonly Scope[],
    keyId: string | null,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { stream } = await this.#decide(sessionId, decisions, decider, keyId);
    return stream?.follow({ continues: true }) ?? endedStream();
  }

  async #decide(
    sessionId: string,
    decisions: readonly ApprovalDecision[],
    decider: readonly Scope[],
    keyId: string | null,
  ): Promise<{ pending: number; stream: TurnStream | null }> {
    const { turns, sessions, lease } = this.#context;
    const isApproval = decisions.some(({ approved }) => approved);
    if (isApproval) requireWriter(decider, 'approve');
    if (isApproval) await this.#renewEffects(sessionId);
    return this.#background.whileOpen(async () => {
      const { turn, pending } = await turns.decide(sessionId, decisions, lease, { scopes: decider, keyId });
      if (!turn) {
        const approvals = await this.pendingApprovals(sessionId);
        this.#context.events.emit(sessionId, 'approvals:changed', { approvals });
        return { pending, stream: null };
      }
      const [session, stored] = await Promise.all([sessions.get(sessionId), loadTurn(this.#context, turn)]);
      return { pending, stream: this.#running.resume(turn, session, stored) };
    });
  }

  /**
   * The stored message that a client knows by its own id, or by ours.
   * @returns null while it is queued, and if there is none
   */
  async requestKnownAs(sessionId: string, clientId: string): Promise<string | null> {
    const accepted = await this.#context.turns.findAccepted(sessionId, clientId);
    const id = accepted?.id ?? clientId;
    return isMessageId(id) ? id : null;
  }

  /** Texts and attachments of a stored message, to send it again. @throws NotFoundError */
  async contentOf(messageId: string): Promise<{ readonly texts: string[]; readonly files: string[] }> {
    const message = await this.#context.messages.find(messageId);
    if (!message) throw new NotFoundError('message', messageId);
    return {
      texts: message.parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])),
      files: message.parts.flatMap((part) => (part.type === 'file' ? (blobIdOf(part.content.url) ?? []) : [])),
    };
  }

  /** The running turn's stream from its start on, from any process; null if none runs. */
  async follow(sessionId: string): Promise<ReadableStream<UIMessageChunk> | null> {
    const own = this.#streams.find(sessionId);
    if (own) return own.follow();
    const turn = await this.#context.turns.running(sessionId);
    return turn && this.#followTurn(turn);
  }

  /** The turn from its start to its end; one that has ended is sent in one go. */
  #followTurn(turn: Turn): ReadableStream<UIMessageChunk> {
    return (this.#streams.ofTurn(turn) ?? this.#remote.streamOf(turn)).follow();
  }

  /** Settles the unfinished work of dead processes, now and periodically, and starts forgotten queues. */
  async start(): Promise<void> {
    this.#background.start(this.#renewEffects(), 'Effects of older approvals could not be determined again');
    await this.#upkeep.start();
  }

  /**
   * Determines again the effects that version 0.2.0 shortened when it stored them; the approvals get new ids. An effect
   * that cannot be determined stays, and its call cannot be approved.
   * @param sessionId default: all sessions
   */
  async #renewEffects(sessionId?: string): Promise<void> {
    const { turns, sessions, sites, toolboxes, attachments, onFault } = this.#context;
    for (const call of await turns.shortenedApprovals(sessionId)) {
      const session = await sessions.get(call.sessionId);
      await toolboxes.refresh(session);
      const { content } = sites.at(session.siteId);
      const origin = { actor: 'assistant', userId: session.ownerId, sessionId: session.id } as const;
      const context = { content, origin, files: attachments.filesOf(session.id) };
      const tool = toolboxes.of(session.id).find(call.toolName);
      const { effect } = await effectOf(call, tool, context, { signal: this.#background.closing, onFault });
      if (effect !== null) await turns.replaceEffect(call.partId, effect);
    }
  }

  /** Waits until no turn runs in this process, no request may still start one, and no summary is being prepared. */
  async idle(): Promise<void> {
    do {
      await this.#background.settled();
      await this.#running.idle();
    } while (!this.#background.isIdle);
  }

  /**
   * Shuts down gracefully: no turn starts, running steps may continue for `limitMs` milliseconds, then every turn ends
   * as `interrupted` with its content. Queued messages stay for the next process.
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

  /** @returns also the stream, if a turn has started */
  async #begin(request: SendRequest): Promise<{ outcome: BeginOutcome; stream?: TurnStream }> {
    const { session } = request;
    const outcome = await acceptRequest(this.#context, request);
    if (outcome.kind === 'started') return { outcome, stream: this.#running.begin(outcome, session) };
    if (outcome.kind === 'queued') {
      this.#news.queued(session.id, outcome.item.id, outcome.position);
      // It may have been queued because not all messages fit, although the session is free.
      if (!this.#running.isFollowed(session.id)) await this.#running.startQueued(session.id);
    }
    return { outcome };
  }

  /**
   * Keeps messages queued that could not be paid for or processed. @throws BudgetReachedError, ConflictError if the
   * site is gone
   */
  async #requireBudget(sessionId: string): Promise<void> {
    const { sessions, sites, models } = this.#context;
    const session = await sessions.get(sessionId);
    await sites.requireConnected(session.siteId);
    await models.resolve(session.modelId).requireBudget(billOf(session, 'chat'));
  }

  async #sendWaiting(sessionId: string, choice: QueueChoice): Promise<{ started: boolean }> {
    const started = await this.#running.startQueued(sessionId, choice);
    if (!started) this.#news.queueChanged(sessionId);
    return { started };
  }
}

/** Locates the request's message: its position is null if it is no longer queued. */
function placeOf(outcome: BeginOutcome): { id: string; position: number | null } {
  if (outcome.kind === 'started') return { id: outcome.message.id, position: null };
  if (outcome.kind === 'queued') return { id: outcome.item.id, position: outcome.position };
  return outcome;
}

/** Ids in the queue have another prefix. */
const isMessageId = (id: string) => id.startsWith('msg_');

const REMOVED = 'The message was removed from the queue before it was sent.';

/** An answer that consists of an error. */
async function* failure(errorText: string): AsyncGenerator<UIMessageChunk> {
  yield { type: 'error', errorText };
  yield { type: 'finish' };
}

/** Empty stream for a repeated request whose message has left the queue: the store contains its answer. */
function endedStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'finish' });
      controller.close();
    },
  });
}
