import type { CompactionRecord, CompactionTrigger, LedgerEntry, Thing, ThingRef } from '#server/core/compactions';
import type { CompactionData, PruneData } from '#server/core/events';
import type { KeptWishStore } from '#server/core/kept-wishes';
import type { Message, Usage } from '#server/core/messages';

import type { CountTokens } from '#server/context/tokens';
import type { StoredView } from '#server/context/view';
import type { WorkingContext } from '#server/context/plan-compaction';

/* The effects the engine needs, as narrow interfaces. Everything else in this folder is pure. */

/** A compaction or prune that was committed, as far as the engine cares. */
export type SavedCompaction = Pick<CompactionRecord, 'id'>;

/** A compaction that was carried out: its record, and what only its storing needs. Tokens of the view's model. */
export interface CompactionCommit extends Pick<
  CompactionRecord,
  'round' | 'strategy' | 'trigger' | 'tokensBefore' | 'tokensAfter' | 'compactedMessageIds' | 'modelId' | 'durationMs'
> {
  /** The summary that it was planned behind; null for the first one. */
  readonly previousSummaryId: string | null;
  readonly firstKeptMessageId: string;
  readonly keptBeforeSummary: readonly string[];
  readonly keptAfterSummary: readonly string[];
  readonly workingContext: WorkingContext;
  readonly summary: string;
  /** What a model told in it, without what code keeps; null: nothing. */
  readonly narrative: string | null;
  readonly summaryTokens: number;
  readonly contextWindow: number;
  readonly usage: Usage | null;
  /** Why attempts of a model were refused, a line each; null: none was. */
  readonly error: string | null;
}

/** A compaction that came to nothing, with why, and what its model calls cost. */
export interface CompactionFailure extends Pick<
  CompactionCommit,
  'strategy' | 'trigger' | 'tokensBefore' | 'modelId' | 'contextWindow' | 'durationMs' | 'usage'
> {
  readonly error: string;
}

export interface PruneCommit {
  readonly trigger: CompactionTrigger;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly parts: readonly PrunedPart[];
  readonly modelId: string;
}

/** A part of which less is shown. */
export interface PrunedPart {
  readonly partId: string;
  /** Tokens of what is left, in the stored vocabulary. */
  readonly tokensAfter: number;
  /** Characters that stay of an output; of a call, the longest text of its input that stays whole, 0 a stub. */
  readonly excerptChars?: number;
}

/** The completed compactions of a session. */
export interface PastCompactions {
  /** Number of all completed compactions there ever were. */
  readonly count: number;
  /** The newest first. */
  readonly newest: readonly PastCompaction[];
  /** Null: the last attempt of a model to write a summary succeeded, or there was none. */
  readonly pause: SummarizerPause | null;
}

/** A pause between attempts of a model that failed to write summaries for a session. */
export interface SummarizerPause {
  readonly modelId: string;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** It is not asked before; epoch milliseconds. */
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

/** Store of conversations. Each method is one transaction. */
export interface ContextStore extends Pick<KeptWishStore, 'keptWishes' | 'keepWishes'> {
  loadView(sessionId: string): Promise<StoredView>;
  /** Another text after each compaction and prune of the session, and after each undo of one; only to be compared. */
  viewVersion(sessionId: string): Promise<string>;
  /** Every message before `seq`, in order, summaries left out. */
  loadBefore(sessionId: string, seq: number): Promise<Message[]>;
  /**
   * Compactions that were carried out or gained nothing, the newest first; `count` of the completed there ever were.
   */
  pastCompactions(sessionId: string): Promise<PastCompactions>;
  /** @throws ConflictError when the lease has gone to somebody else; nothing is changed then */
  saveCompaction(sessionId: string, lease: CompactionLease, commit: CompactionCommit): Promise<SavedCompaction>;
  saveFailure(sessionId: string, failure: CompactionFailure): Promise<void>;
  savePrune(sessionId: string, commit: PruneCommit): Promise<SavedCompaction>;
  /** Null ends the pause. */
  savePause(sessionId: string, pause: SummarizerPause | null): Promise<void>;
  /**
   * Waits until nobody compacts the session; for a dead process no longer than its lease. @throws the signal's reason
   */
  settled(sessionId: string, signal?: AbortSignal): Promise<void>;
  /** @throws ConflictError when it is held and the caller does not wait; the signal's reason when it ends the wait */
  holdLease(sessionId: string, wait: boolean, signal?: AbortSignal): Promise<CompactionLease>;
}

export interface SummaryRequest {
  /** Quoted conversation, cut to fit, with the record and the previous narrative in front. */
  readonly transcript: string;
  /** Points that the user asks the summary to pay attention to. */
  readonly instructions: string | undefined;
  /** Tokens of its text that are kept, in our vocabulary; what a model thinks has room beside them. */
  readonly maxTokens: number;
  /** What was wrong with the text of the attempt before. */
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
  /** It answered, with a text that cannot be used. Default: it did not. */
  readonly hasAnswered?: boolean | undefined;
  /** Its text was good, but is not used: with it the view would be larger than without. */
  readonly wasWritten?: boolean | undefined;
  /** How long its provider asks to wait; milliseconds. */
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
  /** Asks which messages stay; the answer's text is JSON (see pruned-conversation). */
  prune(request: PruningRequest): Promise<SummaryAnswer>;
  /** Reads what a call has thrown. Default: its message, and that it may pass. */
  explain?(error: unknown): SummarizerFault;
}

/** Reads what was done in a session, as code recorded it; oldest first. */
export type LedgerSource = (sessionId: string) => Promise<LedgerEntry[]>;

/**
 * Reads how things of the site stand at this moment, in the order asked for. Waits for the site 2 s at most; what it
 * does not tell by then stands as it was last known. Throws only the signal's reason.
 */
export type SiteState = (sessionId: string, refs: readonly ThingRef[], signal?: AbortSignal) => Promise<Thing[]>;

/** Told what the engine does while it does it. Must not throw. */
export interface ContextListener {
  onCompaction?(data: CompactionData): void;
  onPrune?(data: PruneData): void;
}

/** Result of an earlier compaction. Tokens of the whole view, both estimated in the same way. */
export interface PastCompaction {
  /** `failed`: an attempt that gained nothing. */
  readonly status: 'completed' | 'failed' | 'undone';
  /** Its trigger; attempts by hand say nothing about automatic ones. */
  readonly trigger: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Window of the model that it was for; null where it is no longer known. */
  readonly contextWindow: number | null;
  /** The model that wrote the text, or of a failed attempt was to; null: code did. */
  readonly modelId: string | null;
}
