import type { Approval, ApprovalDecision, ApprovalPolicy, EditorialCall } from '#server/core/conversation/approvals';
import type { ContextUsage } from '#server/core/conversation/events';
import type { Message } from '#server/core/conversation/messages';
import type {
  BeginOutcome,
  DequeuedTurn,
  HoldReason,
  Lease,
  Persisted,
  Queue,
  QueuedMessage,
  RepeatedRequest,
  Turn,
  TurnRequest,
  TurnStatus,
} from '#server/core/conversation/turns';
import type { NewPart } from '#server/core/conversation/parts';
import type { Scope } from '#server/core/admin/access-rights';
import type { ToolEffect } from '#server/core/conversation/tool-effect';
import type { ServerText } from '#server/core/coded-message';

/**
 * Time for which a running turn tries to store its data after the database has refused it, and for which its expired lease
 * still counts while its process is alive; milliseconds. Long enough for a backup or another program that locks the file.
 * Not longer, because the user reads an answer meanwhile that may never be stored.
 */
export const TURN_PATIENCE_MS = 120_000;

/** How a turn ended. */
export interface TurnEnding {
  readonly status: Exclude<TurnStatus, 'running'>;
  readonly error: ServerText | null;
  /** Waiting calls of a turn that ends as `waiting_approval`. */
  readonly approvals?: readonly AskedCall[];
  /** Figures of the context after the turn. Default: unknown. */
  readonly figures?: { readonly sessionId: string; readonly usage: ContextUsage } | undefined;
  /** True if queued messages are held, because their turns would meet the same used-up budget. Default false. */
  readonly holdsQueue?: boolean;
}

/** A call that waits for a person's approval, with the effect that is shown. */
export interface AskedCall {
  /** The tool-call part. */
  readonly partId: string;
  /** Null if the tool cannot determine its effect. */
  readonly effect: ToolEffect | null;
}

/** Limits for a turn that takes queued messages. */
export interface QueueLease extends Lease {
  /** Maximum tokens of queued messages that are joined into one. */
  readonly maxTokens: number;
  /** Maximum number of turns that the owner may run simultaneously. Default: unlimited. */
  readonly maxRunning?: number | undefined;
  /** Aborts when this process starts no more turns. */
  readonly closing?: AbortSignal | undefined;
}

/** Messages that were added to a running turn. */
export interface DrainedQueue {
  readonly message: Message;
  /** Ids of the messages in the queue. */
  readonly dequeued: readonly string[];
  /** The turn's policy from now on. */
  readonly approvalPolicy: ApprovalPolicy;
  readonly scopes: readonly Scope[];
}

/** The caller that sends or changes queued messages: its rights and its API key. */
export interface QueueSender {
  readonly scopes: readonly Scope[];
  /** Null: no API key was used. */
  readonly keyId: string | null;
}

/**
 * Selection of queued messages that starts a turn: `only` sends one message, even a held one; `release` first releases
 * the queue, for the principal that requests it.
 */
export interface QueueChoice {
  readonly only?: string;
  readonly release?: QueueSender;
}

/** Work in a session that ended because the API key that it was started with was revoked or expired. */
export interface EndedKeyWork {
  readonly sessionId: string;
  readonly reason: HoldReason;
  readonly key: { readonly id: string; readonly name: string; readonly userId: string };
  /** The turn that was asked to stop; null: none was running. */
  readonly turnId: string | null;
  /** Number of messages that wait for a person. */
  readonly held: number;
}

/** Kinds of work that ended processes and API keys have left. True: there is some. */
export interface LeftWork {
  /** Running turns and queued messages of API keys that are no longer valid; see `endLapsedKeyWork`. */
  readonly ofKeys: boolean;
  /** Turns whose lease has expired; see `expired`. */
  readonly turns: boolean;
  /** Compactions whose lease has expired, and imports that have lost their session; see `releaseDeadCompactions`. */
  readonly compactions: boolean;
  /** Queues that no turn will start; see `sessionsWithQueue`. */
  readonly queues: boolean;
}

/** The queue of a session, as its user sees and changes it. */
export interface QueueStore {
  /** Reads the queue; empty for an unknown session. */
  queue(sessionId: string): Promise<Queue>;
  /** True if messages are queued in the session, even if none may be sent. */
  hasQueue(sessionId: string): Promise<boolean>;
  /** Reads one queued message. @throws NotFoundError if it is no longer queued */
  queued(id: string): Promise<QueuedMessage>;
  /**
   * Replaces the text of a queued message. If `parts` contains no files, the message keeps its present ones.
   * @param editor becomes the sender of the message, whose rights are then limited to the editor's
   * @throws NotFoundError if it is no longer queued
   */
  editQueued(id: string, parts: readonly NewPart[], editor: QueueSender): Promise<QueuedMessage>;
  /** Removes a queued message. @throws NotFoundError if it is no longer queued */
  removeQueued(id: string): Promise<QueuedMessage>;
  /** Removes all queued messages. @returns their number */
  clearQueue(sessionId: string): Promise<number>;
  /**
   * Moves a queued message before all others, and releases it if it or the queue is held.
   * @param sender becomes the sender of a message that itself is held, whose rights are then limited to the sender's
   * @throws NotFoundError
   */
  sendNext(id: string, sender: QueueSender): Promise<QueuedMessage>;
}

/** Filter for calls of authors. */
export interface EditorialQuery {
  readonly sessionId?: string;
  /** Sites of the caller; null: all. */
  readonly sites?: readonly string[] | null;
  /** Ids of calls: selects those of them that are already decided, instead of the waiting ones. */
  readonly decided?: readonly string[];
}

/** Reads the calls that wait for an editor. */
export interface EditorialCalls {
  /**
   * Waiting calls in the sessions of authors, who may not approve them: an editor has to. Newest last, 100 at most.
   * @param of calls of one session, and about these sites (null: all). Default: all calls
   */
  editorialCalls(of?: EditorialQuery): Promise<EditorialCall[]>;
}

/** Calls that wait for the user, and the decisions. */
export interface ApprovalStore extends EditorialCalls {
  /** Approvals of one turn, in the order of its calls. */
  approvals(turnId: string): Promise<Approval[]>;
  /** Approvals of these tool-call parts; none for a call that never needed approval. */
  approvalsOf(partIds: readonly string[]): Promise<Approval[]>;
  /** Waiting approvals whose effect was stored by version 0.2.0, which shortened it. */
  shortenedApprovals(sessionId?: string): Promise<Approval[]>;
  /** Replaces the effect of a waiting approval, which changes its id. */
  replaceEffect(partId: string, effect: ToolEffect): Promise<void>;
  /** Waiting approvals of a session, with their complete effects. */
  pendingApprovals(sessionId: string): Promise<Approval[]>;
  /**
   * Records decisions, all or none. When no call waits, the turn runs again under the lease; otherwise `turn` is null.
   * @param decider whose API key the turn then also depends on. If a key that the turn was started with has ended, the
   * turn continues with at most the decider's rights, and is cancelled if nothing was approved. Default: its rights are
   * unchanged
   *
   * @throws NotFoundError for a call that never needed approval.
   * @throws ConflictError for a decided call, and while the session is being compacted.
   */
  decide(
    sessionId: string,
    decisions: readonly ApprovalDecision[],
    lease: Lease,
    decider?: QueueSender,
  ): Promise<{ readonly turn: Turn | null; readonly pending: number }>;
}

/**
 * Store of turns, of queued messages and of the approvals that turns wait for. The database decides which process runs
 * a turn; each method is one transaction.
 */
export interface TurnStore extends QueueStore, ApprovalStore {
  /** Outcome of the request that was accepted with this client id; null if none was. */
  findAccepted(sessionId: string, clientRequestId: string): Promise<RepeatedRequest | null>;
  /**
   * Stores the message and starts its turn, or queues it: while a turn runs, while the session is being compacted, and
   * if not all queued messages fit into one message. Starting denies calls that wait for approval and includes queued
   * messages, before the new one; it also releases a queue that a cancel has held.
   *
   * A message that `replaces` another starts its turn at the other's position; the other message and everything after
   * it are superseded.
   *
   * @throws NotFoundError if the session does not exist.
   * @throws QueueFullError if 100 messages are queued already.
   * @throws RateLimitedError if a turn would start and the owner already runs the maximum number
   * @throws ConflictError like `replaceable`.
   */
  begin(request: TurnRequest): Promise<BeginOutcome>;
  /**
   * Checks whether another message may replace this one.
   * @returns the turns that would be superseded
   * @throws NotFoundError if the session does not exist.
   * @throws ConflictError if it is not the newest request, a turn or compaction runs in the session, messages are
   * queued, or a summary covers it.
   */
  replaceable(sessionId: string, messageId: string): Promise<readonly string[]>;
  /**
   * Starts a turn for queued messages; null if none may be sent, the session is busy, or too many turns run.
   * @throws StoppingError, with nothing changed, if `closing` aborts before it is done
   */
  beginQueued(sessionId: string, lease: QueueLease, choice?: QueueChoice): Promise<DequeuedTurn | null>;
  /**
   * Moves queued messages into the running turn as one user message; null if none may be sent or another process owns
   * the turn. The senders' policies for calls that need approval can tighten the turn's policy, but never loosen it;
   * the turn's rights are limited to those of each sender.
   */
  drain(turnId: string, leaseOwner: string, maxTokens: number): Promise<DrainedQueue | null>;
  /**
   * Extends the leases of these turns, in one write.
   * @returns those that still run and belong to the owner; the owner must abandon the others
   */
  renew(turnIds: readonly string[], lease: Lease): Promise<ReadonlyMap<string, { readonly cancelRequested: boolean }>>;
  /**
   * Asks the running turn to stop and holds the queue; null if no turn runs, but queued messages are held then, too.
   * `persisted` describes the stored part of the answer.
   */
  requestCancel(sessionId: string): Promise<{ readonly turn: Turn; readonly persisted: Persisted } | null>;
  /** Ids of the sessions of this owner in which a turn runs or messages are queued. */
  busySessions(ownerId: string): Promise<string[]>;
  /**
   * Ends a running turn; the calls of a failed one are closed, too.
   * @returns false, with nothing changed, if it had already ended, or if it was to wait for the user, who has stopped it
   */
  finish(turnId: string, end: TurnEnding): Promise<boolean>;
  /** Finds a turn; null if there is none with this id. */
  find(turnId: string): Promise<Turn | null>;
  /** Finds the session's running turn; null if none runs. */
  running(sessionId: string): Promise<Turn | null>;
  /** Lists running turns whose lease has expired. */
  expired(): Promise<Turn[]>;
  /**
   * Ends a turn whose lease has expired, with everything that it has left open. `settled` is false if another process has
   * renewed, ended or settled it first.
   */
  settle(turnId: string): Promise<{ readonly settled: boolean }>;
  /**
   * Releases sessions from compactions whose lease expired a while ago; the delay lets a process renew late.
   * @returns number of released sessions
   */
  releaseDeadCompactions(): Promise<number>;
  /**
   * Asks every running turn to stop that was started with an API key that is revoked or expired, and holds queued
   * messages that were sent with one. Each is returned once, on one of the instances.
   */
  endLapsedKeyWork(): Promise<EndedKeyWork[]>;
  /** Looks for work of all kinds that somebody has left. */
  leftWork(): Promise<LeftWork>;
  /** Sessions with queued messages for which a turn could start: not held, no turn runs, no approval is pending. */
  sessionsWithQueue(): Promise<string[]>;
}
