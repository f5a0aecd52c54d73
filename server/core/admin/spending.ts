import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { components, count, listOf, type Shape } from '#server/core/shapes';

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
const budgetSchema = z
  .strictObject({
    scope: z
      .enum(budgetScopes)
      .describe(
        'What the budget limits: all models of this server together (`install`), one person, or one session (`conversation`)',
      ),
    share: z.number().min(0).describe('Share spent so far: 0.8 is 80 %'),
    level: z
      .enum(['fine', 'near', 'reached'])
      .describe('`near`: at least 80 % are spent. `reached`: no paid model is called any more'),
    spent: z.number().nullable().describe('US dollars; null: hidden from the caller'),
    limit: z.number().nullable().describe('US dollars; null: hidden from the caller'),
  })
  .describe('A budget that applies to a session')
  .register(components, { id: 'Budget' });
export type Budget = Shape<typeof budgetSchema>;

export const budgetsSchema = listOf(budgetSchema).register(components, { id: 'BudgetList' });

/** Share of a budget from which a notice is shown. */
export const NEAR_BUDGET_SHARE = 0.8;

/** What the rows of a cost report stand for. */
export const costGroups = ['day', 'model', 'person', 'conversation', 'kind'] as const;
export type CostGroup = (typeof costGroups)[number];

/** A day (UTC). */
export const daySchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, valueRules.day)
  .describe('A day in UTC, included: `2026-11-24`');

/** Sums of a row, or of the whole report. */
const amounts = {
  calls: count.describe('Number of model calls'),
  inputTokens: count.describe('Input tokens of these calls, including those that providers read from their caches'),
  outputTokens: count.describe('Output tokens of these calls, including reasoning'),
  cacheReadTokens: count.describe('Input tokens that providers read from their caches'),
  cost: z.number().describe('US dollars'),
  estimated: z.number().describe('The part of `cost` that is calculated from list prices, US dollars'),
  unpriced: count.describe('Number of calls with unknown cost'),
  cacheSaved: z
    .number()
    .describe("Savings by the providers' caches at list prices, US dollars; negative if writing the caches cost more"),
  compactionSaved: z
    .number()
    .describe('Additional cost that requests would have had with all cleared and summarized content'),
};

const costRowSchema = z
  .strictObject({
    key: z.string().describe('The day, the model, or the id of the person or conversation'),
    name: z.string().nullable().describe('Display name; null: deleted'),
    ...amounts,
  })
  .describe('The cost of one day, model, person, session or purpose')
  .register(components, { id: 'CostRow' });
/** The cost of one day, model, person, conversation or purpose. */
export type CostRow = Shape<typeof costRowSchema>;

/** Total spending in a range of days (UTC). */
export const costsSchema = z
  .strictObject({
    from: daySchema,
    to: daySchema,
    by: z.enum(costGroups).describe('What the rows stand for'),
    total: z
      .strictObject({ ...amounts, summaries: z.number().describe('Cost of summaries in US dollars, a part of `cost`') })
      .describe('Sums of the whole range, also of rows that are cut'),
    rows: z.array(costRowSchema).describe('In order of the days; other groups by descending cost'),
    isCut: z.boolean().describe('True if more rows exist'),
  })
  .register(components, { id: 'CostReport' });
export type Costs = Shape<typeof costsSchema>;
