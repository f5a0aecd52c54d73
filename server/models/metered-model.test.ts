import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { BudgetReachedError } from '#server/core/errors';
import type { Spent } from '#server/core/admin/spending';
import { listCost } from '#server/models/list-prices';
import { meteredModel, type UsagePricing } from '#server/models/metered-model';

const bill = { userId: 'usr_1', sessionId: 'ses_1', kind: 'chat' } as const;
const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const paid: UsagePricing = { modelId: 'a/b', prices, isPaid: true };

const usage = (input: number, output: number, cached = 0, raw?: object): LanguageModelV4Usage => ({
  inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 },
  ...(raw && { raw: raw as NonNullable<LanguageModelV4Usage['raw']> }),
});

const said: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'x'.repeat(300) },
];
const finish = (of: LanguageModelV4Usage): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: of,
});

const options = (abortSignal?: AbortSignal): LanguageModelV4CallOptions => ({
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'y'.repeat(3_000) }] }],
  ...(abortSignal && { abortSignal }),
});

/** A model that streams these parts and then ends, or never ends. */
function open(parts: readonly LanguageModelV4StreamPart[], tariff = paid, end: 'close' | 'hang' | Error = 'close') {
  const left = [...parts];
  const model = new MockLanguageModelV4({
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream<LanguageModelV4StreamPart>({
          // One at a time: an error would discard unread parts.
          pull(controller) {
            const next = left.shift();
            if (next) controller.enqueue(next);
            else if (end === 'close') controller.close();
            else if (end !== 'hang') controller.error(end);
          },
        }),
      }),
  });
  const written: Spent[] = [];
  const purse = {
    isEmpty: false,
    require: () =>
      purse.isEmpty ? Promise.reject(new BudgetReachedError('The budget is used up.')) : Promise.resolve(),
    record: (spent: Spent) => Promise.resolve(void written.push(spent)),
  };
  return { model: meteredModel(model, tariff, bill, purse), asked: model.doStreamCalls, purse, written };
}

async function readAll(model: ReturnType<typeof open>['model'], abortSignal?: AbortSignal) {
  const { stream } = await model.doStream(options(abortSignal));
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe('a metered model', () => {
  it('records the reported usage, else an estimate by the price list', async () => {
    const reported = open([...said, finish(usage(1_000, 50, 400, { cost: 0.0123 }))]);
    await readAll(reported.model);
    expect(reported.written).toMatchObject([{ ...bill, modelId: 'a/b', inputTokens: 1_000, outputTokens: 50 }]);
    expect(reported.written).toMatchObject([{ cost: 0.0123, isEstimated: false, cacheReadTokens: 400 }]);

    const listed = open([...said, finish(usage(1_000, 50, 400))]);
    await readAll(listed.model);
    const [spent] = listed.written;
    expect(spent?.isEstimated).toBe(true);
    // 600 at 2, 400 at 0.2 and 50 at 10 dollars a million.
    expect(spent?.cost).toBeCloseTo(0.00178, 10);
    expect(spent?.cacheSaved).toBeCloseTo(0.00072, 10);
    expect(spent?.inputPrice).toBeCloseTo(0.00128 / 1_000, 12);
  });

  it('is not asked once the budget is used up; one that costs nothing is', async () => {
    const { model, asked, purse, written } = open([...said, finish(usage(1, 1))]);
    purse.isEmpty = true;
    await expect(readAll(model)).rejects.toThrow(BudgetReachedError);
    expect([asked.length, written]).toEqual([0, []]);
    const free = open([...said, finish(usage(10, 10))], { ...paid, prices: null, isPaid: false });
    free.purse.isEmpty = true;
    const parts = await readAll(free.model);
    expect(free.written).toMatchObject([{ cost: 0, isEstimated: false }]);
    // For the conversation's own figures, which hold what is reported with each step.
    expect(parts.at(-1)).toMatchObject({ usage: { raw: { cost: 0 } } });
  });

  it.each<[string, (opened: ReturnType<typeof open>) => Promise<unknown>, 'close' | 'hang' | Error]>([
    ['breaks off', ({ model }) => readAll(model).catch(() => undefined), new Error('terminated')],
    ['ends without a report', ({ model }) => readAll(model), 'close'],
    [
      'is no longer read',
      async ({ model }) => {
        const reader = (await model.doStream(options())).stream.getReader();
        for (const _ of said) await reader.read();
        await reader.cancel();
      },
      'hang',
    ],
    [
      'is stopped',
      async ({ model }) => {
        const stop = new AbortController();
        const reader = (await model.doStream(options(stop.signal))).stream.getReader();
        for (const _ of said) await reader.read();
        stop.abort();
      },
      'hang',
    ],
  ])('counts sent and received tokens when an answer %s', async (_, read, end) => {
    const opened = open(said, paid, end);
    await read(opened);
    await expect.poll(() => opened.written.length).toBe(1);
    const [spent] = opened.written;
    expect(spent).toMatchObject({ outputTokens: 100, isEstimated: true });
    expect(spent?.inputTokens).toBeGreaterThanOrEqual(1_000);
    expect(spent?.cost).toBeCloseTo(listCost(spent!, prices), 10);
  });

  it('costs nothing if it was refused, and is counted without a price if that is unknown', async () => {
    const refused = open([{ type: 'error', error: new Error('busy') }], paid);
    await readAll(refused.model);
    expect(refused.written).toEqual([]);
    const unknown = open([...said, finish(usage(1_000, 50))], { ...paid, prices: null });
    await readAll(unknown.model);
    expect(unknown.written).toMatchObject([{ cost: null, isEstimated: false, inputPrice: null }]);
  });

  it('counts whole answers, too, and those that were given up', async () => {
    const written: Spent[] = [];
    const purse = {
      require: () => Promise.resolve(),
      record: (spent: Spent) => Promise.resolve(void written.push(spent)),
    };
    const result = {
      content: [{ type: 'text' as const, text: 'Yes.' }],
      finishReason: { unified: 'stop' as const, raw: 'stop' },
      usage: usage(500, 5),
      warnings: [],
    };
    const model = meteredModel(
      new MockLanguageModelV4({ doGenerate: result }),
      paid,
      { ...bill, kind: 'summary' },
      purse,
    );
    await model.doGenerate(options());
    expect(written).toMatchObject([{ kind: 'summary', inputTokens: 500, outputTokens: 5, isEstimated: true }]);
    const late = new AbortController();
    const failing = new MockLanguageModelV4({
      doGenerate: ({ abortSignal }) => {
        if (abortSignal) late.abort();
        return Promise.reject(new Error('late'));
      },
    });
    const given = meteredModel(failing, paid, bill, purse);
    await expect(given.doGenerate(options(late.signal))).rejects.toThrow('late');
    await expect(given.doGenerate(options())).rejects.toThrow('late');
    expect(written).toHaveLength(2);
  });

  it('counts the sent tokens if it is stopped before its first word, none if it was not sent', async () => {
    const stop = new AbortController();
    const written: Spent[] = [];
    const model = meteredModel(
      new MockLanguageModelV4({
        doStream: ({ abortSignal }) =>
          new Promise((_, reject) => {
            abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error));
          }),
      }),
      paid,
      bill,
      { require: () => Promise.resolve(), record: (spent) => Promise.resolve(void written.push(spent)) },
    );
    const answer = model.doStream(options(stop.signal));
    await Promise.resolve();
    await Promise.resolve();
    stop.abort(new Error('stopped'));
    await expect(answer).rejects.toThrow('stopped');
    expect(written).toMatchObject([{ outputTokens: 0, isEstimated: true }]);
    expect(written[0]?.inputTokens).toBeGreaterThan(1_000);
    await expect(model.doStream(options(stop.signal))).rejects.toThrow('stopped');
    expect(written).toHaveLength(1);
  });
});
