import type { ServerText } from '#server/core/coded-message';
import type { ModelTarget } from '#server/context/budget';
import type { Strategy } from '#server/context/strategies';
import type { ContextSettings, CurrentSettings } from '#server/context/settings/context-settings';
import type { StoredView } from '#server/context/view';
import type {
  CompactionRecord,
  CompactionTrigger,
  LedgerEntry,
  SummaryOutcome,
  Thing,
  ThingRef,
  WorkingContext,
} from '#server/core/conversation/compactions';
import type { StrategyName } from '#server/core/admin/strategy-names';
import type { CompactionData, PruneData } from '#server/core/conversation/events';
import type { NewPreference, Preference } from '#server/core/conversation/preferences';
import type { Clock } from '#server/core/process';
import type { Message, Usage } from '#server/core/conversation/messages';
import type { ModelMessage } from '#server/core/conversation/model-messages';
import type { CountTokens } from '#server/core/text/excerpt';

/** The parts of the process that the engine uses. */
export interface EngineProcess extends Clock {
  readonly settings: CurrentSettings;
  readonly watch: SummaryWatch;
}

/** The process, with what the engine remembers until it ends. */
export interface EngineState extends EngineProcess {
  /** Ids of models that wrote no usable notes within a conversation: they get it quoted. */
  readonly quoting: Set<string>;
}

/** Receives what happens with summaries, for measurements. */
interface SummaryWatch {
  /** Receives the outcome of each summary that a model was asked for. Must not throw. */
  summary(this: void, outcome: SummaryOutcome): void;
}

/** One session, for one model. */
export interface ContextRequest {
  readonly session: EngineSession;
  /** The site that the session works on. Default: none. */
  readonly site?: SessionSite | undefined;
  readonly target: ModelTarget;
  /** Null: summaries are composed from the ledger, without a model. */
  readonly summarizer: Summarizer | null;
  /** Overrides the strategy of the settings: the name of a built-in one, or a strategy. */
  readonly strategy?: StrategyName | Strategy | undefined;
  /** Replace those of the process for this request. */
  readonly settings?: Partial<ContextSettings> | undefined;
  readonly listener?: ContextListener | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was asked for a summary, and the cost of its model calls. */
export interface CompactionCost {
  /** Name of the strategy. */
  readonly strategy: string;
  readonly tokensBefore: number;
  /** Null: no model was asked. */
  readonly modelId: string | null;
  readonly contextWindow: number;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

/** A completed compaction: its record, and what only its storage needs. Tokens are those of the model of the view. */
export interface CompactionCommit extends CompactionCost {
  /** 1 for the session's first compaction. */
  readonly round: number;
  readonly trigger: CompactionTrigger;
  readonly tokensAfter: number;
  readonly compactedMessageIds: readonly string[];
  /** Ids of messages before the cut that the view keeps verbatim, before and after the summary. */
  readonly keptBeforeSummary: readonly string[];
  readonly keptAfterSummary: readonly string[];
  /** Why attempts of its model were refused, one per line; null: none was. */
  readonly error: ServerText | null;
  /** The newest summary when it was planned. Null for the first compaction. */
  readonly previousSummaryId: string | null;
  readonly firstKeptMessageId: string;
  readonly workingContext: WorkingContext;
  readonly summary: string;
  /** The narrative of the model without the facts that code keeps. Null: there is none. */
  readonly narrative: string | null;
  readonly summaryTokens: number;
}

/** A failed compaction with its reason and the cost of its model calls. */
export interface CompactionFailure extends CompactionCost {
  readonly trigger: CompactionTrigger;
  readonly error: ServerText;
}

/** A completed prune. Tokens are those of the model of the view. */
export interface PruneCommit {
  readonly trigger: CompactionTrigger;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly parts: readonly PrunedPart[];
  readonly modelId: string;
}

/** A part after a prune. */
export interface PrunedPart {
  readonly partId: string;
  /** Tokens of what remains, in the stored vocabulary. */
  readonly tokensAfter: number;
  /**
   * Characters that remain of an output. For a call: length of the longest text of its input that is not cut; 0: a
   * stub.
   */
  readonly excerptChars?: number;
}

/** What the session's earlier compactions show. */
export interface PastCompactions {
  /** Number of all completed compactions of the session. */
  readonly count: number;
  readonly newest: readonly PastCompaction[];
  /** Null: the last summary of a model succeeded, or none was requested. */
  readonly pause: SummarizerPause | null;
}

/** A pause after a model failed to write summaries for a session. */
export interface SummarizerPause extends AskedCompaction {
  /** Consecutive failures. */
  readonly failures: number;
  /** The model is not asked before this time; epoch milliseconds. */
  readonly until: number;
}

/** A model that was asked for a summary. */
export interface AskedCompaction {
  readonly modelId: string;
  /** The compaction that the model was last asked for, and the number of calls for it. Default: another compaction. */
  readonly round?: number | undefined;
  readonly calls?: number | undefined;
}

/** The compaction lease of the session. Released on dispose. */
export interface CompactionLease extends AsyncDisposable {
  readonly owner: string;
  /** Aborts with an AbortError when another process cancels the compaction. */
  readonly cancelled?: AbortSignal;
}

/** What was stored. */
interface Saved {
  readonly id: string;
}

/** Number of past compactions that a store returns at most. The circuit breaker uses no more. */
export const PAST_COMPACTIONS = 20;

/**
 * The stored messages and compactions of one session: in the database, or in memory for a conversation that its client
 * stores. Each method is one transaction.
 */
export interface EngineSession {
  readonly id: string;
  /** The stored messages of the view. */
  loadView(): Promise<StoredView>;
  /** A text that changes with each compaction and prune and with each undo of one. Only to be compared. */
  viewVersion(): Promise<string>;
  /** Every message before `seq`, in order, without summaries. */
  loadBefore(seq: number): Promise<Message[]>;
  /** The newest `PAST_COMPACTIONS`, newest first, including those that gained nothing. */
  pastCompactions(): Promise<PastCompactions>;
  /** Active preferences of the user, oldest first. */
  preferences(): Promise<readonly Preference[]>;
  /** Preferences that the user removed, oldest first. */
  removedPreferences(): Promise<readonly Preference[]>;
  /** Adds preferences, except those that are stored already and those that the user removed after typing them. */
  addPreferences(quotes: readonly NewPreference[]): Promise<void>;
  /** Stores a compaction. @throws ConflictError when another owner holds the lease; nothing is changed in that case */
  saveCompaction(lease: CompactionLease, made: CompactionCommit): Promise<Saved>;
  /** Records a failed compaction. */
  saveFailure(failure: CompactionFailure): Promise<void>;
  /** Stores a prune. */
  savePrune(made: PruneCommit): Promise<Saved>;
  /** Stores a pause of the summarizer; null ends it. */
  savePause(pause: SummarizerPause | null): Promise<void>;
  /**
   * Waits until the session is not being compacted; for a dead process as long as its lease lasts.
   * @throws the reason of the signal
   */
  settled(signal?: AbortSignal): Promise<void>;
  /**
   * Takes the lease for a compaction.
   * @param wait wait until it is free
   * @throws ConflictError when the lease is held and the caller does not wait; the reason of the signal when it ends
   * the wait
   */
  holdLease(wait: boolean, signal?: AbortSignal): Promise<CompactionLease>;
}

/** What the engine reads of the site that a session works on. */
export interface SessionSite {
  /** What was done in the session, as code recorded it, oldest first. */
  ledger(): Promise<LedgerEntry[]>;
  /**
   * Current state of the given things, in order; after 2 s the last known state.
   * @throws only the reason of the signal
   */
  state(refs: readonly ThingRef[], signal?: AbortSignal): Promise<Thing[]>;
  /** Standing instructions, which every request contains; empty if there are none. */
  standing(): string;
}

/** Stores what reports have shown about our token counts. */
export interface CalibrationStore {
  /** Newest ratios of each model, oldest first. */
  load(): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Replaces the ratios of a model. */
  save(modelId: string, ratios: readonly number[]): Promise<void>;
}

/** Limits of one call of a summarizer. */
interface SummaryLimits {
  /** Tokens of the answer that are kept, in our vocabulary. Reasoning of the model is not included. */
  readonly maxTokens: number;
  readonly signal: AbortSignal | undefined;
}

/** One attempt to get a usable text from a model. */
export interface SummaryAttempt extends SummaryLimits {
  /** Why the text of the previous attempt was refused. */
  readonly problem: string | undefined;
}

/** One request to a summarizer. */
export interface SummaryRequest extends SummaryAttempt {
  /** The quoted conversation, cut to fit, after the record and the previous narrative. */
  readonly transcript: string;
  readonly instructions: string | undefined;
}

/** One request for a summary that continues the conversation itself, so that a provider serves it from its cache. */
export interface ContinuedRequest extends SummaryLimits {
  /** The messages of the conversation's next request. */
  readonly messages: readonly ModelMessage[];
  /** Tokens of that request, counted cautiously. */
  readonly tokens: number;
}

/** One request to a summarizer that chooses messages. */
export interface PruningRequest extends SummaryAttempt {
  /** See `SummaryRequest`. */
  readonly transcript: string;
  /** Tokens (our vocabulary) of the complete messages, before the transcript is cut. */
  readonly tokens: number;
  /** Tokens of messages that may be kept word for word. An answer that keeps more is refused. */
  readonly roomTokens: number;
}

/** Answer of a summarizer. */
export interface SummaryAnswer {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: Usage | null;
}

/** A failed call of a summarizer. */
export interface SummarizerFault {
  /** A message for people, without secrets. */
  readonly reason: ServerText;
  /** False: repeating the request cannot succeed. */
  readonly mayPass: boolean;
  /** True if it answered with an unusable text. Default: it did not answer. */
  readonly hasAnswered?: boolean | undefined;
  /** The text was valid but is not used, because the view would become larger with it. */
  readonly wasWritten?: boolean | undefined;
  /** Wait that the provider asks for; milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Writes summaries with a model. Its errors only make the engine fall back to summaries without a model. */
export interface Summarizer {
  readonly modelId: string;
  /** Tokens of transcript that fit its window, as `count` counts. */
  readonly inputTokens: number;
  /** Counts tokens in its vocabulary. Default: in the stored vocabulary. */
  readonly count?: CountTokens | undefined;
  /** Writes a summary of the transcript. */
  summarize(request: SummaryRequest): Promise<SummaryAnswer>;
  /**
   * Writes a summary of the conversation within it: the request is the conversation's own, followed by one message that
   * asks for it. Calls of tools are ignored. Undefined: the summarizer is another model than that of the conversation.
   */
  readonly continueConversation?: ((request: ContinuedRequest) => Promise<SummaryAnswer>) | undefined;
  /** Asks which messages should be kept. The text of the answer is JSON (see `applyPrunedConversation`). */
  prune(request: PruningRequest): Promise<SummaryAnswer>;
  /** False: the model must not be asked now, for example during a pause, which is not an error. Default: true. */
  mayAsk?(): Promise<boolean>;
  /** Describes an error that a call threw. Default: its message, as a temporary failure. */
  explain?(error: unknown): SummarizerFault;
}

/** Called while the engine works. Must not throw. */
export interface ContextListener {
  onCompaction?(data: CompactionData): void;
  onPrune?(data: PruneData): void;
}

/** Result of an earlier compaction, or of one that gained nothing. The window is null if it is not known any longer. */
export interface PastCompaction {
  readonly status: CompactionRecord['status'];
  readonly trigger: CompactionTrigger;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly contextWindow: number | null;
  readonly modelId: string | null;
}
