import { describe, expect, it } from 'vitest';
import type { Summarizer, SummaryRequest } from '#server/context/ports';
import { type SummarySource, writeSummary } from '#server/context/write-summary';
import { countTokens } from '#server/context/tokens';
import { storedMessages, text } from '#tests/support/arbitrary-history';

const head = storedMessages([
  { role: 'user', parts: [text('Build a site. Always be brief.')] },
  { role: 'assistant', parts: [text('Done.')] },
]);
const source: SummarySource = {
  facts: { round: 2, messages: head, ledger: [], tokens: 2_000 },
  head,
  previousSummary: 'Round one happened.',
  instructions: 'the prices',
};
const NARRATIVE = '### Current State\nAll good.';

type Answer = Awaited<ReturnType<Summarizer['summarize']>>;
function summarizer(answer: Partial<Answer> | Error) {
  const requests: SummaryRequest[] = [];
  const summarize = (request: SummaryRequest): Promise<Answer> => {
    requests.push(request);
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve({ text: NARRATIVE, finishReason: 'stop', usage: null, ...answer });
  };
  return { requests, modelId: 'test/summarizer', inputTokens: 10_000, summarize };
}

describe('writeSummary', () => {
  it("is the model's narrative with what code keeps, asked with the previous summary and the user's focus", async () => {
    const usage = { inputTokens: 500, outputTokens: 50 };
    const model = summarizer({ usage });
    const written = await writeSummary(source, model, undefined);
    expect(written).toMatchObject({ strategy: 'reactive-overflow', modelId: 'test/summarizer', usage });
    expect(written.text).toContain(NARRATIVE);
    expect(written.text).toContain('- Always be brief.');
    expect(written.tokens).toBe(countTokens(written.text));
    const [request, ...more] = model.requests;
    expect(more).toEqual([]);
    expect(request).toMatchObject({ instructions: 'the prices', maxOutputTokens: 1_100 });
    expect(request?.transcript).toContain('Round one happened.');
  });

  it.each([
    ['an error', new Error('503')],
    ['an empty text', { text: ' \n' }],
    ['a text that was cut off', { finishReason: 'length' }],
    ['a text over its limit', { text: 'word '.repeat(1_500) }],
  ])('is the ledger summary in place of %s', async (_, answer) => {
    const written = await writeSummary(source, summarizer(answer), undefined);
    expect(written).toMatchObject({ strategy: 'ledger', modelId: null, usage: null });
    expect(written.text).toContain('### Original Task\nBuild a site. Always be brief.');
  });

  it('is the ledger summary where no model writes summaries', async () => {
    expect(await writeSummary(source, null, undefined)).toMatchObject({ strategy: 'ledger', modelId: null });
  });

  it('throws when the caller gave up, instead of falling back', async () => {
    const gone = AbortSignal.abort(new Error('cancelled'));
    await expect(writeSummary(source, summarizer(new Error('aborted')), gone)).rejects.toThrow('aborted');
  });
});
