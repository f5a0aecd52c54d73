import { z } from 'zod';
import { count, listOf, type Shape } from '#server/core/shapes';

/** Purposes of model calls: an answer, a summary, the description of a picture, or a request of a program (`/v1`). */
export const spendingKinds = ['chat', 'summary', 'picture', 'program'] as const;
export type SpendingKind = (typeof spendingKinds)[number];

/** Whose budgets a model call uses. */
export interface Payer {
  readonly userId: string;
  /** Null: a conversation that a program keeps. */
  readonly sessionId: string | null;
}

/** Whose costs a model call belongs to. */
export interface Bill extends Payer {
  readonly kind: SpendingKind;
}

/** The cost of one model call. Amounts in US dollars. */
export interface Spent extends Bill {
  readonly modelId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens read from the provider's cache. */
  readonly cacheReadTokens: number;
  /** Null: neither the provider nor a price list contains the cost. */
  readonly cost: number | null;
  /** True if calculated from list prices, because the provider did not report the cost. */
  readonly isEstimated: boolean;
  /** Savings by the provider's cache, at list prices; negative if writing the cache cost more. */
  readonly cacheSaved: number;
  /** Average cost of a token of this request's input; null if no price is known. */
  readonly inputPrice: number | null;
}

/** What a budget applies to: all models together, one person, or one conversation. */
export const budgetScopes = ['install', 'person', 'conversation'] as const;
export type BudgetScope = (typeof budgetScopes)[number];

/** Amounts that were spent of the budgets that apply to a person; US dollars. */
export interface Sums {
  readonly install: number;
  readonly person: number;
  readonly conversation: number;
}

/** A budget that applies to a conversation, as its user sees it. */
const budgetSchema = z.strictObject({
  scope: z.enum(budgetScopes),
  /** Share spent so far: 0.8 is 80 %. */
  share: z.number().min(0),
  level: z.enum(['fine', 'near', 'reached']),
  /** US dollars; null: hidden from the caller. */
  spent: z.number().nullable(),
  limit: z.number().nullable(),
});
export type Budget = Shape<typeof budgetSchema>;

export const budgetsSchema = listOf(budgetSchema);

/** Share of a budget from which a notice is shown. */
export const NEAR_BUDGET_SHARE = 0.8;

/** What the rows of a cost report stand for. */
export const costGroups = ['day', 'model', 'person', 'conversation', 'kind'] as const;
export type CostGroup = (typeof costGroups)[number];

/** A day (UTC). */
export const daySchema = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, like 2026-11-24');

/** Sums of a row, or of the whole report. */
const amounts = {
  calls: count,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  /** US dollars. */
  cost: z.number(),
  /** The part that is calculated from list prices. */
  estimated: z.number(),
  /** Number of calls with unknown cost. */
  unpriced: count,
  /** Savings by the providers' caches, at list prices. */
  cacheSaved: z.number(),
  /** Additional cost that requests would have had with all cleared and summarized content. */
  compactionSaved: z.number(),
};

const costRowSchema = z.strictObject({
  /** The day, the model, or the id of the person or conversation. */
  key: z.string(),
  /** Display name; null: deleted. */
  name: z.string().nullable(),
  ...amounts,
});
/** The cost of one day, model, person, conversation or purpose. */
export type CostRow = Shape<typeof costRowSchema>;

/** Total spending in a range of days (UTC). */
export const costsSchema = z.strictObject({
  from: daySchema,
  to: daySchema,
  by: z.enum(costGroups),
  total: z.strictObject({ ...amounts, /** Cost of summaries, a part of `cost`. */ summaries: z.number() }),
  /** In order of the days; other groups by descending cost. */
  rows: z.array(costRowSchema),
  /** True if more rows exist. */
  isCut: z.boolean(),
});
export type Costs = Shape<typeof costsSchema>;
