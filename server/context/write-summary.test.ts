import { afterEach, describe, expect, it, vi } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { createBudget } from '#server/context/budget';
import { measure } from '#server/context/current-tokens';
import { defaultSettings } from '#server/context/settings/context-settings';
import { strategies } from '#server/context/strategies';
import { headOf, rawTokens } from '#server/context/compaction-plan';
import type { Summarizer, SummaryAnswer, SummaryRequest } from '#server/context/ports';
import { type Candidate, writeCandidates } from '#server/context/write-summary';
import { CallBudget, SummaryCost, type SummaryJob } from '#server/context/ask-summarizer';
import { countTokens } from '#server/context/tokens';
import { storedMessages, text } from '#tests/support/arbitrary-history';
import { holdTimeouts } from '#tests/support/held-timers';
import { TestSession } from '#tests/support/test-session';
import { engineProcess } from '#tests/support/small-engine';

afterEach(() => vi.restoreAllMocks());

const settings = { ...defaultSettings, exemptTools: new Set<string>() };
const target = {
  modelId: 'openai/gpt-4o',
  contextWindow: 16_000,
  maxOutputTokens: 4_000,
  warning: null,
  tokenFactor: 1,
  fixed: { instructions: 500, tools: 1_000 },
};
const messages = storedMessages([
  { role: 'user', parts: [text('Build a site. Always be brief.')] },
  ...Array.from({ length: 12 }, (_, index) => [
    { role: 'assistant' as const, parts: [text(`Done with ${index}. ${'word '.repeat(750)}`)] },
    { role: 'user' as const, parts: [text(`Next thing ${index}, please.`)] },
  ]).flat(),
]);
const marker = { summary: '', narrative: 'Round one happened.', compactedAt: 1, messagesCompacted: 1, originalTokens: 1, round: 1 }; // oxfmt-ignore
const [former] = storedMessages([{ role: 'user', parts: [{ type: 'compaction-marker', content: marker, tokens: 1 }] }]);
const stored = { leading: [], summary: former ?? null, kept: [], messages };
const measured = measure(stored, [], target);
const NARRATIVE = ['What Was Accomplished', 'Current State', 'What Comes Next', 'Technical Context']
  .map((heading) => `### ${heading}\nThe ${heading.toLowerCase()} is told here.`)
  .join('\n\n');

function summarizer(answer: Partial<SummaryAnswer> | Error) {
  const requests: SummaryRequest[] = [];
  const answerWith = (): Promise<SummaryAnswer> =>
    answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve({ text: NARRATIVE, finishReason: 'stop', usage: null, ...answer });
  const summarize = (request: SummaryRequest) => {
    requests.push(request);
    return answerWith();
  };
  const written: Summarizer = { modelId: 'test/summarizer', inputTokens: 10_000, summarize, prune: answerWith };
  return { requests, summarizer: written };
}

interface Changes extends Partial<SummaryJob> {
  readonly hasFailed?: boolean;
  readonly signal?: AbortSignal;
}

function job(writer: Summarizer | null, { hasFailed = false, signal, ...changes }: Changes = {}): SummaryJob {
  const strategy = changes.strategy ?? strategies['reactive-overflow'];
  const budget = createBudget(target, settings, 1_500);
  const plan = strategy.plan({ stored, budget, target, settings });
  if (!plan) throw new Error('Nothing to plan.');
  const store = new TestSession(() => 1);
  return {
    process: { ...engineProcess({}, () => 1), settings: { current: () => settings } },
    request: {
      session: Object.assign(store, {
        loadBefore: (seq: number) => Promise.resolve(messages.filter((message) => message.seq < seq)),
      }),
      target,
      summarizer: writer,
      signal,
    },
    strategy,
    reason: 'overflow',
    instructions: 'the prices',
    snapshot: { stored, budget, target, settings, version: '', view: [], messages: [], measured },
    plan,
    past: { count: 1, newest: [], pause: hasFailed ? { modelId: 'test/summarizer', failures: 1, until: 0 } : null },
    budget: new CallBudget(settings.summaryTimeout),
    spent: new SummaryCost(Date.now()),
    ...changes,
  };
}

async function all(of: SummaryJob): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for await (const candidate of writeCandidates(of)) candidates.push(candidate);
  return candidates;
}

describe('writeCandidates', () => {
  it('sends what the summarizer has room for, as that one counts', async () => {
    const { requests, summarizer: writer } = summarizer({});
    await all(job({ ...writer, inputTokens: 10_000 }));
    await all(job({ ...writer, inputTokens: 10_000, count: (value) => countTokens(value) * 10 }));
    const [usual = 0, dearer = 0] = requests.map(({ transcript }) => countTokens(transcript));
    expect(usual).toBeLessThanOrEqual(10_000);
    expect(dearer).toBeLessThanOrEqual(1_000);
  });

  it("begins with the model's narrative, asked with the previous summary and the user's focus", async () => {
    const usage = { inputTokens: 500, outputTokens: 50 };
    const model = summarizer({ usage });
    const spent = new SummaryCost(Date.now());
    const [first] = await all(job(model.summarizer, { spent }));
    expect(first).toMatchObject({ strategy: 'reactive-overflow', modelId: 'test/summarizer' });
    expect(spent.total).toEqual(usage);
    expect(first?.text).toContain('The current state is told here.');
    expect(first?.text).toContain('Always be brief.');
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toMatchObject({ instructions: 'the prices' });
    expect(model.requests[0]?.transcript).toContain('Round one happened.');
  });

  it('keeps the messages beside its first summary, rather than a longer summary beside fewer', async () => {
    const plan = strategies.ledger.plan(job(null).snapshot, 100);
    const [newest, ...after] = plan?.tail.slice(2) ?? [];
    if (!plan || !newest) throw new Error('Nothing to drop.');
    const replaced = [...plan.replaced, ...plan.tail.slice(0, 2)];
    const longer = { ...plan, replaced, tail: [newest, ...after] as const, summaryTokens: plan.summaryTokens + 1_000 };
    const strategy = { ...strategies.ledger, plan: (_: unknown, tokens?: number) => (tokens ? longer : plan) };
    const [first] = await all(job(null, { strategy }));
    expect(first?.plan.tail).toEqual(plan.tail);
  });

  it('continues with the ledger, then with the middle removed', async () => {
    const candidates = await all(job(summarizer({}).summarizer));
    expect(candidates.map((candidate) => candidate.strategy)).toEqual([
      'reactive-overflow',
      'ledger',
      'middle-removal',
    ]);
  });

  it.each([
    ['an error', new Error('503')],
    ['an empty text', { text: ' \n' }],
    ['a text that was stopped', { finishReason: 'content-filter' }],
    ['a text without its sections', { text: 'The user built a site.' }],
  ])('asks once more, then has the ledger in place of %s', async (_, answer) => {
    const model = summarizer(answer);
    const spent = new SummaryCost(Date.now());
    const [first] = await all(job(model.summarizer, { spent }));
    expect(model.requests).toHaveLength(2);
    expect(first).toMatchObject({ strategy: 'ledger', modelId: null, narrative: 'Round one happened.' });
    expect(first?.text).toContain('Build a site. Always be brief.');
    expect(spent.refusedAttempts()).toHaveLength(2);
  });

  it('tells the second attempt the problem of the first', async () => {
    const answers = ['The user built a site.', NARRATIVE];
    const { requests, summarizer: writer } = summarizer({});
    const summarize: Summarizer['summarize'] = (request) => {
      requests.push(request);
      return Promise.resolve({ text: answers[requests.length - 1] ?? '', finishReason: 'stop', usage: null });
    };
    const spent = new SummaryCost(Date.now());
    const [first] = await all(job({ ...writer, summarize }, { spent }));
    expect(requests.map(({ problem }) => problem)).toEqual([undefined, 'It has 0 of its 7 sections.']);
    expect(first).toMatchObject({ strategy: 'reactive-overflow', narrative: NARRATIVE });
    expect(spent.failure(uncodedText('It was tried.')).text).toBe(
      'It was tried.\nAttempt 1: The text was not usable: It has 0 of its 7 sections.',
    );
  });

  it('keeps a text over its limit up to its last whole section, at the first attempt', async () => {
    const values = Array.from({ length: 3_000 }, (_, n) => `value ${n}`).join(' ');
    const model = summarizer({ text: `${NARRATIVE}\n\n### Errors & Resolutions\n${values}` });
    const [first] = await all(job(model.summarizer));
    expect(model.requests).toHaveLength(1);
    expect(first).toMatchObject({ strategy: 'reactive-overflow', narrative: NARRATIVE });
  });

  it('throws when the caller gave up, instead of falling back', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(all(job(summarizer(new Error('aborted')).summarizer, { signal }))).rejects.toThrow('cancelled');
  });

  it('stops at its deadline, even with parts and attempts left', async () => {
    const time = holdTimeouts(54_321);
    let calls = 0;
    const writer: Summarizer = {
      ...summarizer({}).summarizer,
      summarize: ({ signal }) => {
        calls += 1;
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
          time.runOut();
        });
      },
    };
    const [first] = await all(job(writer, { budget: new CallBudget(54_321) }));
    expect(first).toMatchObject({ strategy: 'ledger', modelId: null });
    expect(calls).toBe(1);
  });
});

describe('answers of the pruning agent', () => {
  const strategy = strategies['pruning-agent'];
  const { plan } = job(null, { strategy });
  const chosen = [messages[2]?.id ?? '', messages[4]?.id ?? ''];
  const shown = rawTokens(headOf(plan));
  const left = rawTokens(plan.replaced.filter(({ id }) => chosen.includes(id))) + countTokens(NARRATIVE);
  const sound = { ids: chosen, summary: NARRATIVE, originalTokens: shown, prunedTokens: left };
  const answer = ({ ids, summary, originalTokens, prunedTokens }: typeof sound) =>
    JSON.stringify({ prunedConversation: ids.map((id) => ({ id })), summary, originalTokens, prunedTokens });
  const first = async (given: string, changes: Partial<SummaryAnswer> = {}) =>
    (await all(job(summarizer({ text: given, ...changes }).summarizer, { strategy })))[0];

  it('is followed: the messages that it chose stay, its summary tells the rest', async () => {
    const kept = await first(answer(sound));
    expect(kept).toMatchObject({ strategy: 'pruning-agent', modelId: 'test/summarizer' });
    expect(kept?.plan.keptAfter.map(({ id }) => id)).toEqual(expect.arrayContaining(chosen));
    expect(kept?.text).toContain('The current state is told here.');
  });

  it('receives the limit for kept messages: its plan is followed if it fits, else refused', async () => {
    const told: number[] = [];
    const prune: Summarizer['prune'] = ({ roomTokens }) => {
      told.push(roomTokens);
      return Promise.reject(new Error('It only listens.'));
    };
    await all(job({ ...summarizer({}).summarizer, prune }, { strategy }));
    const room = told[0] ?? 0;
    const newest = plan.replaced.toReversed();
    const count = newest.findIndex((_, index) => rawTokens(newest.slice(0, index + 1)) > room);
    expect(count).toBeGreaterThan(1);
    const keeping = async (some: number) => {
      const kept = newest.slice(0, some);
      const prunedTokens = rawTokens(kept) + countTokens(NARRATIVE);
      return (await first(answer({ ...sound, ids: kept.map(({ id }) => id), prunedTokens })))?.strategy;
    };
    expect(await keeping(count)).toBe('pruning-agent');
    expect(await keeping(count + 1)).toBe('ledger');
  });

  it.each([
    ['names a message that there is not', { ids: ['msg_unknown'] }],
    ['takes out next to nothing', { ids: plan.replaced.slice(1).map(({ id }) => id) }],
    ['counts another conversation', { originalTokens: shown * 3 }],
    ['says it kept what it took out', { prunedTokens: shown }],
    ['has no sections', { summary: 'The rest was small talk.' }],
    ['refuses', { summary: "I'm sorry, I cannot do that." }],
  ])('falls back where it %s', async (_, changes) => {
    expect((await first(answer({ ...sound, ...changes })))?.strategy).toBe('ledger');
  });

  it('falls back where it was cut off, though what came is valid', async () => {
    expect((await first(answer(sound), { finishReason: 'length' }))?.strategy).toBe('ledger');
    expect((await first(answer(sound).slice(0, -2)))?.strategy).toBe('ledger');
  });
});
