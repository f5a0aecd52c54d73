import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '#server/core/conversation/compactions';
import { strategyNames } from '#server/core/admin/strategy-names';
import { defaultSettings } from '#server/context/settings/context-settings';
import { call, result, text } from '#tests/support/arbitrary-history';
import { TestSession } from '#tests/support/test-session';
import { counted, engineWith, requestFor, siteWith } from '#tests/support/small-engine';
import { type Draft, ScenarioRun, type Scenario } from '#tests/support/engine-scenario';

const request = (share: number, image: number | null = null) =>
  ({ kind: 'request', text: share, image, isNote: false }) as Draft;
const step = (share: number) => ({ kind: 'step', text: share, reasoning: false, calls: [] }) as Draft;

const usual = { fixed: 0.18, summarizer: 'none', minTurnsToKeep: 1 } as const;
/** Found by the property tests: what cannot shrink fits by a few hundred tokens, and no more. */
const TIGHT: Readonly<Record<string, Omit<Scenario, 'strategy'>>> = {
  'a request with an image that the view shows anyway': {
    ...usual,
    window: 14_459,
    modelId: 'anthropic/claude-sonnet-4.5',
    tokenFactor: 1.6,
    rounds: [{ drafts: [request(0.3, 1_000), step(0.01), { kind: 'empty-request' }], report: null }],
  },
  'a large request after one with an image': {
    ...usual,
    window: 194_178,
    modelId: 'anthropic/claude-sonnet-4.5',
    tokenFactor: 1.1,
    rounds: [
      { drafts: [request(0, 1_000), step(0.01)], report: null },
      { drafts: [request(0.6, 1_000)], report: null },
      { drafts: [step(0)], report: null },
    ],
  },
  'a step that leaves no room for an earlier summary': {
    ...usual,
    window: 16_000,
    modelId: 'test/unknown',
    tokenFactor: 1,
    rounds: [
      { drafts: [request(0.3), step(0.3), request(0), step(0.3), request(0.12)], report: null },
      { drafts: [step(0.477)], report: null },
    ],
  },
};

describe('what fits together with only a short note', () => {
  const cases = Object.entries(TIGHT).flatMap(([name, scenario]) =>
    strategyNames.map((strategy) => ({ name, scenario: { ...scenario, strategy } })),
  );
  it.each(cases)('is sent: $name ($scenario.strategy)', async ({ scenario }) => {
    const run = new ScenarioRun(scenario);
    for (const { drafts } of scenario.rounds) {
      run.append(drafts, null);
      const { usage } = await run.manager.prepare(run.request);
      expect(usage.isOverflow).toBe(false);
    }
  });
});

it('does not compact again above the trigger until new messages arrive', async () => {
  const calls = (...drafts: [number, number, 'late' | 'result', string?][]) =>
    drafts.map(([input, output, end, tool = 'get_content']) => ({ id: 0, tool, input, output, end }));
  const run = new ScenarioRun({
    ...usual,
    window: 3_999,
    modelId: 'test/unknown',
    tokenFactor: 0.8,
    strategy: 'middle-removal',
    rounds: [],
  });
  const completed = () => run.store.list().filter(({ status }) => status === 'completed');
  const rounds = [
    [
      request(0, 64),
      { ...step(0), text: null, calls: calls([0.01, 0, 'late'], [0.3, 0.01, 'result', 'get_settings']) },
      request(0),
    ],
    [{ ...step(0.6), calls: calls([0.01, 0.12, 'result'], [0, 0.01, 'result']) }],
    [{ ...step(0), text: null }],
  ] as Draft[][];
  for (const drafts of rounds) {
    run.append(drafts, null);
    await run.manager.prepare(run.request);
    const before = completed();
    const again = await run.manager.prepare(run.request);
    expect(completed()).toEqual(before);
    expect(again.compaction).toBeNull();
  }
});

it.each(strategyNames)(
  'asks a model no more in a turn that leaves no room for what it writes (%s)',
  async (strategy) => {
    const run = new ScenarioRun({
      ...usual,
      window: 10_000,
      fixed: 0.34,
      modelId: 'test/unknown',
      tokenFactor: 1,
      summarizer: 'honest',
      minTurnsToKeep: 2,
      strategy,
      rounds: [],
    });
    const read = { id: 0, tool: 'get_content', input: 0.04, output: 0.04, image: null, end: 'result' } as const;
    const work = async (steps: number) => {
      for (let count = 0; count < steps; count += 1) {
        run.append([{ kind: 'step', text: null, reasoning: false, calls: [read] }], null);
        const { usage } = await run.manager.prepare(run.request);
        expect(usage.isOverflow).toBe(false);
      }
    };
    run.append([request(0), step(0.12), request(0), step(0.12), request(0.3)], null);
    await work(5);
    const asked = run.summaries;
    await work(15);
    expect(run.summaries).toBe(asked);
    run.append([request(0.3)], null);
    await work(3);
    const isWithoutModel = strategy === 'ledger' || strategy === 'middle-removal';
    expect(run.summaries > asked).toBe(!isWithoutModel);
  },
);

it('keeps the record of actions next to an output that has to be cut', async () => {
  const rye: LedgerEntry = {
    kind: 'page',
    id: 'pag_k7m2p9',
    slug: 'rye',
    title: 'Rye',
    action: 'create',
    summary: 'Created the page "Rye"',
    undone: false,
    at: 1,
  };
  let time = 1_000;
  const now = () => (time += 1);
  const store = new TestSession(now);
  const talk = (words: string) => ({ role: 'assistant' as const, parts: [text(words)] });
  store.appendMany(
    counted([
      { role: 'user', parts: [text('Build a site.')] },
      talk('word '.repeat(3_000)),
      { role: 'user', parts: [text('List all posts.')] },
      { role: 'assistant', parts: [call('c')] },
      { role: 'tool', parts: [result('c', 'output '.repeat(20_000))] },
    ]),
  );
  const settings = { ...defaultSettings, exemptTools: new Set<string>() };
  const manager = engineWith(settings, now);
  const { messages, usage } = await manager.prepare({ ...requestFor(store, null), site: siteWith(() => [rye]) });
  expect(usage.isOverflow).toBe(false);
  expect(JSON.stringify(messages)).toContain('pag_k7m2p9');
});
