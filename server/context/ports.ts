import type { CompactionTrigger } from '#server/core/compactions';
import type { CompactionData, PruneData } from '#server/core/events';
import type { LedgerEntry } from '#server/core/ledger';
import type { Message, Usage } from '#server/core/messages';
import type { StoredView } from '#server/context/view';

/* The effects the engine needs, as narrow interfaces. Everything else in this folder is pure. */

/** A compaction that was committed, as far as callers of the engine care. */
export interface SavedCompaction {
  readonly id: string;
}

export interface CompactionCommit {
  readonly round: number;
  readonly strategy: string;
  readonly trigger: CompactionTrigger;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly compactedMessageIds: readonly string[];
  readonly firstKeptMessageId: string | null;
  readonly summary: string;
  readonly summaryTokens: number;
  readonly modelId: string | null;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

export interface PruneCommit {
  readonly trigger: CompactionTrigger;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly parts: readonly { readonly partId: string; readonly tokensAfter: number }[];
  readonly modelId: string;
}

/** Where conversations are kept. Each method is one transaction. */
export interface ContextStore {
  loadView(sessionId: string): Promise<StoredView>;
  /** Every message before `seq`, in order, summaries left out. */
  loadBefore(sessionId: string, seq: number): Promise<Message[]>;
  /** Compactions of this session so far. */
  countRounds(sessionId: string): Promise<number>;
  saveCompaction(sessionId: string, commit: CompactionCommit): Promise<SavedCompaction>;
  savePrune(sessionId: string, commit: PruneCommit): Promise<void>;
  /** Takes the session's compaction lease, waiting for a live holder; released on dispose. */
  holdLease(sessionId: string, wait: boolean): Promise<AsyncDisposable>;
}

export interface SummaryRequest {
  /** Quoted conversation, cut to fit. */
  readonly transcript: string;
  /** What the user asks the summary to pay attention to. */
  readonly instructions: string | undefined;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal | undefined;
}

/** Writes the narrative of a summary with a model. */
export interface Summarizer {
  readonly modelId: string;
  /** Tokens (our vocabulary) of transcript that its window takes. */
  readonly inputTokens: number;
  /** @throws whatever the provider throws; the engine falls back to the ledger summary */
  summarize(request: SummaryRequest): Promise<{ text: string; finishReason: string; usage: Usage | null }>;
}

/** What was done in a session, as code recorded it. */
export type LedgerSource = (sessionId: string) => Promise<LedgerEntry[]>;

/** Told what the engine does while it does it. Must not throw. */
export interface ContextListener {
  onCompaction?(data: CompactionData): void;
  onPrune?(data: PruneData): void;
}
