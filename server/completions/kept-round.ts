import { z } from 'zod';

const count = z.number().int().nonnegative();

const workingContextSchema = z.object({
  tools: z.array(z.string()),
  removedTools: z.array(z.string()),
  focus: z.string().nullable(),
});

const common = {
  /** How many messages of the conversation it looked at: it holds where they are the same. */
  covered: count,
  /** Of the model that it was made for, tokens. */
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
  /** Ids of messages that stay in front of the summary, and behind it. */
  keptBefore: z.array(z.string()),
  keptAfter: z.array(z.string()),
  workingContext: workingContextSchema,
  summary: z.string().min(1),
  summaryTokens: count,
  /** Tokens of everything it looked at as it was sent, in the stored vocabulary. */
  coveredTokens: count,
  modelId: z.string().nullable(),
});

const pruneSchema = z.object({
  kind: z.literal('prune'),
  ...common,
  parts: z.array(z.object({ partId: z.string(), tokensAfter: count, excerptChars: count.optional() })),
});

/** An attempt that gained nothing: the breaker has to know of it, or every call would try again. */
const futileSchema = z.object({
  kind: z.literal('futile'),
  ...common,
  strategy: z.string(),
  trigger,
  tokensBefore: count,
});

/** One thing that the engine did to the beginning of a conversation, as it is kept for the next call. */
export const keptRoundSchema = z.discriminatedUnion('kind', [compactionSchema, pruneSchema, futileSchema]);

export type KeptRound = z.infer<typeof keptRoundSchema>;
export type KeptCompaction = Extract<KeptRound, { kind: 'compaction' }>;
export type KeptFutile = Extract<KeptRound, { kind: 'futile' }>;
export type KeptPrune = Extract<KeptRound, { kind: 'prune' }>;
