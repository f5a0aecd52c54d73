import type { CompactionRecord } from '#server/core/conversation/compactions';
import type { ContextSample } from '#server/core/conversation/context-report';
import type { ContextBreakdown } from '#server/core/conversation/events';

const empty: ContextBreakdown = {
  instructions: 0,
  tools: 0,
  user: 0,
  assistant: 0,
  reasoning: 0,
  toolCalls: 0,
  toolResults: 0,
  media: 0,
  situation: 0,
  summary: 0,
};

/** A measurement as the history has it; `createdAt` is the id in seconds. */
export function contextSample(
  id: number,
  breakdown: Partial<ContextBreakdown>,
  rest: Partial<ContextSample> = {},
): ContextSample {
  const whole = { ...empty, ...breakdown };
  return {
    id,
    turnId: null,
    modelId: 'a/model',
    contextWindow: 16_000,
    usableTokens: 12_000,
    currentTokens: Object.values(whole).reduce((sum, tokens) => sum + tokens, 0),
    source: 'estimated',
    breakdown: whole,
    createdAt: id * 1000,
    ...rest,
  };
}

/** A compaction of a session, completed unless told otherwise. */
export function compactionRecord(rest: Partial<CompactionRecord> & Pick<CompactionRecord, 'id'>): CompactionRecord {
  return {
    sessionId: 'ses_1',
    round: 1,
    strategy: 'ledger',
    trigger: 'overflow',
    status: 'completed',
    tokensBefore: 10_000,
    tokensAfter: 4_000,
    messagesCompacted: 8,
    compactedMessageIds: [],
    prunedPartIds: [],
    keptBeforeSummary: [],
    keptAfterSummary: [],
    firstKeptMessageId: null,
    summaryMessageId: null,
    modelId: null,
    contextWindow: 16_000,
    durationMs: 5,
    usage: null,
    error: null,
    errorMessage: null,
    createdAt: 0,
    ...rest,
  };
}
