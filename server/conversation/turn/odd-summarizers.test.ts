import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import { createSummarizer } from '#server/conversation/step/session-context';
import { defaultSettings } from '#server/context/settings/context-settings';
import type { SummaryOutcome } from '#server/core/conversation/compactions';
import { NARRATIVE_ORDER } from '#server/core/conversation/summary-sections';
import type { NewMessage } from '#server/core/conversation/messages';
import { call, result, text } from '#tests/support/arbitrary-history';
import { TestSession } from '#tests/support/test-session';
import { counted, engineWith, requestFor, siteWith, SUMMARIZER, summarizerOf } from '#tests/support/small-engine';
import { pageChange } from '#tests/support/summary-facts';

const MINUTE = 60_000;

interface Answer {
  readonly text: string;
  readonly finishReason?: 'stop' | 'length';
}

/** A model that implements the provider's interface, and every request that it got. */
function scripted(answer: (options: LanguageModelV4CallOptions, call: number) => Answer) {
  const requests: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: SUMMARIZER,
    supportedUrls: {},
    doGenerate: async (options) => {
      requests.push(options);
      const { text: told, finishReason = 'stop' } = await Promise.resolve(answer(options, requests.length - 1));
      return {
        content: told === '' ? [] : [{ type: 'text', text: told }],
        finishReason: { unified: finishReason, raw: undefined },
        usage: {
          inputTokens: { total: 700, noCache: 700, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 50, text: 50, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error('Summaries are not streamed.')),
  };
  return { model, requests };
}

/** What the model is asked, without its instructions. */
const promptOf = ({ prompt }: LanguageModelV4CallOptions) => JSON.stringify(prompt.at(-1));

const sections = (body: (name: string, index: number) => string) =>
  NARRATIVE_ORDER.map((name, index) => `### ${name}\n${body(name, index)}`).join('\n\n');
const PLAIN = sections((name) => `The ${name.toLowerCase()} is told here.`);

/** A turn that makes a thing by a tool of another program. */
function turn(index: number): NewMessage[] {
  return [
    { role: 'user', parts: [text(`Request ${index}: make topic-${index}.`)] },
    { role: 'assistant', parts: [call(`c${index}`, 'create_page', { path: `/topic-${index}` })] },
    { role: 'tool', parts: [result(`c${index}`, 'Made.', 'create_page')] },
    { role: 'assistant', parts: [text(`Made it. ${Array.from({ length: 600 }, (_, n) => `word${n}`).join(' ')}`)] },
  ];
}

/** Twenty turns, each prepared as the app does: before the step, and while the user reads. */
async function twentyTurns({ model, requests }: ReturnType<typeof scripted>, contextWindow = 16_000) {
  let time = 1_000_000;
  const store = new TestSession(() => time);
  const told: SummaryOutcome[] = [];
  const engine = engineWith(
    {},
    () => time,
    (outcome) => void told.push(outcome),
  );
  const limits = {
    contextWindow,
    maxOutputTokens: contextWindow,
    tokenFactor: 1,
    warning: null,
    known: true,
    prices: null,
  };
  const settings = { ...defaultSettings, exemptTools: new Set<string>() };
  const resolved = { id: SUMMARIZER, model, limits: { ...limits, acceptsImages: false } };
  const request = requestFor(store, createSummarizer(resolved, settings, 1));
  const compactions = () =>
    store.list().filter(({ status, strategy }) => status === 'completed' && strategy !== 'prune');
  /** Calls for each compaction, the background's for the next one included. */
  const calls: number[] = [];
  const count = async (work: Promise<unknown>) => {
    const [before, round] = [requests.length, compactions().length];
    await work;
    calls[round] = (calls[round] ?? 0) + requests.length - before;
  };
  for (let index = 0; index < 20; index += 1) {
    store.appendMany(counted(turn(index)));
    await count(engine.prepare(request).then(({ usage }) => expect(usage.isOverflow).toBe(false)));
    await count(engine.prepareSummary(request));
    time += MINUTE;
  }
  return { store, told, calls, compactions: compactions() };
}

const tooMany = () =>
  new APICallError({
    message: 'Too many requests',
    url: 'https://models.example/v1/chat/completions',
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { 'retry-after-ms': '20' },
    isRetryable: true,
  });

const CASES: readonly [string, Parameters<typeof scripted>[0], Partial<Record<SummaryOutcome['outcome'], string>>][] = [
  [
    'writes far more than it may',
    () => ({ text: sections((name) => `${name}: ${Array.from({ length: 900 }, (_, n) => `v${n}`).join(' ')}`) }),
    { used: 'Current State: v0 v1 v2' },
  ],
  [
    'thinks until the cap, and writes once it is told so',
    (options) => {
      const isTold = promptOf(options).includes('think briefly');
      return isTold ? { text: PLAIN } : { text: '', finishReason: 'length' };
    },
    { used: 'The current state is told here.' },
  ],
  ['thinks until the cap, always', () => ({ text: '', finishReason: 'length' }), {}],
  [
    'answers in Japanese, headings included',
    () => ({
      text: ['現在の状態', '次の作業', '完了', '技術情報', '好み', '問題', '依頼']
        .map((name, index) => `### ${name}\n窯のページの${index + 1}番目の内容です。`)
        .join('\n\n'),
    }),
    { used: '窯のページの1番目の内容です。' },
  ],
  [
    'is refused with 429 twice',
    (_, index) => {
      if (index < 2) throw tooMany();
      return { text: PLAIN };
    },
    { used: 'The current state is told here.' },
  ],
  [
    'writes an honest list of lines that are alike',
    () => ({
      text: sections((name) => (name === 'Technical Context' ? '' : 'Told.')).replace(
        '### Technical Context\n',
        `### Technical Context\n${Array.from({ length: 20 }, (_, n) => `- the price of bowl ${n + 10} is ${n + 30}.00`).join('\n')}`,
      ),
    }),
    { used: 'bowl 12 is 32.00' },
  ],
  ['goes round in circles', () => ({ text: sections(() => 'And then the page was made. '.repeat(60)) }), {}],
];

describe('a summarizer that', () => {
  it.each(CASES)('%s: the record stands in every summary, for at most three calls each', async (_, answer, wanted) => {
    const model = scripted(answer);
    const { store, told, calls, compactions } = await twentyTurns(model);
    expect(compactions.length).toBeGreaterThan(1);
    expect(Math.max(...calls)).toBeLessThanOrEqual(3);
    for (const summary of store.summaries()) {
      expect(summary).toContain('Request 0: make topic-0.');
      expect(summary).toContain('/topic-1');
    }
    const last = store.summaries().at(-1) ?? '';
    if (wanted.used) expect(last).toContain(wanted.used);
    // No summary is written unused, and refused ones are reported with their reason.
    expect(told.filter(({ outcome }) => outcome === 'dropped')).toEqual([]);
    const refused = told.filter(({ outcome }) => outcome === 'failed');
    expect(refused.every(({ reason }) => reason)).toBe(true);
    // Where the model can be used in the end, each summary is its own; where it cannot, none.
    expect(new Set(compactions.map(({ modelId }) => modelId))).toEqual(new Set([wanted.used ? SUMMARIZER : null]));
  });

  it('requires room for its reasoning within its window, and gets no temperature', async () => {
    const model = scripted(() => ({ text: PLAIN }));
    await twentyTurns(model);
    for (const { maxOutputTokens = 0, temperature } of model.requests) {
      expect(temperature).toBeUndefined();
      expect(maxOutputTokens).toBeGreaterThan(3_000);
      expect(maxOutputTokens).toBeLessThan(16_000);
    }
    expect(promptOf(model.requests[0]!)).toMatch(/in at most \d+ words/);
  });

  it('has told something sees it apart from the record, and is not shown it again', async () => {
    const model = scripted((_, index) => ({ text: PLAIN.replace('told here', `told for the time ${index}`) }));
    await twentyTurns(model);
    const last = promptOf(model.requests.at(-1)!);
    expect(last.split('told for the time')).toHaveLength(2);
    expect(last.indexOf('<record>')).toBeGreaterThan(0);
    expect(last.indexOf('<previous-notes>')).toBeGreaterThan(last.indexOf('</record>'));
    expect(last.indexOf('<transcript>')).toBeGreaterThan(last.indexOf('</previous-notes>'));
  });

  it('has a small window gets the newest of the record in whole lines, and the folded count', async () => {
    const model = scripted(() => ({ text: PLAIN }));
    await twentyTurns(model, 2_800);
    const records = model.requests.map((request) => {
      const said = JSON.stringify(request.prompt.at(-1)?.content).replaceAll(String.raw`\n`, '\n');
      return /<record>\n([^]*?)\n<\/record>/.exec(said)?.[1] ?? '';
    });
    for (const record of records) {
      expect(record).not.toContain('left out');
      const words = record.split('\n').filter((line) => line.includes('Request '));
      expect(words.length).toBeGreaterThan(1);
      for (const line of words) expect(line).toMatch(/^(?:\d+: )?Request \d+: make topic-\d+\.$/);
    }
    const last = records.at(-1) ?? '';
    const folded = Number(/\(folded here: (\d+) earlier requests?/.exec(last)?.[1]);
    const shown = [...last.matchAll(/^(\d+): Request/gm)].map(([, place]) => Number(place));
    expect(folded).toBeGreaterThan(0);
    expect(shown[0]).toBe(folded + 2);
    expect(shown).toEqual(shown.map((_, index) => shown[0]! + index));
  });
});

it('passes on none of five facts in which a summary contradicts the record', async () => {
  const store = new TestSession(() => 1_000_000);
  const page = { kind: 'page', id: 'pag_k7m2p9', title: 'Rye' };
  const values = [{ field: 'price', before: 'The loaf costs 4,500 won', after: 'The loaf costs 5,200 won' }];
  const change = pageChange({ action: 'update', summary: 'Changed the price', values });
  const site = siteWith(
    () => [pageChange(), change],
    () => [{ ...page, path: '/rye', state: 'draft' }],
  );
  const wrong = [
    '"Rye" costs 4,500 won.',
    'Open is pag_zzz999.',
    'Linked is Rye (pag_k7m2p9, /wheat).',
    'Made was page "Oats" (pag_k7m2p9).',
    'Done is Rye (pag_k7m2p9, published).',
  ];
  const told = sections((name) => `${name} is told here. ${wrong.join(' ')}`);
  const request = {
    ...requestFor(
      store,
      summarizerOf(() => Promise.resolve(told)),
    ),
    site,
  };
  for (let index = 0; index < 20; index += 1) store.appendMany(counted(turn(index)));
  const { messages, compaction } = await engineWith().prepare(request);
  expect(compaction?.strategy).toBe('reactive-overflow');
  const view = JSON.stringify(messages);
  expect(view).toContain('Current State is told here.');
  for (const fact of wrong) expect(view).not.toContain(JSON.stringify(fact).slice(1, -1));
});
