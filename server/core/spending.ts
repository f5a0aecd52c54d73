import { z } from 'zod';
import { count, listOf, type Shape } from '#server/core/shapes';

/** Purposes of model calls: an answer, a summary, a look at a picture, or a program's own (`/v1`). */
export const spendingKinds = ['chat', 'summary', 'picture', 'program'] as const;
export type SpendingKind = (typeof spendingKinds)[number];

/** Account that a model call is on. */
export interface Bill {
  readonly userId: string;
  /** Null: a conversation that a program keeps. */
  readonly sessionId: string | null;
  readonly kind: SpendingKind;
}

/** One model call, as it is written down. Amounts in US dollars. */
export interface Spent extends Bill {
  readonly modelId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens read from the provider's cache. */
  readonly cacheReadTokens: number;
  /** Null: neither its provider nor a list says what it cost. */
  readonly cost: number | null;
  /** By the list's prices, because the provider did not say. */
  readonly isEstimated: boolean;
  /** Savings by the provider's cache, at list prices; negative where writing it cost more. */
  readonly cacheSaved: number;
  /** Average cost of a token of this request's input; null where no price is known. */
  readonly inputPrice: number | null;
}

export const budgetScopes = ['install', 'person', 'conversation'] as const;
export type BudgetScope = (typeof budgetScopes)[number];

/** Amounts spent of the budgets that concern somebody. */
export interface Sums {
  /** US dollars. */
  readonly install: number;
  readonly person: number;
  readonly conversation: number;
}

/** A budget that concerns a conversation, as its user is told of it. */
const budgetSchema = z.strictObject({
  scope: z.enum(budgetScopes),
  /** Share spent so far: 0.8 is 80 %. */
  share: z.number().min(0),
  level: z.enum(['fine', 'near', 'reached']),
  /** US dollars; null: not told to whoever asks. */
  spent: z.number().nullable(),
  limit: z.number().nullable(),
});
export type Budget = Shape<typeof budgetSchema>;

export const budgetsSchema = listOf(budgetSchema);

/** From which share on a word is said of a budget. */
export const NEAR = 0.8;

/** Groupings for cost sums. */
export const costGroups = ['day', 'model', 'person', 'conversation', 'kind'] as const;
export type CostGroup = (typeof costGroups)[number];

/** A day (UTC). */
export const daySchema = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, like 2026-11-24');

const amounts = {
  calls: count,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  /** US dollars. */
  cost: z.number(),
  /** The part of it that is by list prices. */
  estimated: z.number(),
  /** Calls of which nobody says what they cost. */
  unpriced: count,
  /** Savings by the providers' caches, at list prices. */
  cacheSaved: z.number(),
  /** Extra that requests would have cost with all that was cleared and summarized in them. */
  compactionSaved: z.number(),
};

const costRowSchema = z.strictObject({
  /** The day, the model, or the id of the person or conversation. */
  key: z.string(),
  /** For a person; null: it is gone. */
  name: z.string().nullable(),
  ...amounts,
});
export type CostRow = Shape<typeof costRowSchema>;

/** Spending in some days (UTC), summed. */
export const costsSchema = z.strictObject({
  from: daySchema,
  to: daySchema,
  by: z.enum(costGroups),
  total: z.strictObject({ ...amounts, /** Cost of summaries, a part of `cost`. */ summaries: z.number() }),
  /** By day in its order, else the dearest first. */
  rows: z.array(costRowSchema),
  /** There are more. */
  isCut: z.boolean(),
});
export type Costs = Shape<typeof costsSchema>;
