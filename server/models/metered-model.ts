import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import type { Bill, Spent } from '#server/core/admin/spending';
import { cacheSaving, inputCost, listCost, type ModelPrices } from '#server/models/list-prices';

/** Account that pays model calls: asked before each call, and informed after each. */
export interface SpendingAccount {
  /** @throws BudgetReachedError if a budget that applies to the bill is used up */
  require(bill: Bill): Promise<void>;
  /** Records a call. Never throws. */
  record(spent: Spent): Promise<void>;
}

/** An account without limits and records, for callers that do not account for costs. */
export const unlimitedAccount: SpendingAccount = { require: () => Promise.resolve(), record: () => Promise.resolve() };

/** A model, and what its calls cost. */
export interface UsagePricing {
  readonly modelId: string;
  /** US dollars per million tokens; null if unknown. */
  readonly prices: ModelPrices | null;
  /** True if the model costs money, or may: the account is asked before each call. */
  readonly isPaid: boolean;
}

/**
 * A model whose calls are paid by an account: no call starts when a budget is used up, and each is recorded with the
 * cost that its provider reports, else with our own estimate. A refused call costs nothing; a call that was cut short
 * costs what was sent and received.
 */
export function meteredModel(
  model: LanguageModelV4,
  pricing: UsagePricing,
  bill: Bill,
  account: SpendingAccount,
): LanguageModelV4 {
  const record = (usage: LanguageModelV4Usage | undefined, seen: Seen) =>
    account.record(spentOn(pricing, bill, usage, seen));
  /** Asks the account, then starts the call. A call that is stopped before it answers was sent, so it is recorded. */
  const start = async <T>(ask: () => PromiseLike<T>, params: LanguageModelV4CallOptions): Promise<T> => {
    if (pricing.isPaid) await account.require(bill);
    params.abortSignal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (params.abortSignal?.aborted) await record(undefined, { params, outputChars: 0 });
      throw error;
    }
  };
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapGenerate({ doGenerate, params }) {
        const result = await start(doGenerate, params);
        const said = result.content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('');
        await record(result.usage, { params, outputChars: said.length });
        return { ...result, usage: pricedBy(pricing, result.usage) };
      },
      async wrapStream({ doStream, params }) {
        const { stream, ...rest } = await start(doStream, params);
        return { ...rest, stream: meteredStream(stream, params, pricing, record) };
      },
    },
  });
}

/** Input and output of a call, in case the provider does not report them. */
interface Seen {
  readonly params: LanguageModelV4CallOptions;
  readonly outputChars: number;
}

/** The stream, with its usage priced; recorded once, at its end, or when it breaks off after some output. */
function meteredStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  params: LanguageModelV4CallOptions,
  pricing: UsagePricing,
  record: (usage: LanguageModelV4Usage | undefined, seen: Seen) => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  let outputChars = 0;
  let isRecorded = false;
  /**
   * @param isFreeWithoutOutput true: without a report and without output the provider refused the call, which costs
   * nothing
   */
  const settle = async (usage: LanguageModelV4Usage | undefined, isFreeWithoutOutput: boolean) => {
    if (isRecorded) return;
    isRecorded = true;
    params.abortSignal?.removeEventListener('abort', onAbort);
    if (usage !== undefined || outputChars > 0 || !isFreeWithoutOutput) await record(usage, { params, outputChars });
  };
  // A caller that aborts may stop reading; what was sent is charged nevertheless.
  const onAbort = () => void settle(undefined, false);
  params.abortSignal?.addEventListener('abort', onAbort, { once: true });
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          await settle(undefined, true);
          return controller.close();
        }
        if (value.type === 'text-delta' || value.type === 'reasoning-delta' || value.type === 'tool-input-delta') {
          outputChars += value.delta.length;
        }
        if (value.type === 'finish') await settle(value.usage, true);
        controller.enqueue(value.type === 'finish' ? { ...value, usage: pricedBy(pricing, value.usage) } : value);
      } catch (error) {
        await settle(undefined, !params.abortSignal?.aborted);
        throw error;
      }
    },
    async cancel(reason) {
      await settle(undefined, false);
      await reader.cancel(reason);
    },
  });
}

/** Characters per token, for a request without a usage report; measured on long sessions, 2.8 to 3.1. */
const CHARS_PER_TOKEN = 3;
/**
 * Approximate tokens of a picture or file. A choice, not measured: providers count a picture of a screen as about this.
 */
const FILE_TOKENS = 1_000;

function spentOn(pricing: UsagePricing, bill: Bill, reported: LanguageModelV4Usage | undefined, seen: Seen): Spent {
  const { prices, isPaid, modelId } = pricing;
  const inputTokens = reported?.inputTokens.total ?? promptTokens(seen.params);
  const outputTokens = reported?.outputTokens.total ?? Math.ceil(seen.outputChars / CHARS_PER_TOKEN);
  const { cacheRead = 0, cacheWrite = 0 } = reported?.inputTokens ?? {};
  const usage = { inputTokens, outputTokens, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite };
  const reportedCost = costIn(reported?.raw);
  const cost = reportedCost ?? (isPaid ? prices && listCost(usage, prices) : 0);
  return {
    ...bill,
    modelId,
    inputTokens,
    outputTokens,
    cacheReadTokens: cacheRead,
    cost,
    isEstimated: reportedCost === null && cost !== null && isPaid,
    cacheSaved: prices === null ? 0 : cacheSaving(usage, prices),
    inputPrice: prices === null || inputTokens === 0 ? null : inputCost(usage, prices) / inputTokens,
  };
}

/** The usage as it is passed on. For a free model it gets a cost of zero, because its server reports none; the sums of a
 * conversation read it from there. */
function pricedBy({ isPaid }: UsagePricing, usage: LanguageModelV4Usage): LanguageModelV4Usage {
  return isPaid || costIn(usage.raw) !== null ? usage : { ...usage, raw: { ...usage.raw, cost: 0 } };
}

/** Cost of the call as reported by the provider, US dollars. */
function costIn(raw: LanguageModelV4Usage['raw']): number | null {
  const cost = raw?.['cost'];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null;
}

function promptTokens({ prompt, tools = [] }: Seen['params']): number {
  const files = prompt.reduce((sum, message) => sum + filesIn(message), 0);
  // The bytes of pictures and files are counted by `FILE_TOKENS`.
  const withoutBytes = (key: string, value: unknown) => (key === 'data' ? undefined : value);
  const chars = JSON.stringify(prompt, withoutBytes).length + JSON.stringify(tools).length;
  return Math.ceil(chars / CHARS_PER_TOKEN) + files * FILE_TOKENS;
}

function filesIn({ content }: LanguageModelV4Prompt[number]): number {
  return typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'file').length;
}
