import type { CompactionCommit } from '#server/context/ports';

/** A first compaction, ready to be stored. */
export function compactionCommit(changes: Partial<CompactionCommit> = {}): CompactionCommit {
  return {
    previousSummaryId: null,
    round: 1,
    strategy: 'reactive-overflow',
    trigger: 'overflow',
    tokensBefore: 900,
    tokensAfter: 300,
    compactedMessageIds: [],
    firstKeptMessageId: 'msg_none',
    keptBeforeSummary: [],
    keptAfterSummary: [],
    workingContext: { tools: [], removedTools: [] },
    summary: 'So far.',
    narrative: null,
    summaryTokens: 4,
    modelId: null,
    error: null,
    contextWindow: 128_000,
    durationMs: 1,
    usage: null,
    ...changes,
  };
}
