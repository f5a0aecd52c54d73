import { z } from 'zod';

/* What the compaction cache stores: compactions and prunes (rounds) of conversations that clients store. */

const count = z.number().int().nonnegative();

const common = {
  /**
   * Number of leading messages from which it was made; it applies to conversations that begin with the same messages.
   */
  covered: count,
  /** Context window of the model for which it was made, tokens. */
  contextWindow: count,
  /** Epoch milliseconds. */
  at: z.number(),
};

const trigger = z.enum(['overflow', 'threshold', 'manual', 'tool-response', 'real-time', 'provider-overflow']);

const compactionSchema = z.object({
  kind: z.literal('compaction'),
  ...common,
  round: z.number().int().positive(),
  strategy: z.string(),
  trigger,
  tokensBefore: count,
  tokensAfter: count,
  messagesCompacted: count,
  /** Ids of messages that are kept before the summary, and after it. */
  keptBefore: z.array(z.string()),
  keptAfter: z.array(z.string()),
  summary: z.string().min(1),
  /** The narrative in `summary`; absent in older rounds. */
  narrative: z.string().optional(),
  summaryTokens: count,
  /** Tokens of all covered messages as sent, in the stored vocabulary. */
  coveredTokens: count,
  modelId: z.string().nullable(),
});

const pruneSchema = z.object({
  kind: z.literal('prune'),
  ...common,
  parts: z.array(z.object({ partId: z.string(), tokensAfter: count, excerptChars: count.optional() })),
});

/** An attempt that saved nothing: the circuit breaker has to know about it, or every call would try again. */
const futileSchema = z.object({
  kind: z.literal('futile'),
  ...common,
  strategy: z.string(),
  trigger,
  tokensBefore: count,
});

/** A compaction or prune of the beginning of a conversation, or a failed attempt, as stored for later calls. */
export const cachedRoundSchema = z.discriminatedUnion('kind', [compactionSchema, pruneSchema, futileSchema]);

export type CachedRound = z.infer<typeof cachedRoundSchema>;
/** A stored compaction. */
export type CachedCompaction = Extract<CachedRound, { kind: 'compaction' }>;
/** A stored attempt that saved nothing. */
export type CachedFailure = Extract<CachedRound, { kind: 'futile' }>;
/** A stored prune. */
export type CachedPrune = Extract<CachedRound, { kind: 'prune' }>;
