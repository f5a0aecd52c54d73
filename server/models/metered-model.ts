import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import type { Bill, Spent } from '#server/core/spending';
import { cacheSaving, inputCost, listCost, type ModelPrices } from '#server/models/list-prices';

/** Pays for model calls: it is asked before each, and told after each. */
export interface Purse {
  /** @throws BudgetReachedError when a budget that the bill is on is used up */
  require(bill: Bill): Promise<void>;
  /** Writes a call down. Never throws. */
  record(spent: Spent): Promise<void>;
}

/** A purse without a bottom and without books, where nobody counts. */
export const openPurse: Purse = { require: () => Promise.resolve(), record: () => Promise.resolve() };

/** Known prices of a model. */
export interface Tariff {
  readonly modelId: string;
  /** US dollars per million tokens; null: not known. */
  readonly prices: ModelPrices | null;
  /** True if it costs money, or may: budgets are asked before each call. */
  readonly isPaid: boolean;
}

/**
 * A model each call of which is paid from a purse: none begins once the budget is used up, and each is written down as
 * its provider reports it, else by our own estimate. A call that was refused costs nothing; one that was cut short costs
 * what was sent and what had come.
 */
export function meteredModel(model: LanguageModelV4, tariff: Tariff, bill: Bill, purse: Purse): LanguageModelV4 {
  const tell = (usage: LanguageModelV4Usage | undefined, seen: Seen) =>
    purse.record(spentOn(tariff, bill, usage, seen));
  /** Asks the purse first. What is stopped before it answers has been sent all the same. */
  const begun = async <T>(ask: () => PromiseLike<T>, params: LanguageModelV4CallOptions): Promise<T> => {
    if (tariff.isPaid) await purse.require(bill);
    params.abortSignal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (params.abortSignal?.aborted) await tell(undefined, { params, outputChars: 0 });
      throw error;
    }
  };
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapGenerate({ doGenerate, params }) {
        const result = await begun(doGenerate, params);
        const said = result.content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('');
        await tell(result.usage, { params, outputChars: said.length });
        return { ...result, usage: pricedBy(tariff, result.usage) };
      },
      async wrapStream({ doStream, params }) {
        const { stream, ...rest } = await begun(doStream, params);
        return { ...rest, stream: meteredStream(stream, params, tariff, tell) };
      },
    },
  });
}

/** Input and output of a call, as far as the provider does not report them. */
interface Seen {
  readonly params: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>;
  readonly outputChars: number;
}

/** The stream, with its usage priced; told once, at its end, or when it breaks off after something was said. */
function meteredStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  params: LanguageModelV4CallOptions,
  tariff: Tariff,
  tell: (usage: LanguageModelV4Usage | undefined, seen: Seen) => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  let outputChars = 0;
  let isTold = false;
  const settle = async (usage: LanguageModelV4Usage | undefined, mayBeFree: boolean) => {
    if (isTold) return;
    isTold = true;
    params.abortSignal?.removeEventListener('abort', onAbort);
    if (usage !== undefined || outputChars > 0 || !mayBeFree) await tell(usage, { params, outputChars });
  };
  // Whoever aborts may read no further; what was sent is charged all the same.
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
        controller.enqueue(value.type === 'finish' ? { ...value, usage: pricedBy(tariff, value.usage) } : value);
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

/** Characters of a token, for a request of which no report came; measured on long sessions, 2.8 to 3.1. */
const CHARS_PER_TOKEN = 3;
/** Tokens of a picture or file, roughly. */
const FILE_TOKENS = 1_000;

function spentOn(tariff: Tariff, bill: Bill, reported: LanguageModelV4Usage | undefined, seen: Seen): Spent {
  const { prices, isPaid, modelId } = tariff;
  const inputTokens = reported?.inputTokens.total ?? promptTokens(seen.params);
  const outputTokens = reported?.outputTokens.total ?? Math.ceil(seen.outputChars / CHARS_PER_TOKEN);
  const { cacheRead = 0, cacheWrite = 0 } = reported?.inputTokens ?? {};
  const usage = { inputTokens, outputTokens, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite };
  const told = costIn(reported?.raw);
  const cost = told ?? (isPaid ? prices && listCost(usage, prices) : 0);
  return {
    ...bill,
    modelId,
    inputTokens,
    outputTokens,
    cacheReadTokens: cacheRead,
    cost,
    isEstimated: told === null && cost !== null && isPaid,
    cacheSaved: prices === null ? 0 : cacheSaving(usage, prices),
    inputPrice: prices === null || inputTokens === 0 ? null : inputCost(usage, prices) / inputTokens,
  };
}

/** The usage; a model that costs nothing says so, as its server does not. */
function pricedBy({ isPaid }: Tariff, usage: LanguageModelV4Usage): LanguageModelV4Usage {
  return isPaid || costIn(usage.raw) !== null ? usage : { ...usage, raw: { ...usage.raw, cost: 0 } };
}

/** Cost of the call as the provider reports it, US dollars. */
function costIn(raw: LanguageModelV4Usage['raw']): number | null {
  const cost = raw?.['cost'];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null;
}

function promptTokens({ prompt, tools = [] }: Seen['params']): number {
  const files = prompt.reduce((sum, message) => sum + filesIn(message), 0);
  const withoutBytes = (key: string, value: unknown) => (key === 'data' ? undefined : value);
  const chars = JSON.stringify(prompt, withoutBytes).length + JSON.stringify(tools).length;
  return Math.ceil(chars / CHARS_PER_TOKEN) + files * FILE_TOKENS;
}

function filesIn({ content }: LanguageModelV4Prompt[number]): number {
  return typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'file').length;
}
