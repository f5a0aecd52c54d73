import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Message, Usage } from '#server/core/conversation/messages';
import type { ModelTarget } from '#server/context/budget';
import { cautiousTokens, measure, observe } from '#server/context/current-tokens';
import { calibrate, factorOf, loadCalibrations } from '#server/context/calibration';
import { countPartTokens, MESSAGE_OVERHEAD } from '#server/context/part-tokens';
import { countTokens } from '#server/context/tokens';
import { buildView, type StoredView } from '#server/context/view';
import { anyHistory, call, result, storedMessages, text } from '#tests/support/arbitrary-history';
import { defaultSettings } from '#server/context/settings/context-settings';
import type { CalibrationStore } from '#server/context/ports';

const target: ModelTarget = {
  modelId: 'anthropic/claude-sonnet-4.5',
  contextWindow: 200_000,
  maxOutputTokens: 8_000,
  tokenFactor: 1.2,
  warning: null,
  fixed: { instructions: 1_000, tools: 500 },
};
const OUTPUT = 'The page has a hero, two texts and a gallery. '.repeat(30);

describe('measure', () => {
  it('estimates the whole request, instructions and tools included, while nothing is reported', () => {
    const measured = look(session(null));
    expect(measured.source).toBe('estimated');
    expect(measured.estimatedTokens).toBe(measured.currentTokens);
    expect(measured.breakdown).toMatchObject({ instructions: 1_200, tools: 600 });
    expect(measured.currentTokens).toBeCloseTo(measured.countedTokens * 1.2, -1);
  });

  it('is the last report, its output and an estimate of what came after', () => {
    const measured = look(session({ inputTokens: 2_000, outputTokens: 90 }));
    const added = (MESSAGE_OVERHEAD + countPartTokens(result('call_1', OUTPUT))) * 1.2;
    expect(measured).toMatchObject({ source: 'reported', estimatedTokens: Math.ceil(added) });
    expect(measured.currentTokens).toBe(2_000 + 90 + Math.ceil(added));
  });

  it('adds the growth of instructions and tool schemas since the report', () => {
    const usage = { inputTokens: 2_000, outputTokens: 90 };
    const current = (report: Usage) => look(session(report)).currentTokens;
    expect(current({ ...usage, fixedCount: 1_500 })).toBe(current(usage));
    expect(current({ ...usage, fixedCount: 1_000 })).toBe(current(usage) + 600);
    expect(current({ ...usage, fixedCount: 1_700 })).toBe(current(usage) - 240);
  });

  it('counts cache reads and writes once: they are in the input already', () => {
    const usage = { inputTokens: 2_000, outputTokens: 90 };
    const cached = look(session({ ...usage, cacheReadTokens: 1_900, cacheWriteTokens: 50 }));
    expect(cached.currentTokens).toBe(look(session(usage)).currentTokens);
  });

  it.each([
    ['as 0', 'I think about the greeting and what to say. ', { reasoningTokens: 0 }],
    ['not at all', 'I think about the greeting and what to say. ', {}],
    ['as 0, in Russian', 'Я думаю о приветствии и о том, что сказать. ', { reasoningTokens: 0 }],
    ['as 0, in Japanese', '挨拶と、何を言うべきかを考えています。', { reasoningTokens: 0 }],
  ])('leaves out thoughts that are not sent again where their report counts them %s', (_, thought, counts) => {
    const local = { ...target, modelId: 'local/thinker' };
    const stored = viewOf(
      storedMessages([
        { role: 'user', parts: [text('Hello')] },
        {
          role: 'assistant',
          parts: [{ type: 'reasoning', content: { text: thought.repeat(60) } }, text('Hello! What shall we do?')],
          modelId: local.modelId,
        },
        { role: 'user', parts: [text('Nothing.')] },
      ]).map((message) =>
        message.role === 'assistant'
          ? { ...message, usage: { inputTokens: 1_053, outputTokens: 3_000, viewKey: 'whole/0/0', ...counts } }
          : message,
      ),
    );
    const measured = measure(stored, buildView(stored, local.modelId), local);
    expect(measured.source).toBe('reported');
    expect(measured.currentTokens).toBeLessThan(1_053 + 150);
  });

  it('uses our count for an answer whose report was cut short', () => {
    const interrupted = look(session({ inputTokens: 2_000, outputTokens: 1 }));
    const complete = look(session({ inputTokens: 2_000, outputTokens: 40 }));
    expect(interrupted.currentTokens).toBeGreaterThan(2_030);
    expect(interrupted.currentTokens - complete.currentTokens).toBeLessThanOrEqual(0);
    expect(complete.currentTokens - interrupted.currentTokens).toBeLessThan(20);
  });

  it.each([
    ['nothing', { inputTokens: 0, outputTokens: 0 }],
    ['more than the window', { inputTokens: 199_999, outputTokens: 10 }],
    ['far too little', { inputTokens: 5, outputTokens: 5 }],
    ['far too much', { inputTokens: 150_000, outputTokens: 5 }],
    ['no number', { inputTokens: Number.NaN, outputTokens: 5 }],
  ])('ignores a report of %s', (_, usage) => {
    expect(look(session(usage)).source).toBe('estimated');
  });

  it('does not trust a report from before a prune, nor from another model', () => {
    const messages = session({ inputTokens: 2_000, outputTokens: 90 });
    const [request, answer, output] = messages as [Message, Message, Message];
    const prune = (message: Message) => ({
      ...message,
      parts: message.parts.map((part) => ({ ...part, compactedAt: 9_000 })),
    });
    expect(look([request, answer, output]).source).toBe('reported');
    expect(look([prune(request), answer, output]).source).toBe('estimated');
    expect(look([request, { ...answer, modelId: 'openai/gpt-5.5' }, output]).source).toBe('estimated');
  });

  it('charges media by the formula of the model, without its factor', () => {
    const image = { mediaType: 'image/png', url: 'data:image/png;base64,AAAA', width: 1_000, height: 1_000 };
    const plain = look(storedMessages([{ role: 'user', parts: [text('Look at this')] }]));
    const withImage = look(
      storedMessages([{ role: 'user', parts: [text('Look at this'), { type: 'file', content: image }] }]),
    );
    expect(withImage.breakdown.media).toBe(1_334);
    expect(withImage.currentTokens).toBe(plain.currentTokens + 1_334);
    expect(withImage.countedTokens).toBe(plain.countedTokens);
  });

  it('never estimates less than the texts it sends, for any history', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        const stored = viewOf(messages);
        const view = buildView(stored, target.modelId);
        const said = view.flatMap(({ parts }) =>
          parts.flatMap(({ content }) => (content.type === 'text' ? [countTokens(content.text)] : [])),
        );
        const measured = measure(stored, view, target);
        expect(measured.currentTokens).toBeGreaterThanOrEqual(said.reduce((sum, tokens) => sum + tokens, 0) + 1_500);
        expect(measured.estimatedTokens).toBeLessThanOrEqual(measured.currentTokens);
      }),
    );
  });

  it('measures a session of more parts than a call takes arguments', () => {
    const parts = Array.from({ length: 130_000 }, () => ({ ...text('a'), tokens: 1 }));
    expect(look(storedMessages([{ role: 'user', parts }])).currentTokens).toBeGreaterThan(130_000);
  });
});

describe('cautiousTokens', () => {
  it('adds a tenth to estimated tokens, none to reported ones', () => {
    const estimated = look(session(null));
    expect(cautiousTokens(estimated)).toBe(estimated.currentTokens + Math.ceil(estimated.currentTokens / 10));
    const reported = look(session({ inputTokens: 2_000, outputTokens: 90 }));
    expect(cautiousTokens(reported)).toBe(reported.currentTokens + Math.ceil(reported.estimatedTokens / 10));
    expect(cautiousTokens({ ...reported, estimatedTokens: 0 })).toBe(reported.currentTokens);
  });
});

describe('observe', () => {
  it('compares a report with our count, media left out of both', () => {
    const measured = look(session(null));
    const withMedia = { ...measured, breakdown: { ...measured.breakdown, media: 500 } };
    const usage = { inputTokens: 3_000, outputTokens: 5 };
    expect(observe(withMedia, usage, target)).toEqual({
      reported: 2_500,
      counted: measured.countedTokens,
      contextWindow: 200_000,
    });
  });

  it('learns nothing from a request that is mostly media', () => {
    const measured = look(session(null));
    const withMedia = { ...measured, breakdown: { ...measured.breakdown, media: 1_600 } };
    expect(observe(withMedia, { inputTokens: 3_000, outputTokens: 5 }, target)).toBeNull();
  });
});

/** A request, an answer with a call and its report, the call's result. */
function session(usage: Usage | null): Message[] {
  const report = usage && { ...usage, viewKey: 'whole/0/0' };
  const messages = storedMessages([
    { role: 'user', parts: [text('What is on the home page?')] },
    { role: 'assistant', parts: [text('Let me look.'), call('call_1')], modelId: target.modelId },
    { role: 'tool', parts: [result('call_1', OUTPUT)] },
  ]);
  return messages.map((message) => (message.role === 'assistant' ? { ...message, usage: report } : message));
}

function viewOf(messages: readonly Message[]): StoredView {
  return { leading: [], summary: null, kept: [], messages };
}

function look(messages: readonly Message[]) {
  const stored = viewOf(messages);
  return measure(stored, buildView(stored, target.modelId), target);
}

const { calibrationReports: MAX_RATIOS, calibrationMinReports: MIN_RATIOS } = defaultSettings;

const contextWindow = 200_000;

describe('calibrate', () => {
  it('adds reported / counted and keeps the newest twenty', () => {
    const ratios = Array.from({ length: 25 }).reduce<readonly number[]>(
      (known, _, index) => calibrate(known, { reported: 1_000 + index, counted: 1_000, contextWindow }),
      [],
    );
    expect(ratios).toHaveLength(MAX_RATIOS);
    expect(ratios.at(0)).toBe(1.005);
    expect(ratios.at(-1)).toBe(1.024);
  });

  it.each([
    ['nothing', 0, 1_000],
    ['less than nothing', -5, 1_000],
    ['no number', Number.NaN, 1_000],
    ['infinity', Infinity, 1_000],
    ['more than the window', 200_001, 190_000],
    ['five times what was sent', 6_000, 1_000],
    ['a tenth of it (a cache left out)', 100, 1_000],
    ['something about an empty request', 100, 0],
    ['something about a request that was not counted', 100, Number.NaN],
  ])('ignores a report of %s', (_, reported, counted) => {
    const known = [1.1, 1.2];
    expect(calibrate(known, { reported, counted, contextWindow })).toBe(known);
  });
});

describe('factorOf', () => {
  it('is the fallback until there are five ratios', () => {
    expect(
      factorOf(
        Array.from({ length: MIN_RATIOS - 1 }, () => 1.4),
        1.1,
      ),
    ).toBe(1.1);
    expect(
      factorOf(
        Array.from({ length: MIN_RATIOS }, () => 1.4),
        1.1,
      ),
    ).toBe(1.4);
  });

  it('is the median, so that single reports far off do not move it', () => {
    expect(factorOf([1.2, 4.9, 1.21, 0.21, 1.19], 1)).toBe(1.2);
    expect(factorOf([1, 1.1, 1.2, 1.3, 1.4, 1.5], 1)).toBeCloseTo(1.25);
  });

  it('stays within 0.5 and 3 for any report', () => {
    const anyNumber = fc.oneof(fc.double(), fc.integer({ min: -10, max: 400_000 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(anyNumber, anyNumber), { maxLength: 60 }), (reports) => {
        const ratios = reports.reduce<readonly number[]>(
          (known, [reported, counted]) => calibrate(known, { reported, counted, contextWindow }),
          [],
        );
        expect(ratios.length).toBeLessThanOrEqual(MAX_RATIOS);
        const factor = factorOf(ratios, 1.1);
        expect(factor).toBeGreaterThanOrEqual(0.5);
        expect(factor).toBeLessThanOrEqual(3);
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a tokenizer again from noisy reports, with up to a third of them absurd', () => {
    const ratio = fc.double({ min: 0.6, max: 2.5, noNaN: true });
    const counted = fc.integer({ min: 1_000, max: 50_000 });
    const noise = fc.double({ min: 0.97, max: 1.03, noNaN: true });
    fc.assert(
      fc.property(ratio, fc.array(fc.tuple(counted, noise), { minLength: 10, maxLength: 40 }), (truth, steps) => {
        const ratios = steps.reduce<readonly number[]>((known, [tokens, off], step) => {
          const reported = step % 3 === 2 ? tokens * 4.5 : tokens * truth * off;
          return calibrate(known, { reported, counted: tokens, contextWindow });
        }, []);
        // Should all absurd reports lie on one side, the median moves to the edge of the noise, not beyond it.
        expect(Math.abs(factorOf(ratios, 1.1) / truth - 1)).toBeLessThanOrEqual(0.03 + 1e-9);
      }),
    );
  });
});

const MODEL = 'anthropic/claude-sonnet-4.5';
const report = { reported: 1_220, counted: 1_000, contextWindow: 200_000 };

describe('loadCalibrations', () => {
  it('uses the fallback, then what it learned, for each model apart', async () => {
    const calibrations = await loadCalibrations(memoryStore(), noFaults);
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.1);
    for (let step = 0; step < 5; step += 1) await calibrations.learn(MODEL, report);
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.22);
    expect(calibrations.factor('openai/gpt-5.5', 1)).toBe(1);
  });

  it('follows the settings, also when they change', async () => {
    let settings = { ...defaultSettings, calibrationMinReports: 2 };
    const calibrations = await loadCalibrations(memoryStore(), noFaults, () => settings);
    for (const reported of [1_220, 1_220, 900]) await calibrations.learn(MODEL, { ...report, reported });
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.22);
    settings = { ...settings, calibrationMaxFactor: 1.15 };
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.15);
    settings = { ...settings, calibrationReports: 2, calibrationCredible: 1.5 };
    await calibrations.learn(MODEL, { ...report, reported: 900 });
    await calibrations.learn(MODEL, { ...report, reported: 1_600 });
    expect(calibrations.factor(MODEL, 1.1)).toBe(0.9);
  });

  it('remembers after a restart, and stores no absurd report', async () => {
    const store = memoryStore();
    const before = await loadCalibrations(store, noFaults);
    await before.learn(MODEL, { ...report, reported: 0 });
    expect(store.saved.size).toBe(0);
    for (let step = 0; step < 5; step += 1) await before.learn(MODEL, report);
    expect((await loadCalibrations(store, noFaults)).factor(MODEL, 1.1)).toBe(1.22);
  });

  it('continues in memory when the store fails, and reports it', async () => {
    const faults: string[] = [];
    const broken: CalibrationStore = {
      load: () => Promise.reject(new Error('unreadable')),
      save: () => Promise.reject(new Error('disk full')),
    };
    const calibrations = await loadCalibrations(broken, (message) => faults.push(message));
    for (let step = 0; step < 5; step += 1) await calibrations.learn(MODEL, report);
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.22);
    expect(faults).toHaveLength(6);
  });
});

function memoryStore() {
  const saved = new Map<string, readonly number[]>();
  return {
    saved,
    load: async () => new Map(saved),
    save: async (modelId: string, ratios: readonly number[]) => {
      saved.set(modelId, ratios);
    },
  } satisfies CalibrationStore & { saved: Map<string, readonly number[]> };
}

function noFaults(message: string, error: unknown): never {
  throw new Error(message, { cause: error });
}
