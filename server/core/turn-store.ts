import type { Approval, ApprovalDecision, ApprovalPolicy, EditorialCall } from '#server/core/approvals';
import type { Message } from '#server/core/messages';
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
} from '#server/core/turns';
import type { NewPart } from '#server/core/parts';
import type { Principal, Scope } from '#server/core/access-rights';
import type { ToolEffect } from '#server/core/tool-effect';

/**
 * Time a running turn goes on trying to store what it has, from the first refusal on, and so the time its lease is
 * believed past its end while its process lives; milliseconds. Long enough for a backup or another program that holds
 * the file, short enough that a paid answer is not read that nobody will keep.
 */
export const TURN_PATIENCE_MS = 120_000;

/** End of a turn. */
export interface TurnEnding {
  readonly status: Exclude<TurnStatus, 'running'>;
  readonly error: string | null;
  /** Waiting calls of a turn that ends as `waiting_approval`. */
  readonly approvals?: readonly AskedCall[];
  /** True if messages behind it are held: they would meet the same budget. Default false. */
  readonly holdsQueue?: boolean;
}

/** A call that waits for the user, with what he is shown of it. */
export interface AskedCall {
  /** The tool-call part. */
  readonly partId: string;
  /** Null: its tool cannot tell what it would do. */
  readonly effect: ToolEffect | null;
}

/** Limits of a turn for waiting messages. */
export interface QueueLease extends Lease {
  /** Most tokens of waiting messages joined into one. */
  readonly maxTokens: number;
  /** Most turns the owner may run at once. Default: any number. */
  readonly mostRunning?: number | undefined;
  /** Aborted once its process begins no turn any more. */
  readonly closing?: AbortSignal | undefined;
}

/** Messages that were taken into a running turn. */
export interface DrainedQueue {
  readonly message: Message;
  /** Ids the messages had in the queue. */
  readonly dequeued: readonly string[];
  /** The turn's from now on. */
  readonly approvalPolicy: ApprovalPolicy;
  readonly scopes: readonly Scope[];
}

/** Caller that sends or changes waiting messages. */
export type QueueSender = Pick<Principal, 'scopes' | 'keyId'>;

/**
 * Selection of waiting messages that starts a turn: `only` one message, also a held one; `release` ends the holding first, for whoever
 * releases it.
 */
export interface QueueChoice {
  readonly only?: string;
  readonly release?: QueueSender;
}

/** Work in a session that was begun with an API key which was revoked, or has expired, and so was ended. */
export interface EndedKeyWork {
  readonly sessionId: string;
  readonly reason: HoldReason;
  readonly key: { readonly id: string; readonly name: string; readonly userId: string };
  /** The turn that was asked to stop; null: none ran. */
  readonly turnId: string | null;
  /** Number of messages waiting for a person. */
  readonly held: number;
}

/** The queue of a session, as its user sees and changes it. */
export interface QueueStore {
  /** Empty for an unknown session. */
  queue(sessionId: string): Promise<Queue>;
  /** @throws NotFoundError when it waits no longer */
  queued(id: string): Promise<QueuedMessage>;
  /**
   * Parts without files leave the message those that it has.
   * @param editor the message is theirs from now on, and asks for no more than they may do
   * @throws NotFoundError when it waits no longer
   */
  editQueued(id: string, parts: readonly NewPart[], editor: QueueSender): Promise<QueuedMessage>;
  /** @throws NotFoundError when it waits no longer */
  removeQueued(id: string): Promise<QueuedMessage>;
  /** @returns how many were removed */
  clearQueue(sessionId: string): Promise<number>;
  /**
   * Puts it in front of all others, and lets it go if the queue, or it alone, is held.
   * @param sender one that is held alone is theirs from now on, and asks for no more than they may do
   * @throws NotFoundError
   */
  sendNext(id: string, sender: QueueSender): Promise<QueuedMessage>;
}

/** Filter for calls of authors. */
export interface EditorialQuery {
  readonly sessionId?: string;
  /** Sites of whoever asks; null: all. */
  readonly sites?: readonly string[] | null;
  /** Ids of calls: those of them that are decided already, instead of what waits. */
  readonly decided?: readonly string[];
}

/** Calls that wait for the user, and what was decided. */
export interface ApprovalStore {
  /** Approvals of one turn, in the order of its calls. */
  approvals(turnId: string): Promise<Approval[]>;
  /** Waiting approvals of a session. */
  pendingApprovals(sessionId: string): Promise<Approval[]>;
  /**
   * Waiting calls in the sessions of authors, who may not agree to them: an editor has to. Newest last, 100 at most.
   * @param of those of one session, and about these sites (null: all). Default: of all
   */
  editorialCalls(of?: EditorialQuery): Promise<EditorialCall[]>;
  /**
   * Records decisions, all or none. When nothing waits any more the turn runs again under the lease, otherwise `turn` is
   * null.
   * @param decider whose key the turn ends with, too. Where a key that it was begun with has ended, it goes on with no more
   *   than the decider may do, and where nothing was approved it is cancelled. Default: it keeps what it may do
   *
   * @throws NotFoundError for a call that never asked.
   * @throws ConflictError for one that is decided, and while a compaction has the session.
   */
  decide(
    sessionId: string,
    decisions: readonly ApprovalDecision[],
    lease: Lease,
    decider?: QueueSender,
  ): Promise<{ readonly turn: Turn | null; readonly pending: number }>;
}

/**
 * Turns, what waits for one, and what a turn waits for. The database decides who runs a turn; each method is one
 * transaction.
 */
export interface TurnStore extends QueueStore, ApprovalStore {
  /** Outcome of the request that was accepted under this client id; null when none was. */
  findAccepted(sessionId: string, clientRequestId: string): Promise<RepeatedRequest | null>;
  /**
   * Stores the message and starts its turn, or queues it: while a turn runs, while a compaction has the session, and
   * when not all that waits fits into one message. Starting denies what waits for approval and takes waiting messages
   * along, before the new one; what a cancel has held is held no longer.
   *
   * One that `replaces` another starts its turn in the other's place, which is superseded with all that followed.
   *
   * @throws NotFoundError when there is no such session.
   * @throws QueueFullError when 100 messages wait already.
   * @throws RateLimitedError when a turn would start and the owner has as many as may run at once
   * @throws ConflictError as `replaceable`.
   */
  begin(request: TurnRequest): Promise<BeginOutcome>;
  /**
   * Tells whether another message may replace this one.
   * @returns the turns that would be superseded
   * @throws NotFoundError when there is no such session.
   * @throws ConflictError when it is not the newest request, a turn or compaction has the session, messages wait, or a
   * summary has it.
   */
  replaceable(sessionId: string, messageId: string): Promise<readonly string[]>;
  /**
   * Starts a turn for what waits; null when nothing may, something else has the session, or too many turns run.
   * @throws StoppingError, with nothing changed, where `closing` is aborted before it is through
   */
  beginQueued(sessionId: string, lease: QueueLease, choice?: QueueChoice): Promise<DequeuedTurn | null>;
  /**
   * Takes what waits into the running turn, as one user message; null when nothing may or the turn is not ours. What the
   * senders say of calls that ask tightens the turn's policy, and never loosens it; nor may it do more than each of them.
   */
  drain(turnId: string, leaseOwner: string, maxTokens: number): Promise<DrainedQueue | null>;
  /**
   * Extends the leases of these turns, in one write.
   * @returns those that still run and are the owner's; of the others he must let go
   */
  renew(turnIds: readonly string[], lease: Lease): Promise<ReadonlyMap<string, { readonly cancelRequested: boolean }>>;
  /**
   * Asks the running turn to stop and holds what waits; null when no turn runs, what waits is held then, too.
   * `persisted` says what there is of the answer.
   */
  requestCancel(sessionId: string): Promise<{ readonly turn: Turn; readonly persisted: Persisted } | null>;
  /** Ids of the sessions of this owner in which a turn runs or something waits for one. */
  busySessions(ownerId: string): Promise<string[]>;
  /**
   * Ends a running turn; one that fails leaves nothing open. False, with nothing changed: it had been ended already, or
   * it was to wait for the user, who has stopped it.
   */
  finish(turnId: string, end: TurnEnding): Promise<boolean>;
  find(turnId: string): Promise<Turn | null>;
  /** The session's running turn. */
  running(sessionId: string): Promise<Turn | null>;
  /** Running turns whose lease has run out. */
  expired(): Promise<Turn[]>;
  /** Closes what a turn with an expired lease has left open. False: somebody renewed, ended or settled it first. */
  settle(turnId: string): Promise<{ readonly settled: boolean }>;
  /**
   * Frees sessions from compactions whose lease ran out a while ago; whoever is only late to renew gets that time.
   * @returns how many
   */
  releaseDeadCompactions(): Promise<number>;
  /**
   * Asks every running turn to stop that was begun with an API key which is revoked or has expired, and holds what was
   * sent with one and waits. Each is told once, on whichever instance.
   */
  endLapsedKeyWork(): Promise<EndedKeyWork[]>;
  /** Sessions where messages wait that a turn could be started for: not held, no turn runs, nothing asks the user. */
  sessionsWithQueue(): Promise<string[]>;
}
