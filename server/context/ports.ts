import type { ModelTarget } from '#server/context/budget';
import type { Strategy, WorkingContext } from '#server/context/strategies';
import type { ContextSettings } from '#server/context/settings/context-settings';
import type { CountTokens } from '#server/context/tokens';
import type { StoredView } from '#server/context/view';
import type {
  CompactionRecord,
  LedgerEntry,
  StrategyName,
  SummaryOutcome,
  Thing,
  ThingRef,
} from '#server/core/compactions';
import type { CompactionData, PruneData } from '#server/core/events';
import type { KeptWishStore } from '#server/core/kept-wishes';
import type { Message, Usage } from '#server/core/messages';

/** The effects and numbers the engine works with, the same for every session. */
export interface ContextDependencies {
  readonly store: ContextStore;
  /** Reads what was done in a session, as code recorded it; oldest first. */
  readonly ledger: (sessionId: string) => Promise<LedgerEntry[]>;
  /** Reads how things stand now, in order; after 2 s as last known. Throws only the signal's reason. Default: no site. */
  readonly siteState?: (sessionId: string, refs: readonly ThingRef[], signal?: AbortSignal) => Promise<Thing[]>;
  /** Standing instructions of a session's site, which its every request has. */
  readonly standing?: (sessionId: string) => Promise<string>;
  readonly settings: () => ContextSettings;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told what becomes of summaries that models write. Must not throw. */
  readonly onSummary?: ((outcome: SummaryOutcome) => void) | undefined;
}

/** One session, for one model. */
export interface ContextRequest {
  readonly sessionId: string;
  readonly target: ModelTarget;
  /** Null: no model writes summaries, the ledger does. */
  readonly summarizer: Summarizer | null;
  /** Instead of the one in the settings: one of ours by its name, or any. */
  readonly strategy?: StrategyName | Strategy | undefined;
  readonly listener?: ContextListener | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A compaction that was carried out: its record, and what only its storing needs. Tokens of the view's model. */
export interface CompactionCommit extends Omit<
  CompactionRecord,
  'id' | 'sessionId' | 'status' | 'messagesCompacted' | 'prunedPartIds' | 'summaryMessageId' | 'createdAt'
> {
  /** The summary that it was planned behind; null for the first one. */
  readonly previousSummaryId: string | null;
  readonly firstKeptMessageId: string;
  readonly workingContext: WorkingContext;
  readonly summary: string;
  /** The model's narrative, without what code keeps; null: none. */
  readonly narrative: string | null;
  readonly summaryTokens: number;
  readonly contextWindow: number;
}

/** A compaction that came to nothing, with why, and what its model calls cost. */
export interface CompactionFailure extends Pick<
  CompactionCommit,
  'strategy' | 'trigger' | 'tokensBefore' | 'modelId' | 'contextWindow' | 'durationMs' | 'usage'
> {
  readonly error: string;
}

export interface PruneCommit extends Pick<CompactionRecord, 'trigger' | 'tokensBefore' | 'tokensAfter'> {
  readonly parts: readonly PrunedPart[];
  readonly modelId: string;
}

export interface PrunedPart {
  readonly partId: string;
  /** Tokens of what is left, in the stored vocabulary. */
  readonly tokensAfter: number;
  /** Characters that stay of an output; of a call, the longest text of its input that stays whole, 0 a stub. */
  readonly excerptChars?: number;
}

export interface PastCompactions {
  /** Number of all completed compactions there ever were. */
  readonly count: number;
  readonly newest: readonly PastCompaction[];
  /** Null: the last attempt of a model to write a summary succeeded, or there was none. */
  readonly pause: SummarizerPause | null;
}

/** A pause between attempts of a model that failed to write summaries for a session. */
export interface SummarizerPause {
  readonly modelId: string;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Time before which it is not asked; epoch milliseconds. */
  readonly until: number;
  /** The compaction that it was last asked for, and how often. Default: another one. */
  readonly round?: number | undefined;
  readonly calls?: number | undefined;
}

/** The session's compaction lease; released on dispose. */
export interface CompactionLease extends AsyncDisposable {
  readonly owner: string;
  /** Aborts with an AbortError when the compaction is cancelled in another process. */
  readonly cancelled?: AbortSignal;
}

type Saved = Pick<CompactionRecord, 'id'>;

/** Number of past compactions that a store gives at most; the breaker looks at no more. */
export const PAST_COMPACTIONS = 20;

/** Store of conversations. Each method is one transaction. */
export interface ContextStore extends Omit<KeptWishStore, 'letGo' | 'keepAgain'> {
  loadView(sessionId: string): Promise<StoredView>;
  /** Another text after each compaction and prune of the session, and after each undo of one; only to be compared. */
  viewVersion(sessionId: string): Promise<string>;
  /** Every message before `seq`, in order, summaries left out. */
  loadBefore(sessionId: string, seq: number): Promise<Message[]>;
  /** The newest `PAST_COMPACTIONS`, the newest first, those that gained nothing included. */
  pastCompactions(sessionId: string): Promise<PastCompactions>;
  /** @throws ConflictError when the lease has gone to somebody else; nothing is changed then */
  saveCompaction(sessionId: string, lease: CompactionLease, made: CompactionCommit): Promise<Saved>;
  saveFailure(sessionId: string, failure: CompactionFailure): Promise<void>;
  savePrune(sessionId: string, made: PruneCommit): Promise<Saved>;
  /** Null ends the pause. */
  savePause(sessionId: string, pause: SummarizerPause | null): Promise<void>;
  /** Waits until nobody compacts the session, for a dead process as long as its lease. @throws the signal's reason */
  settled(sessionId: string, signal?: AbortSignal): Promise<void>;
  /** @throws ConflictError when it is held and the caller does not wait; the signal's reason when it ends the wait */
  holdLease(sessionId: string, wait: boolean, signal?: AbortSignal): Promise<CompactionLease>;
}

export interface CalibrationStore {
  /** Newest ratios of every model, oldest first. */
  load(): Promise<ReadonlyMap<string, readonly number[]>>;
  save(modelId: string, ratios: readonly number[]): Promise<void>;
}

export interface SummaryRequest {
  /** Quoted conversation, cut to fit, with the record and the previous narrative in front. */
  readonly transcript: string;
  readonly instructions: string | undefined;
  /** Tokens of its text that are kept, in our vocabulary; what a model thinks has room beside them. */
  readonly maxTokens: number;
  readonly problem: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface PruningRequest extends Omit<SummaryRequest, 'instructions'> {
  /** Tokens (our vocabulary) of the messages in full, however much the transcript is cut. */
  readonly tokens: number;
  /** Tokens of messages that may stay word for word; an answer that keeps more is refused. */
  readonly roomTokens: number;
}

export interface SummaryAnswer {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: Usage | null;
}

/** A call of a summarizer that failed. */
export interface SummarizerFault {
  /** For a person; holds no secrets. */
  readonly reason: string;
  /** False: asking the same again is of no use. */
  readonly mayPass: boolean;
  /** True if it answered with a text that cannot be used. Default: it did not answer. */
  readonly hasAnswered?: boolean | undefined;
  /** Its text was good, but is not used: with it the view would be larger than without. */
  readonly wasWritten?: boolean | undefined;
  /** Wait its provider asks for; milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Writes summaries with a model. What it throws only makes the engine fall back to summaries without one. */
export interface Summarizer {
  readonly modelId: string;
  /** Tokens of transcript that its window takes, as `count` counts. */
  readonly inputTokens: number;
  /** Counts in its vocabulary. Default: in the stored one. */
  readonly count?: CountTokens | undefined;
  summarize(request: SummaryRequest): Promise<SummaryAnswer>;
  /** Asks which messages stay; the answer's text is JSON (see `applyPrunedConversation`). */
  prune(request: PruningRequest): Promise<SummaryAnswer>;
  /** False: it is not asked now, and nothing is wrong with it. Default: it may be. */
  mayAsk?(): Promise<boolean>;
  /** Reads what a call has thrown. Default: its message, and that it may pass. */
  explain?(error: unknown): SummarizerFault;
}

/** Told what the engine does while it does it. Must not throw. */
export interface ContextListener {
  onCompaction?(data: CompactionData): void;
  onPrune?(data: PruneData): void;
}

/** Result of an earlier compaction or of one that gained nothing. Its window: null where it is no longer known. */
export type PastCompaction = Pick<
  CompactionRecord,
  'status' | 'trigger' | 'createdAt' | 'tokensBefore' | 'tokensAfter' | 'contextWindow' | 'modelId'
>;
